package buto.probes.agent.custom;

import buto.probes.agent.channel.Columns;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.TabularData;

/**
 * One attribute or a member of one: a number with a column, or composite or tabular data with a node for every
 * member or row. Nodes and columns are created as values are seen.
 */
final class ValueNode {
    private static final int NOT_YET = -2;
    private static final String[] NO_INDEX = {};

    private final String name;
    private final LinkedHashMap<Object, ValueNode> children = new LinkedHashMap<Object, ValueNode>(4);
    private int column = NOT_YET;

    /**
     * Creates a node without a column.
     *
     * @param name the full name that its column would have
     */
    ValueNode(String name) {
        this.name = name;
    }

    /** Adds the node's column before it has a value. */
    void declare(Columns columns) {
        if (column == NOT_YET) {
            column = columns.addCustom(name);
        }
    }

    /** Adds a column for every member with a numeric type. */
    void declare(OpenType<?> type, Columns columns) {
        if (type instanceof CompositeType) {
            CompositeType members = (CompositeType) type;
            for (String key : members.keySet()) {
                ValueNode child = child(key, "." + key, columns);
                if (child != null) {
                    child.declare(members.getType(key), columns);
                }
            }
        } else if (NumericType.isNumeric(type.getTypeName())) {
            declare(columns);
        }
    }

    /** Sets the value of this node, or of all below it, in the current row. */
    void read(Object value, Columns columns) {
        if (value instanceof Number) {
            declare(columns);
            readNumber(((Number) value).doubleValue(), columns);
        } else if (value instanceof Boolean) {
            declare(columns);
            columns.set(column, ((Boolean) value).booleanValue() ? 1.0 : 0.0);
        } else if (value instanceof CompositeData) {
            readMembers((CompositeData) value, NO_INDEX, columns);
        } else if (value instanceof TabularData) {
            readRows((TabularData) value, columns);
        } else if (column != NOT_YET && !columns.isExplained(column)) {
            columns.unreadable(column, value == null ? "is null" : "is no number: " + value.getClass().getName());
        }
    }

    private void readNumber(double number, Columns columns) {
        if (number - number == 0) {
            columns.set(column, number);
        } else {
            columns.unreadable(column, "is " + number);
        }
    }

    private void readMembers(CompositeData data, String[] index, Columns columns) {
        for (String key : data.getCompositeType().keySet()) {
            if (!contains(index, key)) {
                ValueNode child = children.get(key);
                child = child == null ? child(key, "." + key, columns) : child;
                if (child != null) {
                    child.read(data.get(key), columns);
                }
            }
        }
    }

    private void readRows(TabularData data, Columns columns) {
        List<String> names = data.getTabularType().getIndexNames();
        String[] index = names.toArray(new String[0]);
        for (Object row : data.values()) {
            CompositeData members = (CompositeData) row;
            List<Object> key = Arrays.asList(members.getAll(index));
            ValueNode child = children.get(key);
            child = child == null ? child(key, rowSuffix(key), columns) : child;
            if (child != null) {
                child.readMembers(members, index, columns);
            }
        }
    }

    private static String rowSuffix(List<Object> key) {
        StringBuilder suffix = new StringBuilder("[");
        for (int i = 0; i < key.size(); i++) {
            suffix.append(i == 0 ? "" : ",").append(key.get(i));
        }
        return suffix.append(']').toString();
    }

    private static boolean contains(String[] names, String wanted) {
        for (String each : names) {
            if (each.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the node of a member; null for a new one if there is no room for another column. */
    private ValueNode child(Object key, String suffix, Columns columns) {
        ValueNode child = children.get(key);
        if (child == null && columns.hasRoom()) {
            child = new ValueNode(name + suffix);
            children.put(key, child);
        }
        return child;
    }

    /** Sets a reason for every value that the current row lacks, in this node and below. */
    void failed(Columns columns, String reason) {
        if (column != NOT_YET && columns.isMissing(column)) {
            columns.unreadable(column, reason);
        }
        for (ValueNode child : children.values()) {
            child.failed(columns, reason);
        }
    }
}
