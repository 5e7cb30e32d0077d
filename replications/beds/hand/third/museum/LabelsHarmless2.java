import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

final class LabelsHarmless2 implements Labels {
    private static final String NAME = "label";
    private final Configuration settings;

    LabelsHarmless2() {
        this.settings = create();
    }

    private static Configuration create() {
        StringTemplateLoader loader = new StringTemplateLoader();
        loader.putTemplate(NAME, LABEL);
        Configuration c = new Configuration(Configuration.VERSION_2_3_32);
        c.setTemplateLoader(loader);
        c.setLocale(Locale.ENGLISH);
        return c;
    }

    @Override public String label(Exhibit exhibit) throws Exception {
        Map<String, Object> model = new LinkedHashMap<>();
        model.put("house", "Museum of the Old Town");
        model.put("opening", "open from ten to six");
        model.put("exhibit", exhibit);
        Template template = settings.getTemplate(NAME);
        StringWriter out = new StringWriter();
        template.process(model, out);
        return out.toString();
    }
}
