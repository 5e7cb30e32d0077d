package buto.testprograms.classloading;

import buto.testprograms.launch.Arguments;
import buto.testprograms.launch.ExitAfter;
import buto.testprograms.launch.Ticker;

/** Deploys its component again at each interval, with classes that are never unloaded. */
public final class ClassLoading {
    private static volatile Component running = DeploymentLoader.deploy();

    private ClassLoading() {
    }

    public static void main(String[] line) {
        Arguments arguments = new Arguments(ClassLoading.class)
            .duration("interval", "100ms", "time between two deployments")
            .parse(line);
        ExitAfter.start(arguments.nanos("duration"), () -> "deployed " + running.generation() + " times");
        Ticker ticker = new Ticker(arguments.nanos("interval"));
        while (true) {
            ticker.await();
            Component next = DeploymentLoader.deploy();
            next.replace(running);
            running = next;
        }
    }
}
