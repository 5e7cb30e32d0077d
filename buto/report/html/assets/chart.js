// A large chart: band, training runs, checked runs, marks; zoom, logarithm, legend.

const MARKS = { collections: "garbage collections", notifications: "notifications" };
let charts = 0;

class Chart {
  constructor(panel, { height = 300 } = {}) {
    this.panel = panel;
    this.height = height;
    this.view = [...panel.span];
    this.log = false;
    this.hidden = new Set();
    this.id = `chart${(charts += 1)}`;
    this.beyond = panel.checked.map((curve) => outside(curve, panel.band));
    this.worst = Math.max(0, panel.findings.length ? panel.findings[0].run : 0);
    this.plot = element("div", { class: "plot", tabindex: "0", role: "img", "aria-label": this.description(),
      "aria-describedby": "keys", "aria-keyshortcuts": "ArrowLeft ArrowRight + - 0 L" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.announcement = element("p", { class: "spoken", "aria-live": "polite" });
    this.box = element("div", { class: "box" }, element("div", { class: "head" }, this.legend(), this.toolbar()), this.plot, this.announcement);
    this.cursor = new Cursor(this);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  description() {
    const { panel } = this;
    const [from, to] = panel.span.map((time) => formatQuantity(time, page.second));
    const training = panel.training.length ? `, ${panel.training.length} ${page.roles.known_runs}` : "";
    return `${panel.name}: ${panel.checked.length} ${page.roles.judged_runs}${training}, ${from} to ${to}. ${panel.tag}`;
  }

  toolbar() {
    const button = (label, text, act) => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.logButton = button("logarithmic axis (L)", "log", () => this.toggleLog());
    this.logButton.setAttribute("aria-pressed", "false");
    this.whole = button("whole run (0)", "whole run", () => this.reset());
    this.whole.disabled = true;
    return element("div", { class: "tools", role: "group", "aria-label": "view" },
      button("zoom in (+)", "+", () => this.zoom(0.5)), button("zoom out (-)", "−", () => this.zoom(2)),
      this.whole, this.logButton);
  }

  legend() {
    const { panel } = this;
    const entries = [];
    if (panel.band) entries.push(["band", panel.band_name]);
    if (panel.training.length) entries.push(["training", `${panel.training.length} ${page.roles.known_runs}`]);
    panel.checked.forEach((curve, i) => entries.push([`run${i}`, panel.checked.length > 1 ? `run ${i + 1}` : "this run"]));
    for (const [kind, text] of Object.entries(MARKS)) {
      if (panel.checked.some(({ run }) => run[kind].length)) entries.push([kind, text]);
    }
    if (panel.checked.some(({ run }) => run.spans.length)) entries.push(["spans", "marks"]);
    const list = element("div", { class: "legend", role: "group", "aria-label": "legend" });
    for (const [key, text] of entries) {
      const swatch = svg("svg", { class: `swatch ${key.replace(/\d+/, "")} ${key}`, viewBox: "0 0 22 12", "aria-hidden": "true" }, svg("path", { d: swatchPath(key) }));
      const entry = element("button", { type: "button", "aria-pressed": "true", title: "show or hide" }, swatch, text);
      entry.addEventListener("click", () => {
        this.hidden.has(key) ? this.hidden.delete(key) : this.hidden.add(key);
        entry.setAttribute("aria-pressed", String(!this.hidden.has(key)));
        this.draw();
      });
      list.append(entry);
    }
    if (panel.findings.some(({ strip }) => strip)) {
      list.append(element("span", {}, svg("svg", { class: "swatch beyond", viewBox: "0 0 22 12", "aria-hidden": "true" }, svg("path", { d: "M1 6H21" })), "outside"));
    }
    return list;
  }

  toggleLog() {
    this.log = !this.log;
    this.logButton.setAttribute("aria-pressed", String(this.log));
    this.draw();
  }

  reset() {
    this.show(this.panel.span);
  }

  // Zoom around the cursor, or the middle without one.
  zoom(factor) {
    const [from, to] = this.view;
    const around = this.cursor.time ?? (from + to) / 2;
    this.show([around - (around - from) * factor, around + (to - around) * factor]);
  }

  show([from, to]) {
    const [first, last] = this.panel.span;
    const least = (last - first) / 2000;
    [from, to] = [Math.max(first, from), Math.min(last, to)];
    if (to - from < least) return;
    this.view = [from, to];
    this.whole.disabled = from <= first && to >= last;
    this.draw();
  }

  draw() {
    const width = Math.max(240, this.plot.clientWidth || 600);
    const { panel, height, view, hidden } = this;
    const rows = Object.keys(MARKS).filter((kind) => !hidden.has(kind) && panel.checked.some(({ run }) => run[kind].length));
    const domain = limits(panel, view, this.log, hidden);
    const yTicks = (this.log ? logTicks : ticks)(domain, 6, panel.unit);
    const labels = yTicks.map((tick) => (panel.unit.kind === "count" ? formatNumber(tick) : formatQuantity(tick, panel.unit)));
    const left = 14 + Math.max(24, ...labels.map((label) => label.length * 6.6));
    const area = { left, right: width - 12, top: panel.findings.length ? 28 : 12, bottom: height - 24 - 14 * rows.length };
    const x = linear(view, [area.left, area.right]);
    const y = (this.log ? logarithmic : linear)(domain, [area.bottom, area.top]);
    this.area = area;
    this.x = x;
    this.y = y;
    this.rows = rows;
    const inside = svg("g", { "clip-path": `url(#${this.id})` });
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
      svg("clipPath", { id: this.id }, svg("rect", { x: area.left, y: 0, width: area.right - area.left + 6, height: area.bottom + 1 })),
      this.axes(yTicks, labels, width), inside, ...rows.map((kind, row) => this.marks(kind, area.bottom + 22 + 14 * row)));
    if (!hidden.has("spans")) inside.append(this.spans());
    if (panel.band && !hidden.has("band")) {
      inside.append(svg("path", { class: "band", d: areaPath(panel.band.times, panel.band.lower, panel.band.upper, x, y, area.bottom) }),
        svg("path", { class: "expected", d: linePath(panel.band.times, panel.band.expected, x, y) }));
    }
    for (const finding of panel.findings) {
      if (finding.strip) {
        const [start, end] = finding.strip.map(x);
        inside.append(svg("rect", { class: "window", x: start - 1, y: 2, width: Math.max(2, end - start + 2), height: 5, rx: 2 }));
      }
    }
    if (!hidden.has("training")) {
      const group = svg("g", { class: "training" });
      for (const curve of panel.training) group.append(svg("path", { d: linePath(curve.times, curve.values, x, y) }));
      inside.append(group);
    }
    panel.checked.forEach((curve, i) => {
      if (hidden.has(`run${i}`)) return;
      const kind = panel.checked.length > 1 && i !== this.worst ? "checked other" : "checked";
      inside.append(svg("path", { class: `${kind} run${i}`, d: linePath(curve.times, curve.values, x, y) }),
        svg("path", { class: `${kind} beyond`, d: linePath(curve.times, this.beyond[i], x, y) }));
    });
    for (const finding of panel.findings) {
      if (finding.at !== null && finding.observed !== null) inside.append(this.peak(finding));
      else if (finding.level) inside.append(this.level(finding));
    }
    this.plot.replaceChildren(root, this.tip);
    this.cursor.attach(root);
  }

  axes(yTicks, labels, width) {
    const { area, x, y, view } = this;
    const group = svg("g", { class: "axes" });
    yTicks.forEach((tick, i) => group.append(svg("line", { x1: area.left, x2: area.right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: area.left - 6, y: y(tick) + 4, "text-anchor": "end" }, labels[i])));
    for (const tick of ticks(view, Math.max(2, Math.floor(width / 90)), page.second)) {
      group.append(svg("line", { class: "tick", x1: x(tick), x2: x(tick), y1: area.bottom, y2: area.bottom + 4 }),
        svg("text", { x: Math.min(x(tick), width - 16), y: area.bottom + 15, "text-anchor": "middle" }, formatQuantity(tick, page.second)));
    }
    group.append(svg("line", { class: "base", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }));
    return group;
  }

  // Phases and faults as areas, moments as lines; their names in three rows, so that neighbours stay apart.
  spans() {
    const { area, x } = this;
    const group = svg("g", { class: "spans" });
    const { run } = this.panel.checked[this.worst] ?? this.panel.checked[0] ?? { run: { spans: [] } };
    run.spans.forEach(([start, end, name, text], i) => {
      const [left, right] = [Number(near(x(start))), Number(near(x(end)))];
      const said = svg("title", {}, text ? `${name}: ${text}` : name);
      group.append(start === end
        ? svg("line", { x1: left, x2: left, y1: area.top, y2: area.bottom }, said)
        : svg("rect", { x: left, width: Math.max(1, right - left), y: area.top, height: area.bottom - area.top }, said));
      group.append(svg("text", { x: Math.max(area.left, left) + 3, y: area.top + 11 + 12 * (i % 3) }, name));
    });
    return group;
  }

  marks(kind, top) {
    const group = svg("g", { class: `marks ${kind}` });
    const { run } = this.panel.checked[this.worst] ?? this.panel.checked[0];
    group.append(svg("text", { x: this.area.left - 6, y: top + 7, "text-anchor": "end" }, kind === "collections" ? "GC" : "notif."));
    for (const [time] of run[kind]) {
      if (time < this.view[0] || time > this.view[1]) continue;
      const at = this.x(time).toFixed(1);
      group.append(svg("path", { d: kind === "collections" ? `M${at} ${top - 2}v9` : `M${at} ${top - 2}l4 4.5-4 4.5-4-4.5Z` }));
    }
    return group;
  }

  // What the run was on average, beside the range in which it was expected.
  level({ window, observed, range: [low, high], change }) {
    const { x, y, area } = this;
    const [start, end] = (window ?? this.panel.span).map((time) => Math.max(area.left, Math.min(area.right, x(time))));
    const [upper, lower] = [high === null ? area.top : y(high), low === null || Number.isNaN(y(low)) ? area.bottom : y(low)];
    const top = y(observed);
    const above = this.isAbove(top, observed, low);
    return svg("g", { class: "peak level" },
      svg("rect", { x: start, width: Math.max(2, end - start), y: upper, height: Math.max(1.5, lower - upper) }),
      svg("line", { x1: start, x2: end, y1: top, y2: top }),
      svg("text", { x: end - 6, y: above ? top - 7 : top + 17, "text-anchor": "end" }, change));
  }

  // Where a label crosses least: above what is more than expected, below what is less.
  isAbove(top, observed, low) {
    const { area } = this;
    return low !== null && observed < low ? top > area.bottom - 28 : top > 24;
  }

  peak({ at, observed, range: [least], change }) {
    const [left, top] = [this.x(at), this.y(observed)];
    const before = left > (this.area.left + this.area.right) / 2;
    const above = this.isAbove(top, observed, least);
    return svg("g", { class: "peak" }, svg("circle", { cx: left, cy: top, r: 4.5 }),
      svg("text", { x: left + (before ? -9 : 9), y: top + (above ? -8 : 16), "text-anchor": before ? "end" : "start" }, change));
  }
}

function swatchPath(key) {
  if (key === "band") return "M1 2H21V10H1Z";
  if (key === "collections") return "M7 2v8M11 2v8M15 2v8";
  return key === "notifications" ? "M11 1l5 5-5 5-5-5Z" : "M1 6H21";
}
