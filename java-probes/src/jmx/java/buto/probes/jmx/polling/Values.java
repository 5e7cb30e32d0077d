package buto.probes.jmx.polling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.management.MBeanAttributeInfo;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.TabularData;
import javax.management.openmbean.TabularType;

/** The numbers inside an attribute's value. */
final class Values {
    interface Sink {
        void number(String name, double value);
    }

    private static final Set<String> NUMERIC = new HashSet<>(Arrays.asList(
            "byte", "short", "int", "long", "float", "double", "boolean", "java.lang.Byte",
            "java.lang.Short", "java.lang.Integer", "java.lang.Long", "java.lang.Float",
            "java.lang.Double", "java.lang.Boolean", "java.lang.Number", "java.math.BigInteger",
            "java.math.BigDecimal", "java.util.concurrent.atomic.AtomicInteger",
            "java.util.concurrent.atomic.AtomicLong"));

    private Values() {}

    /** The columns that an attribute certainly has by its declared type, as {@link #flatten} names them. */
    static void declare(String name, MBeanAttributeInfo info, Consumer<String> columns) {
        if (info instanceof OpenMBeanAttributeInfo) {
            declare(name, ((OpenMBeanAttributeInfo) info).getOpenType(), columns);
        } else if (NUMERIC.contains(info.getType())) {
            columns.accept(name);
        }
    }

    private static void declare(String name, OpenType<?> type, Consumer<String> columns) {
        if (type instanceof CompositeType) {
            CompositeType members = (CompositeType) type;
            members.keySet().forEach(key -> declare(name + "." + key, members.getType(key), columns));
        } else if (NUMERIC.contains(type.getTypeName())) {
            columns.accept(name);
        }
    }

    /** Whether values of an attribute may have numbers in them. */
    static boolean mayHaveNumbers(MBeanAttributeInfo info) {
        Object type = info instanceof OpenMBeanAttributeInfo ? ((OpenMBeanAttributeInfo) info).getOpenType() : null;
        return NUMERIC.contains(info.getType())
                || info.getType().equals("java.lang.Object")
                || info.getType().startsWith("javax.management.openmbean.")
                || type instanceof CompositeType
                || type instanceof TabularType;
    }

    /**
     * Numbers and truth values as they are, {@code .member} for each of composite data,
     * {@code [key].member} for each of a row of tabular data. All else is left out.
     *
     * @return whether there was any number
     */
    static boolean flatten(String name, Object value, Sink sink) {
        if (value instanceof Number) {
            sink.number(name, ((Number) value).doubleValue());
            return true;
        }
        if (value instanceof Boolean) {
            sink.number(name, (Boolean) value ? 1 : 0);
            return true;
        }
        if (value instanceof CompositeData) {
            return members(name, (CompositeData) value, new HashSet<>(), sink);
        }
        if (value instanceof TabularData) {
            return rows(name, (TabularData) value, sink);
        }
        return false;
    }

    private static boolean members(String name, CompositeData data, Set<String> except, Sink sink) {
        boolean any = false;
        for (String member : data.getCompositeType().keySet()) {
            if (!except.contains(member)) {
                any |= flatten(name + "." + member, data.get(member), sink);
            }
        }
        return any;
    }

    private static boolean rows(String name, TabularData table, Sink sink) {
        List<String> index = table.getTabularType().getIndexNames();
        Set<String> inKey = new HashSet<>(index);
        boolean any = false;
        for (Object row : (Collection<?>) table.values()) {
            CompositeData data = (CompositeData) row;
            List<String> key = new ArrayList<>();
            for (String part : index) {
                key.add(String.valueOf(data.get(part)));
            }
            any |= members(name + "[" + String.join(",", key) + "]", data, inKey, sink);
        }
        return any;
    }
}
