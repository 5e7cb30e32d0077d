package buto.probes.agent.custom;

import javax.management.MBeanAttributeInfo;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.TabularType;

/** Which declared types of attributes hold numbers. */
final class NumericType {
    private static final String NUMERIC =
            " byte short int long float double boolean java.lang.Byte java.lang.Short java.lang.Integer"
                    + " java.lang.Long java.lang.Float java.lang.Double java.lang.Boolean java.lang.Number"
                    + " java.math.BigInteger java.math.BigDecimal java.util.concurrent.atomic.AtomicInteger"
                    + " java.util.concurrent.atomic.AtomicLong ";
    private static final String UNKNOWN =
            " java.lang.Object javax.management.openmbean.CompositeData"
                    + " javax.management.openmbean.CompositeDataSupport javax.management.openmbean.TabularData"
                    + " javax.management.openmbean.TabularDataSupport ";

    private NumericType() {}

    /** Whether every value of the type is a number or a truth value. */
    static boolean isNumeric(String type) {
        return NUMERIC.contains(" " + type + " ");
    }

    /** Whether values of the attribute are numbers, hold some, or may. */
    static boolean isPossible(MBeanAttributeInfo info) {
        if (info instanceof OpenMBeanAttributeInfo) {
            OpenType<?> type = ((OpenMBeanAttributeInfo) info).getOpenType();
            return type instanceof CompositeType
                    || type instanceof TabularType
                    || isNumeric(type.getTypeName());
        }
        return isNumeric(info.getType()) || UNKNOWN.contains(" " + info.getType() + " ");
    }
}
