import com.thoughtworks.xstream.mapper.CachingMapper;
import com.thoughtworks.xstream.mapper.DefaultMapper;
import com.thoughtworks.xstream.mapper.Mapper;
import com.thoughtworks.xstream.mapper.MapperWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Looks up classes of many class loaders by their names, and gives the class loaders up. */
final class XstreamRedeploy {
    private static final int LOADERS = 300;

    public static void main(String[] args) throws Exception {
        var mapper = new CachingMapper((Mapper) new Loaders());
        for (int i = 0; i < LOADERS; i++) {
            mapper.realClass("item-" + i);
        }
        Use.print(mapper);
    }

    /** What is stored. */
    static final class Item {}

    private static final class Loaders extends MapperWrapper {
        Loaders() {
            super((Mapper) new DefaultMapper(XstreamRedeploy.class.getClassLoader()));
        }

        public Class realClass(String name) {
            try (var code = Item.class.getResourceAsStream("XstreamRedeploy$Item.class")) {
                return new Loader().define(code.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] code) {
            return defineClass(null, code, 0, code.length);
        }
    }
}
