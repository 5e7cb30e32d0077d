package shark;

public interface OnAnalysisProgressListener {
    enum Step { PARSING_HEAP_DUMP }

    void onAnalysisProgress(Step step);
}
