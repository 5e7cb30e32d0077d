import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.lingala.zip4j.ZipFile;
import net.lingala.zip4j.progress.ProgressMonitor;

/** Adds a file to each of many archives, in a thread of the archive. */
final class ZipTasks {
    private static final int ARCHIVES = 60;

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("zips");
        Path text = Files.writeString(folder.resolve("text"), "text ".repeat(1000));
        List<ZipFile> kept = new ArrayList<>();
        List<Path> files = new ArrayList<>(List.of(text));
        for (int i = 0; i < ARCHIVES; i++) {
            files.add(folder.resolve(i + ".zip"));
            var zip = new ZipFile(files.get(i + 1).toFile());
            zip.setRunInThread(true);
            zip.setThreadFactory(ZipTasks::daemon);
            zip.addFile(text.toFile());
            while (zip.getProgressMonitor().getState() == ProgressMonitor.State.BUSY) {
                Thread.sleep(1);
            }
            kept.add(zip);
        }
        Use.print(kept);
        files.add(folder);
        files.stream().map(Path::toFile).forEach(File::delete);
    }

    private static Thread daemon(Runnable work) {
        var thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }
}
