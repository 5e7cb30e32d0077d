package buto.probes.agent;

import buto.probes.agent.channel.Inbox;
import java.io.IOException;
import java.io.RandomAccessFile;

/** The session file: where the collector listens, and how long the agent may wait. */
final class Session {
    static final int VERSION = 5;

    private static final int LARGEST_FILE = 8192;

    final String file;

    /** The directory of the lines to the collector. */
    final String lines;

    /** Where Flight Recorder writes what happens to virtual threads; null if nobody wants to know. */
    final String recording;

    final long gateNanos;
    final long exitNanos;

    private Session(String file, String text) throws IOException {
        this.file = file;
        if (number(text, "version", -1) != VERSION) {
            throw new IOException("unknown version");
        }
        lines = value(text, "lines");
        recording = value(text, "recording");
        gateNanos = number(text, "gate.ms", 1000) * 1000000L;
        exitNanos = number(text, "exit.ms", 500) * 1000000L;
        if (lines == null) {
            throw new IOException("no lines");
        }
    }

    /**
     * Reads a session file of lines {@code key=value}.
     *
     * @throws IOException if it cannot be read, lacks a value or has another version
     * @throws NumberFormatException if a value is not a number
     */
    static Session read(String file) throws IOException {
        byte[] bytes = new byte[LARGEST_FILE];
        int length = 0;
        RandomAccessFile stream = new RandomAccessFile(file, "r");
        try {
            int count;
            while ((count = stream.read(bytes, length, bytes.length - length)) > 0) {
                length += count;
            }
        } finally {
            stream.close();
        }
        return new Session(file, Inbox.text(bytes, 0, length));
    }

    private static long number(String text, String key, long otherwise) {
        String value = value(text, key);
        return value == null ? otherwise : Long.parseLong(value);
    }

    private static String value(String text, String key) {
        int begin = 0;
        while (begin < text.length()) {
            int end = text.indexOf('\n', begin);
            end = end < 0 ? text.length() : end;
            int equals = text.indexOf('=', begin);
            if (equals > begin && equals < end && text.substring(begin, equals).trim().equals(key)) {
                return text.substring(equals + 1, end).trim();
            }
            begin = end + 1;
        }
        return null;
    }
}
