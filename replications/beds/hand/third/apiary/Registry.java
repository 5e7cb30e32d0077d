import java.util.List;

/** What is known of the hives that are in the field now. */
interface Registry {
    void reading(String hive, int minute, int grams, int centiDegrees);

    void lost(String hive);

    List<String> summary();
}
