package buto.probes.jfr;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * One recording, read by a thread of its own. A damaged event can have a negative size, which leads the JDK's parser back
 * to an earlier place, so that it never ends. Such a reading is given up, and the next file is read.
 */
final class Reading {
    /** How the recordings of async-profiler begin, which do not tell class loaders. */
    private static final String OF_PROFILER = "profiler-";

    /** What an event has at least: its size, its type and its time. */
    private static final long SMALLEST_EVENT = 8;

    private final Path file;
    private final double betweenSamples;
    private Recorded recorded;
    private long events;
    private String failure = "";
    private boolean hasEnded;

    private Reading(Path file, double betweenSamples) {
        this.file = file;
        this.betweenSamples = betweenSamples;
        recorded = empty();
    }

    static Reading start(Path file, double betweenSamples) {
        Reading reading = new Reading(file, betweenSamples);
        Thread thread = new Thread(reading::run, "reading " + file);
        thread.setDaemon(true);
        thread.start();
        return reading;
    }

    /** Waits for the end, as long as there is an event in each so many seconds. */
    synchronized void await(long seconds) throws InterruptedException {
        long seen = -1;
        long deadline = 0;
        while (!hasEnded) {
            if (events != seen) {
                seen = events;
                deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                end("no further event could be read within " + seconds + " s");
            } else {
                wait(left);
            }
        }
    }

    /** Prints what was read up to now. */
    synchronized void print(PrintWriter out) {
        recorded.print(file.toString(), failure, out);
    }

    private void run() {
        String why = "the reader failed";
        try (RecordingFile recording = new RecordingFile(file)) {
            long most = Files.size(file) / SMALLEST_EVENT;
            while (recording.hasMoreEvents() && add(recording.readEvent(), most)) {}
            why = "";
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError error) {
            // A damaged file makes the parser fail in many ways; what was read before stays.
            why = error.getClass().getSimpleName() + ": " + error.getMessage();
        } finally {
            end(why);
        }
    }

    /** Returns whether the reading goes on. */
    private synchronized boolean add(RecordedEvent event, long most) {
        if (hasEnded) {
            return false;
        }
        events++;
        if (events > most) {
            // Some were counted again and again, so none of the sums is right.
            recorded = empty();
            end("more events than there is room for");
            return false;
        }
        recorded.add(event);
        return true;
    }

    private Recorded empty() {
        return new Recorded(file.getFileName().toString().startsWith(OF_PROFILER), betweenSamples);
    }

    private synchronized void end(String why) {
        if (!hasEnded) {
            hasEnded = true;
            failure = why;
            notifyAll();
        }
    }
}
