package shark;

import java.util.Map;

public interface MetadataExtractor {
    Map<String, String> extractMetadata(HeapGraph graph);
}
