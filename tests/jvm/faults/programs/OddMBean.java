public interface OddMBean {
    int getSteady();

    double getNotANumber();

    double getEndless();

    Object getChanging();

    Number getHostile();

    int getFailing();

    int getOwn();

    int getFlooded();
}
