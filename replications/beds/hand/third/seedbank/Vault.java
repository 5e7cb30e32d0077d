import java.util.List;

/** The stock of a seed bank with its indexes. */
interface Vault {
    void add(String line);

    void withdraw(int id);

    int size();

    /** Accessions of a genus that are still there. */
    List<Accession> genus(String genus);

    /** Expected germination of an accession in a year, in per mille. */
    int germination(int id, int year);
}
