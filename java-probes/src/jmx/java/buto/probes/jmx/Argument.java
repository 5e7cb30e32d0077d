package buto.probes.jmx;

/** Converts arguments of operations from the types of JSON to those that Java declares. */
final class Argument {
    private Argument() {}

    static Object convert(Object value, String type) {
        if (!(value instanceof Number)) {
            return value;
        }
        Number number = (Number) value;
        switch (type) {
            case "byte":
            case "java.lang.Byte":
                return number.byteValue();
            case "short":
            case "java.lang.Short":
                return number.shortValue();
            case "int":
            case "java.lang.Integer":
                return number.intValue();
            case "long":
            case "java.lang.Long":
                return number.longValue();
            case "float":
            case "java.lang.Float":
                return number.floatValue();
            case "double":
            case "java.lang.Double":
                return number.doubleValue();
            default:
                return value;
        }
    }
}
