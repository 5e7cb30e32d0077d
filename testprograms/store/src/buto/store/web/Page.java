package buto.store.web;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.util.Locale;

/** Makes pages of lists of products. */
public final class Page {
    private final Slowdown slowdown = Slowdown.of("Page.render");

    /** Returns HTML; each line is {@code id;name;cents}. */
    public String render(String title, String lines) {
        try (Span span = Tracer.component("Page.render")) {
            return slowdown.around(() -> html(title, lines));
        }
    }

    private static String html(String title, String lines) {
        StringBuilder page = new StringBuilder(4096);
        page.append("<!doctype html><title>").append(escaped(title)).append("</title><ul>");
        for (String line : lines.split("\n")) {
            String[] fields = line.split(";");
            if (fields.length == 3) {
                double price = Integer.parseInt(fields[2]) / 100.0;
                page.append(String.format(Locale.ROOT, "<li id=\"product-%s\">%s: %.2f</li>", escaped(fields[0]), escaped(fields[1]), price));
            }
        }
        return page.append("</ul>").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
