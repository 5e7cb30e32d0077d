/** Takes bookings. */
interface Office {
    boolean book(Booking b);

    int taken(int sailing);
}
