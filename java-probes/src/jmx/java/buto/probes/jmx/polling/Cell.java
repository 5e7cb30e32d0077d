package buto.probes.jmx.polling;

import java.util.HashSet;
import java.util.Set;
import javax.management.MBeanAttributeInfo;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** Stores the value of one attribute in the row. */
interface Cell {
    /** @return false if no later value of the attribute can have a number either */
    boolean store(Object value);

    /** Set the reason why there is no value. */
    void explain(String reason);

    /** The column of a default property: a non-negative number, or such a member of composite data. */
    final class Metric implements Cell {
        private final Columns columns;
        private final int column;
        private final String member;
        private final double scale;

        Metric(Columns columns, int column, String member, double scale) {
            this.columns = columns;
            this.column = column;
            this.member = member;
            this.scale = scale;
        }

        @Override
        public boolean store(Object value) {
            Object number = member != null && value instanceof CompositeData
                    ? ((CompositeData) value).get(member) : value;
            if (number instanceof Number && ((Number) number).doubleValue() >= 0) {
                columns.set(column, ((Number) number).doubleValue() * scale);
            } else {
                explain("the JVM answers " + number + ": undefined");
            }
            return true;
        }

        @Override
        public void explain(String reason) {
            columns.explain(column, reason);
        }
    }

    /** The columns of a custom MBean's attribute, created as values are seen. */
    final class Custom implements Cell {
        private final Columns columns;
        private final String name;
        private final boolean asked;
        private final Set<Integer> own = new HashSet<>();

        /** @param asked requested by name, so that it has a column even if it is not a number */
        Custom(Columns columns, String name, boolean asked) {
            this.columns = columns;
            this.name = name;
            this.asked = asked;
        }

        /** Create the columns that are known before there is a value. */
        void declare(MBeanAttributeInfo info) {
            Values.declare(name, info, this::gauge);
        }

        @Override
        public boolean store(Object value) {
            boolean any = Values.flatten(name, value, this::set);
            if (!any && (asked || !own.isEmpty())) {
                explain(value == null ? "the attribute is null"
                        : "the attribute has no numbers, its type is " + value.getClass().getName());
            }
            return any || asked || !own.isEmpty() || value == null
                    || value instanceof CompositeData || value instanceof TabularData;
        }

        private void set(String name, double number) {
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                columns.explain(gauge(name), "is " + number);
            } else {
                columns.set(gauge(name), number);
            }
        }

        @Override
        public void explain(String reason) {
            if (asked && own.isEmpty()) {
                gauge(name);
            }
            own.forEach(column -> columns.explain(column, reason));
        }

        private int gauge(String name) {
            int column = columns.ofCustom(name);
            own.add(column);
            return column;
        }
    }
}
