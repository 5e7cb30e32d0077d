import java.util.List;
import javax.sql.DataSource;

/** Where the clinic takes its connections from. */
interface Sources extends AutoCloseable {
    /** Opens what is needed for the given sites. */
    void open(List<String> sites);

    /** The data source for the appointments of a site. */
    DataSource site(String site);

    /** Sends the claims of an insurer; gives back their sum in cents. */
    long claims(String insurer) throws Exception;

    /** The occupied minutes of a ward on the whole. */
    long ward(int ward) throws Exception;

    @Override void close();
}
