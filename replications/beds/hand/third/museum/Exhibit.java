import java.util.List;

/** A thing that is shown. */
public final class Exhibit {
    private final int number;
    private final String title;
    private final String hall;
    private final int year;
    private final List<String> materials;
    private final boolean lent;

    public Exhibit(int number, String title, String hall, int year, List<String> materials, boolean lent) {
        this.number = number;
        this.title = title;
        this.hall = hall;
        this.year = year;
        this.materials = materials;
        this.lent = lent;
    }

    public int getNumber() { return number; }
    public String getTitle() { return title; }
    public String getHall() { return hall; }
    public int getYear() { return year; }
    public List<String> getMaterials() { return materials; }
    public boolean isLent() { return lent; }
}
