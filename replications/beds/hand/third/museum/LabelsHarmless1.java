import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

final class LabelsHarmless1 implements Labels {
    private final Configuration configuration = configure();

    private static Configuration configure() {
        StringTemplateLoader loader = new StringTemplateLoader();
        loader.putTemplate("label", LABEL);
        Configuration c = new Configuration(Configuration.VERSION_2_3_32);
        c.setTemplateLoader(loader);
        c.setLocale(Locale.ENGLISH);
        return c;
    }

    private static Map<String, Object> model(Exhibit exhibit) {
        Map<String, Object> values = new HashMap<>();
        values.put("exhibit", exhibit);
        values.put("house", "Museum of the Old Town");
        values.put("opening", "open from ten to six");
        return values;
    }

    @Override public String label(Exhibit exhibit) throws Exception {
        Template template = configuration.getTemplate("label");
        StringWriter out = new StringWriter();
        template.process(model(exhibit), out);
        return out.toString();
    }
}
