// The page's numbers, decoded when they are first looked at.

const clocks = {};
for (const role of ["training", "checked"]) {
  clocks[role] = page[role].map((run, i) => decoded(run.times, page.lengths[role][i], page.clock));
}

const panels = page.panels.map((raw) => {
  let whole = null;
  return () => (whole ??= wholePanel(raw));
});

function wholePanel(raw) {
  const curves = (role) => raw[role].map((codes, i) => ({
    times: clocks[role][i], values: decoded(codes, clocks[role][i].length, raw.scale), run: page[role][i] }));
  const panel = { ...raw, training: curves("training"), checked: curves("checked"), band: null };
  if (raw.band) {
    const [lower, expected, upper] = raw.band.sides.map((side) => decoded(side, raw.band.n, raw.band.scale));
    panel.band = { times: decoded(raw.band.times, raw.band.n, raw.band.clock), lower, expected, upper };
  }
  panel.beyond = panel.checked.map((curve) => outside(curve, panel.band));
  panel.worst = panel.checked[Math.max(0, raw.findings.length ? raw.findings[0].run : 0)] ?? null;
  panel.span = timeSpan(panel);
  return panel;
}

function timeSpan({ training, checked, band }) {
  let [from, to] = [Infinity, -Infinity];
  for (const { times } of [...training, ...checked, ...(band ? [band] : [])]) {
    if (times.length) [from, to] = [Math.min(from, times[0]), Math.max(to, times[times.length - 1])];
  }
  // A run begins at zero, also where smoothing took its first samples.
  if (from > 0 && from < to / 4) from = 0;
  return from < to ? [from, to] : from === to ? [from - 0.5, to + 0.5] : [0, 1];
}

// The values of a curve that lie beyond its band, NaN in between.
function outside({ times, values }, band) {
  return values.map((value, i) => {
    if (!band) return NaN;
    const [low, high] = [between(band.times, band.lower, times[i]), between(band.times, band.upper, times[i])];
    return value > high + 1e-9 * Math.abs(high) || value < low - 1e-9 * Math.abs(low) ? value : NaN;
  });
}

// Index of the entry nearest to a time, -1 without any.
function nearest(times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && time - times[low - 1] <= times[low] - time ? low - 1 : low < times.length ? low : -1;
}

// The value on the line between two entries; the first or last just outside, NaN further away.
function between(times, values, time) {
  const n = times.length;
  const reach = n > 1 ? (2 * (times[n - 1] - times[0])) / n : 0;
  if (!n || time < times[0] - reach || time > times[n - 1] + reach) return NaN;
  time = Math.max(times[0], Math.min(times[n - 1], time));
  let at = nearest(times, time);
  if (times[at] > time) at -= 1;
  const next = Math.min(at + 1, n - 1);
  const width = times[next] - times[at];
  const share = width > 0 ? (time - times[at]) / width : 0;
  return share === 0 ? values[at] : values[at] + share * (values[next] - values[at]);
}
