import org.jsoup.Jsoup;

/** Parses the same page of nested elements, attributes and text many times. */
final class JsoupParse {
    private static final int TIMES = 250;

    public static void main(String[] args) throws Exception {
        var text = new StringBuilder("<html><head><title>Goods</title></head><body>");
        for (int i = 0; i < 1_000; i++) {
            text.append("<div class=\"row odd\" id=r").append(i).append("><p>Goods &amp; prices <b>")
                    .append(i).append("</b><br><a href='/goods/").append(i)
                    .append("' title=\"see\">more &lt;</a><ul><li>one<li>two</ul></p></div>\n");
        }
        String page = text.append("</body></html>").toString();
        long elements = 0;
        for (int i = 0; i < TIMES; i++) {
            elements += Jsoup.parse(page).getAllElements().size();
        }
        System.out.println(elements);
        Use.print();
    }
}
