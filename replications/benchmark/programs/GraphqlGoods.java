import graphql.GraphQL;
import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import java.util.ArrayList;
import java.util.Map;

/** Answers a query for three fields of a thousand goods several times. */
final class GraphqlGoods {
    private static final int GOODS = 1_000;
    private static final int QUERIES = 20;

    public static void main(String[] args) throws Exception {
        var goods = new ArrayList<Map<String, Object>>();
        for (int i = 0; i < GOODS; i++) {
            goods.add(Map.of("name", "good " + i, "price", i, "stock", 7));
        }
        var types = new SchemaParser()
                .parse("type Query { goods: [Good] } type Good { name: String price: Int stock: Int }");
        var wiring = RuntimeWiring.newRuntimeWiring()
                .type("Query", query -> query.dataFetcher("goods", environment -> goods))
                .build();
        var server = GraphQL.newGraphQL(new SchemaGenerator().makeExecutableSchema(types, wiring))
                .build();
        for (int i = 0; i < QUERIES; i++) {
            if (!server.execute("{ goods { name price stock } }").getErrors().isEmpty()) {
                throw new IllegalStateException("the query must have an answer");
            }
        }
        Use.print(server);
    }
}
