package buto.probes.heap;

import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import shark.ApplicationLeak;
import shark.CloseableHeapGraph;
import shark.HeapAnalysis;
import shark.HeapAnalysisFailure;
import shark.HeapAnalysisSuccess;
import shark.HeapAnalyzer;
import shark.HeapGraph;
import shark.HprofHeapGraph;
import shark.HprofHeapGraph.Companion;
import shark.LeakTrace;
import shark.LeakTraceReference;
import shark.LeakingObjectFinder;
import shark.MetadataExtractor;
import shark.OnAnalysisProgressListener;

/**
 * Prints what holds objects of a class in a heap dump: the shortest paths from a root, by LeakCanary's shark. Its
 * jars are the user's; buto has none of them.
 *
 * <p>Usage: {@code Main DUMP CLASS}. Of many objects some are drawn. The first line is {@code drawn NUMBER}. Paths that
 * differ by objects only are one: a line is {@code path NUMBER ROOT}, with how many of the drawn objects are held so, and
 * each of its steps follows as {@code step KIND CLASS FIELD}; all separated by tabs.
 */
public final class Main {
    private static final int NO_DEFAULTS_FOR_FILE = 6;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        File dump = new File(arguments[0]);
        try (CloseableHeapGraph graph = Companion.openHeapGraph$default(
                HprofHeapGraph.Companion, dump, null, null, NO_DEFAULTS_FOR_FILE, null)) {
            Drawn drawn = Drawn.of(graph, arguments[1]);
            out.println("drawn\t" + drawn.ids().size());
            if (!drawn.ids().isEmpty()) {
                print(analyze(dump, graph, drawn.ids()), out);
            }
        }
        out.flush();
    }

    private static HeapAnalysisSuccess analyze(File dump, HeapGraph graph, Set<Long> ids) {
        OnAnalysisProgressListener nobody = step -> { };
        LeakingObjectFinder drawn = any -> ids;
        MetadataExtractor nothing = any -> Collections.<String, String>emptyMap();
        HeapAnalysis analysis = new HeapAnalyzer(nobody)
                .analyze(dump, graph, drawn, Weak.matchers(), false, Collections.emptyList(), nothing);
        if (analysis instanceof HeapAnalysisFailure) {
            throw new IllegalStateException(((HeapAnalysisFailure) analysis).getException());
        }
        return (HeapAnalysisSuccess) analysis;
    }

    private static void print(HeapAnalysisSuccess analysis, PrintStream out) {
        List<ApplicationLeak> found = analysis.getApplicationLeaks();
        for (ApplicationLeak leak : found) {
            LeakTrace trace = leak.getLeakTraces().get(0);
            out.println("path\t" + leak.getLeakTraces().size() + "\t" + trace.getGcRootType().name());
            for (Iterator<LeakTraceReference> steps = trace.getReferencePath().iterator(); steps.hasNext(); ) {
                LeakTraceReference step = steps.next();
                out.println("step\t" + step.getReferenceType().name() + "\t" + step.getOwningClassName() + "\t"
                        + step.getReferenceName());
            }
        }
    }
}
