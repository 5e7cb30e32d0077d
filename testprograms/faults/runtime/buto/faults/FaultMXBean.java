package buto.faults;

/** A fault as seen by JMX. */
public interface FaultMXBean {
    boolean isActive();

    void setActive(boolean active);

    /** The same as an operation, for clients that can only invoke operations. */
    void switchOn();

    void switchOff();

    /** How often the fault was carried out. */
    long getStrikes();

    String getKind();

    long getAmount();
}
