import java.util.List;

/** Says how closely two people of a parish are related. */
interface Kinship {
    void setTree(Tree tree);

    /** The coefficient, in units of 2^-30. */
    long of(int a, int b);

    List<String> summary();
}
