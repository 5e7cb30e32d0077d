import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

final class LabelsBase implements Labels {
    private final Configuration configuration = configure();

    private static Configuration configure() {
        StringTemplateLoader loader = new StringTemplateLoader();
        loader.putTemplate("label", LABEL);
        Configuration c = new Configuration(Configuration.VERSION_2_3_32);
        c.setTemplateLoader(loader);
        c.setLocale(Locale.ENGLISH);
        return c;
    }

    @Override public String label(Exhibit exhibit) throws Exception {
        Map<String, Object> model = new HashMap<>();
        model.put("house", "Museum of the Old Town");
        model.put("opening", "open from ten to six");
        model.put("exhibit", exhibit);
        Template template = configuration.getTemplate("label");
        StringWriter out = new StringWriter();
        template.process(model, out);
        return out.toString();
    }
}
