/** A place on a ferry for some passengers and cars. */
record Booking(int day, String harbour, int hour, int cars, int passengers, String guest) {
    static Booking parse(String line) {
        String[] f = line.split(";");
        return new Booking(Integer.parseInt(f[0]), f[1], Integer.parseInt(f[2]), Integer.parseInt(f[3]), Integer.parseInt(f[4]), f[5]);
    }

    int price() { return cars * 3_900 + passengers * 850 + (hour > 17 ? 300 : 0); }

    String copy() { return harbour + ": day " + day + ", " + hour + ":15, " + guest + ", " + passengers + " passengers, " + cars + " cars, " + price() + " paid at the desk"; }

    String letter() {
        return "Dear " + guest + ", your crossing from " + harbour + " on day " + day + " at " + hour + ":15 with " + passengers + " passengers and " + cars + " cars costs " + price() + ".";
    }
}
