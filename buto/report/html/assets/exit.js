// What is counted at the exit only has no curve: a dot for each run, old above new.

const SVG = "http://www.w3.org/2000/svg";

function drawing(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The last value of each curve; null where some run has values at several times.
function exitValues(panel) {
  const known = (curve) => [...curve.values].filter(Number.isFinite);
  const [old, now] = [panel.training, panel.checked].map((curves) => curves.map(known));
  const all = [...old, ...now].filter((values) => values.length);
  if (!all.length || all.some((values) => values.length > 2)) return null;
  const last = (runs) => runs.filter((values) => values.length).map((values) => values[values.length - 1]);
  return { old: last(old), now: last(now) };
}

function exitDots(panel, { old, now }, labelled) {
  const [width, height] = labelled ? [640, 96] : [240, 76];
  const all = [...old, ...now];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const margin = labelled ? 70 : 12;
  const at = (value) => (high > low ? margin + ((value - low) / (high - low)) * (width - 2 * margin) : width / 2);
  const rows = [[old, "known", height * 0.28], [now, "new", height * 0.6]];
  const circles = rows.flatMap(([values, kind, y]) => values.map((value, i) =>
    drawing("circle", { class: kind, cx: at(value).toFixed(1), cy: (y + [-4, 4, -1, 3, 0][i % 5]).toFixed(1), r: labelled ? 7 : 5.5 },
      drawing("title", {}, formatQuantity(value, panel.unit)))));
  const names = labelled ? rows.map(([, , y], row) => drawing("text", { x: 0, y: y + 4 }, page.roles[["known", "judged"][row]])) : [];
  const ends = high > low ? [[low, "start"], [high, "end"]] : [[low, "middle"]];
  const ticks = ends.map(([value, anchor]) => drawing("text", { x: anchor === "start" ? margin / 2 : anchor === "end" ? width - margin / 2 : width / 2,
    y: height - 3, "text-anchor": anchor }, formatQuantity(value, panel.unit)));
  const frame = drawing("path", { class: "frame", d: `M${margin / 2},${height * 0.8}H${width - margin / 2}` });
  return drawing("svg", { class: "exit", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${panel.name} at the exit of each run: ${old.length} old, ${now.length} new` }, frame, ...circles, ...names, ...ticks);
}
