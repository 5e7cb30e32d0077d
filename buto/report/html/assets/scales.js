// From values to places, and where the ticks are.

function linear([from, to], [start, end]) {
  const factor = (end - start) / (to - from);
  const place = (value) => start + (value - from) * factor;
  place.back = (at) => from + (at - start) / factor;
  return place;
}

function logarithmic([from, to], range) {
  const place = linear([Math.log(from), Math.log(to)], range);
  const log = (value) => (value > 0 ? place(Math.log(value)) : NaN);
  log.back = (at) => Math.exp(place.back(at));
  return log;
}

// Round steps: powers of two of bytes, whole counts, minutes and hours of time, else 1, 2, 5.
function ticks([from, to], most, unit) {
  const rough = (to - from) / most;
  let step;
  if (unit.kind === "bytes") step = 2 ** Math.max(0, Math.ceil(Math.log2(rough)));
  else if (unit.kind === "seconds" && rough > 30) {
    step = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400].find((one) => one >= rough);
  }
  if (!step) {
    const power = 10 ** Math.floor(Math.log10(rough));
    step = power * [1, 2, 5, 10].find((one) => one * power >= rough * 0.999);
    if (unit.kind === "count") step = Math.max(1, step);
  }
  const found = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) {
    found.push(Number((n * step).toPrecision(12)));
  }
  return found;
}

function logTicks([from, to], most, unit) {
  const base = unit.kind === "bytes" ? 2 : 10;
  const [first, last] = [Math.log(from), Math.log(to)].map((one) => one / Math.log(base));
  const every = Math.max(1, Math.ceil((last - first) / most));
  const found = [];
  for (let n = Math.ceil(first / every) * every; n <= last; n += every) found.push(base ** n);
  return found.length > 1 ? found : ticks([from, to], most, unit).filter((one) => one > 0);
}

// Lowest and highest value to show of a panel between two times: the curves', and of a much wider band a part.
function limits(panel, [start, end], log, hidden = new Set()) {
  const fits = (value) => Number.isFinite(value) && (!log || value > 0);
  const extent = (times, columns) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < times.length; i++) {
      if (times[i] < start || times[i] > end) continue;
      for (const column of columns) {
        if (!fits(column[i])) continue;
        if (column[i] < low) low = column[i];
        if (column[i] > high) high = column[i];
      }
    }
    return [low, high];
  };
  const join = (extents) => extents.reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)], [Infinity, -Infinity]);
  const shown = [...(hidden.has("training") ? [] : panel.training), ...panel.checked];
  const curves = join(shown.map((curve) => extent(curve.times, [curve.values])));
  for (const finding of panel.findings) {
    const inView = finding.level || (finding.at !== null && finding.at >= start && finding.at <= end);
    for (const value of inView ? [finding.observed, ...(finding.level ? finding.range : [])] : []) {
      if (value !== null && fits(value)) [curves[0], curves[1]] = [Math.min(curves[0], value), Math.max(curves[1], value)];
    }
  }
  const band = panel.band && !hidden.has("band") ? extent(panel.band.times, [panel.band.lower, panel.band.upper]) : [Infinity, -Infinity];
  let [low, high] = curves[0] <= curves[1] ? curves : band;
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (log) {
    if (band[0] <= band[1]) [low, high] = [Math.min(low, Math.max(band[0], low / 2)), Math.max(high, Math.min(band[1], high * 2))];
    return [low / 1.15, Math.max(high * 1.15, low * 1.3)];
  }
  const span = Math.max(high - low, 0.1 * Math.abs(high), panel.unit.kind === "count" ? 2 : 0) || 1;
  const lowest = low;
  if (band[0] <= band[1]) {
    [low, high] = [Math.min(low, Math.max(band[0], low - span / 2)), Math.max(high, Math.min(band[1], high + span / 2))];
  }
  const lacking = Math.max(0, span - (high - low)) / 2;
  const least = panel.lowest === null ? -Infinity : Math.min(lowest, panel.lowest);
  return [Math.max(low - lacking - 0.08 * span, least), high + lacking + 0.08 * span];
}
