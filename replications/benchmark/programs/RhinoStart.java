import org.mozilla.javascript.Context;
import org.mozilla.javascript.Scriptable;

/** Makes the standard objects of a script, and evaluates it. */
final class RhinoStart {
    public static void main(String[] args) throws Exception {
        Context context = Context.enter();
        Scriptable scope = context.initStandardObjects();
        Object result = context.evaluateString(scope, "[3, 1, 2].sort().join()", "shop.js", 1, null);
        if (!"1,2,3".equals(result)) {
            throw new IllegalStateException("the script gave " + result);
        }
        Use.ready();
        Use.print(scope);
    }
}
