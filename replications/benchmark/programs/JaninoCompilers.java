import org.codehaus.commons.compiler.ICompiler;
import org.codehaus.commons.compiler.util.resource.MapResourceCreator;
import org.codehaus.commons.compiler.util.resource.Resource;
import org.codehaus.commons.compiler.util.resource.StringResource;
import org.codehaus.janino.CompilerFactory;

import java.io.File;

/** Makes a compiler for each of some small classes. */
final class JaninoCompilers {
    private static final int CLASSES = 15;

    public static void main(String[] args) throws Exception {
        MapResourceCreator compiled = new MapResourceCreator();
        for (int i = 0; i < CLASSES; i++) {
            ICompiler compiler = new CompilerFactory().newCompiler();
            compiler.setClassPath(new File[0]);
            compiler.setClassFileCreator(compiled);
            String text = "package demo; class C" + i + " { int two() { return 2; } }";
            compiler.compile(new Resource[] {new StringResource("demo/C" + i + ".java", text)});
        }
        Use.print(compiled.getMap());
    }
}
