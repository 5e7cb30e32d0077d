package buto.probes.jmx.polling;

import java.io.IOException;
import java.rmi.MarshalException;
import java.rmi.UnmarshalException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * One MBean in a snapshot: one request for all its attributes, and the time it took. If one attribute makes the
 * request fail, each is requested separately from then on.
 */
final class Bean {
    final ObjectName name;
    private final Columns columns;
    private final int timeColumn;
    private final Map<String, List<Cell>> cells = new LinkedHashMap<>();
    private final Set<String> questioned = new HashSet<>();
    private boolean wasRead;
    private boolean alone;

    Bean(ObjectName name, Columns columns) {
        this.name = name;
        this.columns = columns;
        this.timeColumn = columns.of("buto.bean.time[" + name.getCanonicalName() + "]");
    }

    void add(String attribute, Cell cell) {
        cells.computeIfAbsent(attribute, unused -> new ArrayList<>()).add(cell);
    }

    /** Fill this bean's columns of the row. What fails stays NaN; only a lost connection throws. */
    void read(MBeanServerConnection server) throws IOException {
        long began = System.nanoTime();
        if (!cells.isEmpty()) {
            readCells(server);
        }
        columns.set(timeColumn, (System.nanoTime() - began) * 1e-9);
    }

    void explainAll(String reason) {
        cells.keySet().forEach(attribute -> explain(attribute, reason));
    }

    private void readCells(MBeanServerConnection server) throws IOException {
        try {
            if (!alone) {
                readTogether(server);
            }
            if (alone) {
                for (String attribute : attributes()) {
                    readAlone(server, attribute);
                }
            }
            wasRead = true;
        } catch (InstanceNotFoundException gone) {
            explainAll(wasRead ? "the MBean was unregistered" : "the MBean is not registered");
        } catch (JMException | RuntimeException failure) {
            explainAll(describe(failure));
        }
    }

    /** One attribute can make the whole request fail: it throws an Error, or its value cannot be sent. */
    private void readTogether(MBeanServerConnection server) throws IOException, JMException {
        Map<String, Object> values = new HashMap<>();
        try {
            for (Attribute answer : server.getAttributes(name, attributes()).asList()) {
                values.put(answer.getName(), answer.getValue());
            }
        } catch (RuntimeException | MarshalException | UnmarshalException oneOfThem) {
            alone = true;
            return;
        }
        for (String attribute : attributes()) {
            if (values.containsKey(attribute)) {
                store(attribute, values.get(attribute));
            } else if (questioned.add(attribute)) {
                question(server, attribute);
            }
        }
    }

    private void readAlone(MBeanServerConnection server, String attribute) throws IOException, JMException {
        try {
            store(attribute, server.getAttribute(name, attribute));
        } catch (InstanceNotFoundException gone) {
            throw gone;
        } catch (JMException | RuntimeException | MarshalException | UnmarshalException failure) {
            explain(attribute, describe(failure));
        }
    }

    private void store(String attribute, Object value) {
        List<Cell> wanted = cells.get(attribute);
        wanted.removeIf(cell -> !cell.store(value));
        if (wanted.isEmpty()) {
            cells.remove(attribute);
        }
    }

    private String[] attributes() {
        return cells.keySet().toArray(new String[0]);
    }

    /** getAttributes silently leaves out what fails; getAttribute says why. */
    private void question(MBeanServerConnection server, String attribute) throws IOException {
        try {
            server.getAttribute(name, attribute);
            explain(attribute, "it could not be read at every time");
        } catch (JMException | RuntimeException | MarshalException | UnmarshalException failure) {
            explain(attribute, describe(failure));
            if (innermost(failure) instanceof UnsupportedOperationException) {
                cells.remove(attribute);
            }
        }
    }

    private void explain(String attribute, String reason) {
        cells.get(attribute).forEach(cell -> cell.explain(reason));
    }

    /** Class and message of the innermost cause. */
    static String describe(Exception failure) {
        return innermost(failure).toString();
    }

    private static Throwable innermost(Throwable failure) {
        return failure.getCause() == null ? failure : innermost(failure.getCause());
    }
}
