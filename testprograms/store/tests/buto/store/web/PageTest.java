package buto.store.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("component")
class PageTest {
    private static final Page PAGE = new Page();
    private static final String EXPECTED =
            "<!doctype html><title>Sale</title><ul><li id=\"product-1\">Pots &amp; pans: 12.50</li></ul>";
    private static final int WARM_UP = 5000;
    private static final int TIMES = 20000;

    @BeforeAll
    static void warmUp() {
        render(WARM_UP);
    }

    @Test
    void render() {
        assertEquals(EXPECTED, render(TIMES));
    }

    private static String render(int times) {
        String page = "";
        for (int time = 0; time < times; time++) {
            page = PAGE.render("Sale", "1;Pots & pans;1250");
        }
        return page;
    }
}
