// A panel as uPlot draws it: its series, its scales and its colours.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
const POWERS = Array.from({ length: 64 }, (_, power) => 2 ** power);
const DECADES = Array.from({ length: 30 }, (_, power) => [1, 2, 5].map((one) => Number(`${one}e${power - 12}`))).flat();
const LONG = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400, 864000, 8640000];
const STEPS = { bytes: POWERS, seconds: [...DECADES.filter((one) => one <= 30), ...LONG], number: DECADES, count: DECADES.filter((one) => one >= 1) };
const drawn = new Set();

function multiples(step, from, to) {
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

// Powers between two values, some six of them; round values where there are not two.
function powers(from, to, kind) {
  const log = kind === "bytes" ? Math.log2 : Math.log10;
  const every = Math.max(1, Math.ceil((log(to) - log(from)) / 6));
  const found = multiples(every, log(from), log(to)).map((power) => (kind === "bytes" ? 2 : 10) ** power);
  return found.length > 1 ? found : multiples(STEPS[kind].find((step) => step >= (to - from) / 6), from, to).filter((one) => one > 0);
}

// Columns for uPlot, and how each is drawn: the band's three, the training runs, each checked run and what of it is outside.
function columns(panel) {
  const tables = [];
  const series = [{}];
  const add = (times, values, options) => {
    tables.push([times, Array.from(values, (one) => (Number.isNaN(one) ? null : one))]);
    series.push({ spanGaps: false, points: { show: false }, ...options });
  };
  if (panel.band) {
    const [low, high] = limits(panel, panel.span, false);
    // Far beyond any edge, and no further: a canvas cannot draw what has no end.
    const near = (values) => values.map((one) => Math.max(low - 20 * (high - low), Math.min(high + 20 * (high - low), one)));
    const side = { key: "band", width: 0.6, stroke: () => colour("band") };
    add(panel.band.times, near(panel.band.upper), side);
    add(panel.band.times, near(panel.band.lower), side);
    add(panel.band.times, near(panel.band.expected), { key: "band", width: 1.2, stroke: () => colour("band"), dash: [3, 3] });
  }
  for (const curve of panel.training) {
    add(curve.times, curve.values, { key: "training", curve, width: 1, stroke: () => colour("training"), alpha: 0.38 });
  }
  panel.checked.forEach((curve, i) => {
    const other = curve !== panel.worst;
    const common = { key: `run${i}`, curve };
    add(curve.times, curve.values, { ...common, stroke: () => colour("checked"), width: other ? 1.2 : 1.8, alpha: other ? 0.65 : 1, dash: [, [6, 3], [2, 3]][i] });
    add(curve.times, panel.beyond[i], { ...common, beyond: true, stroke: () => colour("beyond"), width: other ? 1.6 : 2.6 });
  });
  // A gap reaches to the next entry of the same curve, whatever other curves have in between.
  return { data: tables.length ? uPlot.join(tables, tables.map(() => [2, 2])) : [[]], series };
}

function plotted(panel, place, options) {
  const { data, series } = columns(panel);
  const bands = panel.band ? [{ series: [1, 2], fill: () => colour("band-fill") }] : [];
  place.u = new uPlot({ series, bands, legend: { show: false }, ...options }, data, place);
  drawn.add(place.u);
}

// Colours are the reader's, and those of paper are others.
for (const query of ["print", "(prefers-color-scheme: dark)"]) {
  matchMedia(query).addEventListener("change", () => {
    for (const one of drawn) if (one.root.isConnected) one.redraw(false); else drawn.delete(one);
  });
}

// Lowest and highest value to show of a panel between two times: the curves', and of a much wider band a part.
function limits(panel, [start, end], log, hidden = new Set()) {
  const join = (values) => values.reduce(([low, high], one) =>
    (Number.isFinite(one) && (!log || one > 0) ? [Math.min(low, one), Math.max(high, one)] : [low, high]), [Infinity, -Infinity]);
  const inView = ({ times }, values) => values.filter((_, i) => times[i] >= start && times[i] <= end);
  const shown = [...(hidden.has("training") ? [] : panel.training), ...panel.checked];
  const curves = join([
    ...shown.flatMap((curve) => join(inView(curve, curve.values))),
    ...panel.findings.flatMap(({ at, observed }) => (at !== null && observed !== null && at >= start && at <= end ? [observed] : [])),
  ]);
  const { band } = panel;
  const wide = band && !hidden.has("band") ? join([...inView(band, band.lower), ...inView(band, band.upper)]) : [Infinity, -Infinity];
  let [low, high] = curves[0] <= curves[1] ? curves : wide;
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (log) {
    if (wide[0] <= wide[1]) [low, high] = [Math.min(low, Math.max(wide[0], low / 2)), Math.max(high, Math.min(wide[1], high * 2))];
    return [low / 1.15, Math.max(high * 1.15, low * 1.3)];
  }
  const span = Math.max(high - low, 0.1 * Math.abs(high), panel.unit.kind === "count" ? 2 : 0) || 1;
  const lowest = low;
  if (wide[0] <= wide[1]) {
    [low, high] = [Math.min(low, Math.max(wide[0], low - span / 2)), Math.max(high, Math.min(wide[1], high + span / 2))];
  }
  const lacking = Math.max(0, span - (high - low)) / 2;
  const least = panel.lowest === null ? -Infinity : Math.min(lowest, panel.lowest);
  return [Math.max(low - lacking - 0.08 * span, least), high + lacking + 0.08 * span];
}

// A small chart without axes; the style sheet stretches it over its card.
function miniature(panel, place) {
  const bare = { show: false };
  plotted(panel, place, {
    width: 240, height: 76, padding: [2, 1, 1, 1], cursor: bare, axes: [bare, bare],
    scales: { x: { time: false, range: () => panel.span }, y: { range: () => limits(panel, panel.span, false) } },
  });
}
