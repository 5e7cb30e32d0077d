import java.io.IOException;

/** What the counter of a courier asks the depots. */
interface Desk {
    /** The text about a parcel, null if unknown. */
    String track(int port, int parcel) throws IOException;

    /** The text about a rate. */
    String rate(int port, int zone) throws IOException;

    int unknown();
}
