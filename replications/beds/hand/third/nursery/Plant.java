/** What grows in the nursery. */
public class Plant {
    public String habit() {
        return "plain";
    }

    public int water(int degrees) {
        return degrees / 4;
    }
}
