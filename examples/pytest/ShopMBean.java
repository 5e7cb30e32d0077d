/** What can be asked of a running shop through JMX. */
public interface ShopMBean {
    int getOrders();

    void order(int number);
}
