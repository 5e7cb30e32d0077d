import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.datasource.unpooled.UnpooledDataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** Inserts many rows in batches within one session. */
final class MybatisBatches {
    private static final int ROWS = 12_000;
    private static final int BATCH = 10;

    interface Texts {
        @Insert("insert into texts values (#{text})")
        void add(String text);
    }

    public static void main(String[] args) throws Exception {
        DataSource source = new UnpooledDataSource("org.h2.Driver", "jdbc:h2:mem:texts;DB_CLOSE_DELAY=-1", null, null);
        try (var connection = source.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create table texts (text varchar)");
        }
        var configuration = new Configuration(new Environment("test", new JdbcTransactionFactory(), source));
        configuration.addMapper(Texts.class);
        SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(configuration);
        SqlSession session = factory.openSession(ExecutorType.BATCH);
        Texts texts = session.getMapper(Texts.class);
        for (int i = 1; i <= ROWS; i++) {
            texts.add("text " + i);
            if (i % BATCH == 0) {
                session.flushStatements();
            }
        }
        Use.print(session);
        session.close();
    }
}
