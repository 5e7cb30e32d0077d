import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;

/** Validates a polygon without holes, many times. */
final class JtsValid {
    private static final int TIMES = 1000;

    public static void main(String[] args) throws Exception {
        Geometry circle = new GeometryFactory().createPoint(new Coordinate(0, 0)).buffer(10, 200);
        int valid = 0;
        for (int i = 0; i < TIMES; i++) {
            valid += circle.isValid() ? 1 : 0;
        }
        Use.print(circle, valid);
    }
}
