package sun.management;

import java.util.List;

public interface VMManagement {
    long getStartupTime();

    long getUptime();

    List<String> getVmArguments();

    String getManagementVersion();

    boolean isBootClassPathSupported();

    String getBootClassPath();

    long getTotalClassCount();

    long getUnloadedClassCount();

    int getDaemonThreadCount();

    int getLiveThreadCount();

    long getTotalThreadCount();

    boolean isCompilationTimeMonitoringSupported();

    String getCompilerName();

    long getTotalCompileTime();
}
