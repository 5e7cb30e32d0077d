public interface BlockingMBean {
    int getNext() throws InterruptedException;
}
