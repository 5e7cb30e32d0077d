public interface BeanMBean {
    int getJobs();

    int getSlots();
}
