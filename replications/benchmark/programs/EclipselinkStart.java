import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SharedCacheMode;
import jakarta.persistence.ValidationMode;
import jakarta.persistence.spi.ClassTransformer;
import jakarta.persistence.spi.PersistenceUnitInfo;
import jakarta.persistence.spi.PersistenceUnitTransactionType;
import jakarta.persistence.spi.TransformerException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.eclipse.persistence.jpa.PersistenceProvider;

/** Opens a persistence unit as a server does, which lets the library change the entities, stores a purchase and reads it. */
public final class EclipselinkStart {
    @Entity(name = "Article")
    public static class Article {
        @Id
        @GeneratedValue
        long id;

        @Column(length = 80)
        String name;

        int cents;
    }

    @Entity(name = "Item")
    public static class Item {
        @Id
        @GeneratedValue
        long id;

        @ManyToOne
        Article article;

        @ManyToOne
        Purchase purchase;

        int number;
    }

    @Entity(name = "Purchase")
    public static class Purchase {
        @Id
        @GeneratedValue
        long id;

        String customer;

        @OneToMany(mappedBy = "purchase")
        List<Item> items = new ArrayList<>();
    }

    public static void main(String[] args) throws Exception {
        URL classes = EclipselinkStart.class.getProtectionDomain().getCodeSource().getLocation();
        try (var server = new Server(classes)) {
            server.loadClass("EclipselinkStart").getMethod("open", Server.class).invoke(null, server);
        }
    }

    public static void open(Server server) throws Exception {
        Map<String, String> settings = Map.of(
                "jakarta.persistence.jdbc.url", "jdbc:h2:mem:shop",
                "jakarta.persistence.jdbc.driver", "org.h2.Driver",
                "jakarta.persistence.schema-generation.database.action", "create",
                "eclipselink.logging.level", "OFF");
        var provider = new PersistenceProvider();
        try (EntityManagerFactory unit = provider.createContainerEntityManagerFactory(new Unit(server), settings);
                EntityManager manager = unit.createEntityManager()) {
            manager.getTransaction().begin();
            var purchase = new Purchase();
            purchase.customer = "Ada";
            manager.persist(purchase);
            manager.getTransaction().commit();
            if (manager.createQuery("select p from Purchase p").getResultList().size() != 1) {
                throw new IllegalStateException("the purchase must be stored");
            }
            Use.ready();
            Use.print(unit, manager);
        }
    }

    /** Loads the application and lets the library change its classes. */
    public static final class Server extends URLClassLoader {
        public final URL classes;
        public final List<ClassTransformer> transformers = new ArrayList<>();

        Server(URL classes) {
            super(new URL[] {classes}, EclipselinkStart.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.matches("Use|EclipselinkStart.*") || name.endsWith("$Server")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? changed(name) : loaded;
            }
        }

        private Class<?> changed(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name + ".class")) {
                byte[] content = in.readAllBytes();
                for (ClassTransformer transformer : transformers) {
                    byte[] other = transformer.transform(this, name, null, null, content);
                    content = other == null ? content : other;
                }
                return defineClass(name, content, 0, content.length);
            } catch (IOException | TransformerException wrong) {
                throw new ClassNotFoundException(name, wrong);
            }
        }

        public Server copy() {
            return new Server(classes);
        }
    }

    private static final class Unit implements PersistenceUnitInfo {
        private final Server server;

        Unit(Server server) {
            this.server = server;
        }

        @Override
        public String getPersistenceUnitName() {
            return "shop";
        }

        @Override
        public String getPersistenceProviderClassName() {
            return PersistenceProvider.class.getName();
        }

        @Override
        public PersistenceUnitTransactionType getTransactionType() {
            return PersistenceUnitTransactionType.RESOURCE_LOCAL;
        }

        @Override
        public DataSource getJtaDataSource() {
            return null;
        }

        @Override
        public DataSource getNonJtaDataSource() {
            return null;
        }

        @Override
        public List<String> getMappingFileNames() {
            return List.of();
        }

        @Override
        public List<URL> getJarFileUrls() {
            return List.of();
        }

        @Override
        public URL getPersistenceUnitRootUrl() {
            return server.classes;
        }

        @Override
        public List<String> getManagedClassNames() {
            return Stream.of("Article", "Item", "Purchase").map(name -> "EclipselinkStart$" + name).toList();
        }

        @Override
        public boolean excludeUnlistedClasses() {
            return true;
        }

        @Override
        public SharedCacheMode getSharedCacheMode() {
            return SharedCacheMode.UNSPECIFIED;
        }

        @Override
        public ValidationMode getValidationMode() {
            return ValidationMode.NONE;
        }

        @Override
        public Properties getProperties() {
            return new Properties();
        }

        @Override
        public String getPersistenceXMLSchemaVersion() {
            return "3.0";
        }

        @Override
        public ClassLoader getClassLoader() {
            return server;
        }

        @Override
        public void addTransformer(ClassTransformer transformer) {
            server.transformers.add(transformer);
        }

        @Override
        public ClassLoader getNewTempClassLoader() {
            return server.copy();
        }
    }
}
