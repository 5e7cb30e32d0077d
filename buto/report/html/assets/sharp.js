// uPlot draws for this resolution: fine enough for paper, whatever the screen is.
const devicePixelRatio = Math.max(2, window.devicePixelRatio);
