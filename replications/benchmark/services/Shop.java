package com.acme.shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Lists orders from a database. Each change of {@code changes.yaml} is in a method of its own. */
@SpringBootApplication
@RestController
public class Shop {
    private static final String WAREHOUSE = "jdbc:h2:mem:warehouse;DB_CLOSE_DELAY=-1";
    private static final int ORDERS = 50;

    private final JdbcTemplate database;
    private final ExecutorService journal = Executors.newSingleThreadExecutor();
    private final LongAdder written = new LongAdder();
    private final Map<Integer, Object> visits = new ConcurrentHashMap<>();

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    public Shop(JdbcTemplate database) throws SQLException {
        this.database = database;
        database.execute("create table orders (id int primary key, customer int)");
        database.execute("create table customers (id int primary key, name varchar(50))");
        database.update("insert into customers select x, 'customer ' || x from system_range(1, ?)", ORDERS);
        database.update("insert into orders select x, x from system_range(1, ?)", ORDERS);
        try (Connection connection = DriverManager.getConnection(WAREHOUSE, "sa", "")) {
            connection.createStatement().execute("create table stock as select 7 as number");
        }
    }

    @GetMapping("/orders")
    public List<String> orders(@RequestParam("word") String word) throws SQLException {
        remember(visits.size());
        write(word);
        int stock = stock();
        Map<Integer, String> customers = customers();
        return database.query("select id, customer from orders", (row, number) -> row.getInt(1) + "," + row.getInt(2)).stream()
                .map(order -> order.split(","))
                .map(order -> label(order[0], nameOf(Integer.parseInt(order[1]), customers), stock))
                .filter(line -> matches(line, word))
                .toList();
    }

    private Map<Integer, String> customers() {
        Map<Integer, String> names = new HashMap<>();
        database.query("select id, name from customers", row -> {
            names.put(row.getInt(1), row.getString(2));
        });
        return names;
    }

    private String nameOf(int customer, Map<Integer, String> customers) {
        return customers.get(customer);
    }

    private void remember(int visit) {
        visits.put(visit % 10, new byte[16_384]);
    }

    private String label(String order, String name, int stock) {
        return order + " of " + name + ", " + stock + " left";
    }

    private void write(String word) {
        journal.execute(() -> written.add(word.length()));
    }

    private int stock() throws SQLException {
        try (Connection connection = DriverManager.getConnection(WAREHOUSE, "sa", "")) {
            return numberIn(connection);
        }
    }

    private int numberIn(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select number from stock");
                ResultSet rows = query.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private boolean matches(String line, String word) {
        return line.contains(word);
    }
}
