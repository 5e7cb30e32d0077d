import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;

/** Validates an order of some hundred lines again and again with one schema, and keeps the schema. */
final class JsonSchemaValidate {
    private static final int VALIDATIONS = 50;
    private static final int LINES = 200;
    private static final String SCHEMA = "{'type': 'object', 'properties': {'lines': {'type': 'array', 'items': {'type': 'object',"
            + " 'properties': {'name': {'type': 'string'}, 'count': {'type': 'integer'}, 'price': {'type': 'number'}}}}}}";

    public static void main(String[] args) throws Exception {
        var mapper = new ObjectMapper();
        var schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V201909)
                .getSchema(SCHEMA.replace('\'', '"'));
        var order = mapper.createObjectNode();
        var lines = order.putArray("lines");
        for (int i = 0; i < LINES; i++) {
            lines.addObject().put("name", "good " + i).put("count", i).put("price", 1.5);
        }
        for (int i = 0; i < VALIDATIONS; i++) {
            if (!schema.validate(order).isEmpty()) {
                throw new IllegalStateException("the order must be valid");
            }
        }
        Use.print(schema, order);
    }
}
