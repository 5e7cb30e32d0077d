import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.mapdb.DB;
import org.mapdb.DBMaker;

/** Opens a database in a file, changes it and closes it, many times. */
final class MapdbCommits {
    private static final int TIMES = 30;

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("mapdb");
        File file = folder.resolve("db").toFile();
        for (int i = 0; i < TIMES; i++) {
            DB db = DBMaker.newFileDB(file).make();
            Map<Integer, String> map = db.getTreeMap("map");
            map.put(i, "value");
            db.commit();
            db.close();
        }
        Use.print();
        for (File each : folder.toFile().listFiles()) {
            each.delete();
        }
        Files.delete(folder);
    }
}
