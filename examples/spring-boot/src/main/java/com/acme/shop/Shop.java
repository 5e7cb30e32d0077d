package com.acme.shop;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Sells ten products, and remembers who looked at which. */
@SpringBootApplication
@RestController
public class Shop {
    private static final int REMEMBERED_BYTES = 0;

    private final Map<Integer, Product> products = new ConcurrentHashMap<>();
    private final List<byte[]> visits = new CopyOnWriteArrayList<>();

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    public Shop() {
        IntStream.rangeClosed(1, 10).forEach(id -> products.put(id, new Product(id, "shoe " + id)));
    }

    @GetMapping("/products")
    public List<Product> all() {
        return List.copyOf(products.values());
    }

    @GetMapping("/products/{id}")
    public Product one(@PathVariable("id") int id) {
        visits.add(new byte[REMEMBERED_BYTES]);
        Product found = products.get(id);
        if (found == null) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND);
        }
        return found;
    }

    @GetMapping("/search")
    public List<Product> search(@RequestParam("word") String word) {
        return products.values().stream().filter(one -> one.name().contains(word)).toList();
    }

    @PostMapping("/products")
    public Product add(@RequestBody Product product) {
        products.put(product.id(), product);
        return product;
    }

    /** One product. */
    public record Product(int id, String name) {}
}
