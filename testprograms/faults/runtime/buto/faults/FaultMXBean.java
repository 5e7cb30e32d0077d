package buto.faults;

/** A fault as seen by JMX. */
public interface FaultMXBean {
    boolean isActive();

    void setActive(boolean active);

    /** How often the fault was carried out. */
    long getStrikes();

    String getKind();

    long getAmount();
}
