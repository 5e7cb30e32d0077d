// A large chart: legend, zoom, logarithm, marks, and what it says at one moment by pointer, finger or key.

const MARKS = { collections: "garbage collections", notifications: "notifications" };
const KEYS = { ArrowLeft: [-1, -10], ArrowRight: [1, 10], Home: 0, End: 1, "+": 0.5, "=": 0.5, "-": 2 };

class Chart {
  constructor(panel, { height = 260, legend = false } = {}) {
    this.panel = panel;
    this.height = height;
    this.view = panel.span;
    this.log = false;
    this.hidden = new Set();
    this.time = null;
    this.plot = element("div", { class: "plot", tabindex: "0", role: "img", "aria-label": this.description(),
      "aria-describedby": "keys", "aria-keyshortcuts": "ArrowLeft ArrowRight + - 0 L" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.announcement = element("p", { class: "spoken", "aria-live": "polite" });
    this.box = element("div", { class: "box" }, element("div", { class: "head" }, legend ? this.legend() : "", this.toolbar()), this.plot, this.announcement);
    this.plot.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointerdown", "pointermove", "pointerup"]) this.plot.addEventListener(kind, (event) => this.finger(event));
    this.plot.addEventListener("blur", () => this.u.setCursor({ left: -10, top: -10 }));
    new ResizeObserver(() => this.u?.setSize({ width: this.width(), height })).observe(this.plot);
  }

  get u() {
    return this.plot.u;
  }

  width() {
    return Math.max(240, this.plot.clientWidth || 600);
  }

  description() {
    const { panel } = this;
    const [from, to] = panel.span.map((time) => formatQuantity(time, page.second));
    const training = panel.training.length ? `, ${panel.training.length} ${page.roles.known_runs}` : "";
    return `${panel.name}: ${panel.checked.length} ${page.roles.judged_runs}${training}, ${from} to ${to}. ${panel.tag}`;
  }

  toolbar() {
    this.logButton = button("logarithmic axis (L)", "log", () => this.toggleLog());
    this.logButton.setAttribute("aria-pressed", "false");
    this.whole = button("whole run (0)", "whole run", () => this.show(this.panel.span));
    this.whole.disabled = true;
    return element("div", { class: "tools", role: "group", "aria-label": "view" },
      button("zoom in (+)", "+", () => this.zoom(0.5)), button("zoom out (-)", "−", () => this.zoom(2)), this.whole, this.logButton);
  }

  legend() {
    const { panel } = this;
    const entries = [];
    if (panel.band) entries.push(["band", panel.band_name]);
    if (panel.training.length) entries.push(["training", `${panel.training.length} ${page.roles.known_runs}`]);
    panel.checked.forEach((_, i) => entries.push([`run${i}`, this.called(i)]));
    for (const [kind, text] of Object.entries(MARKS)) {
      if (panel.checked.some(({ run }) => run[kind].length)) entries.push([kind, text]);
    }
    if (panel.checked.some(({ run }) => run.spans.length)) entries.push(["spans", "marks"]);
    const list = element("div", { class: "legend", role: "group", "aria-label": "legend" });
    for (const [key, text] of entries) {
      const entry = button("show or hide", "", () => {
        this.hidden.has(key) ? this.hidden.delete(key) : this.hidden.add(key);
        const show = !this.hidden.has(key);
        entry.setAttribute("aria-pressed", String(show));
        this.u.batch(() => this.u.series.forEach((one, i) => one.key === key && this.u.setSeries(i, { show })));
        this.redraw();
      });
      entry.removeAttribute("aria-label");
      entry.setAttribute("aria-pressed", "true");
      entry.append(element("i", { class: `swatch ${key}` }), text);
      list.append(entry);
    }
    if (panel.findings.some(({ strip }) => strip)) list.append(element("span", {}, element("i", { class: "swatch beyond" }), "outside"));
    return list;
  }

  called(i) {
    return this.panel.checked.length > 1 ? `run ${i + 1}` : "this run";
  }

  rows() {
    return Object.keys(MARKS).filter((kind) => !this.hidden.has(kind) && this.panel.checked.some(({ run }) => run[kind].length));
  }

  draw() {
    const { panel, log } = this;
    const { unit } = panel;
    this.u?.destroy();
    const axis = { stroke: () => colour("soft"), font: "11px system-ui, sans-serif", ticks: { show: false } };
    const written = (value) => (unit.kind === "count" ? formatNumber(value) : formatQuantity(value, unit));
    plotted(panel, this.plot, {
      width: this.width(), height: this.height, padding: [panel.findings.length ? 28 : 12, 14, 14 * this.rows().length, 0],
      scales: { x: { time: false, range: () => this.view },
        y: { distr: log ? 3 : 1, log: unit.kind === "bytes" ? 2 : 10, range: () => limits(panel, this.view, log, this.hidden) } },
      axes: [
        { ...axis, size: 24, gap: 2, space: 80, incrs: STEPS.seconds, grid: { show: false }, ticks: { size: 4, width: 1, stroke: () => colour("soft") },
          border: { show: true, width: 1, stroke: () => colour("soft") }, values: (_, splits) => splits.map((one) => formatQuantity(one, page.second)) },
        { ...axis, gap: 6, space: 40, incrs: STEPS[unit.kind], ...(log && { splits: (u, i, from, to) => powers(from, to, unit.kind), filter: (_, splits) => splits }), grid: { stroke: () => colour("line"), width: 1 },
          size: (_, values) => 14 + Math.max(24, ...(values ?? []).map((one) => (one ?? "").length * 6.6)),
          values: (_, splits) => splits.map((one) => (one === null ? "" : written(one))) },
      ],
      cursor: { y: false, drag: { x: true, y: false, dist: 8, setScale: false }, bind: { dblclick: () => () => this.show(panel.span) },
        points: { show: (u, i) => u.series[i].key?.startsWith("run") && this.dot(u.series[i]), size: 8 }, hover: { prox: 30 } },
      hooks: { drawClear: [(u) => this.hidden.has("spans") || this.spans(u)], draw: [(u) => this.overlay(u)], setCursor: [(u) => this.tell(u)],
        setSelect: [(u) => this.select(u)] },
    });
    this.u.over.append(this.tip);
  }

  redraw() {
    this.u.redraw(false);
  }

  dot({ beyond }) {
    return element("div", { class: beyond ? "dot beyond" : "dot" });
  }

  toggleLog() {
    this.log = !this.log;
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const { time } = this;
    this.draw();
    if (time !== null) this.go(time);
  }

  // Zoom around the cursor, or the middle without one.
  zoom(factor) {
    const [from, to] = this.view;
    const around = this.time ?? (from + to) / 2;
    this.show([around - (around - from) * factor, around + (to - around) * factor]);
  }

  select(u) {
    const { left, width } = u.select;
    if (width > 0) this.show([left, left + width].map((place) => u.posToVal(place, "x")));
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  // What uPlot does for a mouse: a tap says what is there, a drag zooms.
  finger({ type, pointerType, clientX, clientY }) {
    if (pointerType !== "touch") return;
    const { left: start, top, width, height } = this.u.over.getBoundingClientRect();
    const left = Math.max(0, Math.min(width, clientX - start));
    if (type === "pointerdown") this.pressed = left;
    const ends = [this.pressed, left].sort((one, other) => one - other);
    const range = { left: ends[0], width: ends[1] - ends[0], top: 0, height };
    this.u.setCursor({ left, top: clientY - top });
    if (range.width > 8) this.u.setSelect(range, type === "pointerup");
  }

  show([from, to]) {
    const [first, last] = this.panel.span;
    [from, to] = [Math.max(first, from), Math.min(last, to)];
    if (to - from < (last - first) / 2000) return;
    this.view = [from, to];
    this.whole.disabled = from <= first && to >= last;
    this.u.setScale("x", { min: from, max: to });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS[event.key];
    if (Array.isArray(act)) this.step(act[Number(event.shiftKey)]);
    else if (event.key === "Home" || event.key === "End") this.go(this.view[act]);
    else if (act) this.zoom(act);
    else if (event.key === "0") this.show(this.panel.span);
    else if (event.key.toLowerCase() === "l") this.toggleLog();
    else return;
    event.preventDefault();
    this.announcement.textContent = this.time === null ? "" : this.said(this.time).map((row) => row.slice(1).join(" ")).join("; ");
  }

  // To the next sample of the worst run, or of the band where no run was drawn.
  step(number) {
    const { panel, view } = this;
    const { times } = panel.worst ?? panel.training[0] ?? panel.band ?? { times: [] };
    if (!times.length) return;
    const from = this.time === null ? nearest(times, view[0]) - Math.sign(number) : nearest(times, this.time);
    const time = times[Math.max(0, Math.min(times.length - 1, from + number))];
    const shift = time < view[0] ? time - view[0] : time > view[1] ? time - view[1] : 0;
    if (shift) this.show([view[0] + shift, view[1] + shift]);
    this.go(time);
  }

  go(time) {
    this.time = time;
    // After uPlot has drawn what was changed before.
    queueMicrotask(() => {
      this.u.setCursor({ left: Math.max(0, Math.min(this.u.over.clientWidth, this.u.valToPos(time, "x"))), top: -1 });
      this.time = time;
    });
  }

  tell(u) {
    const { panel, tip } = this;
    const { left, top } = u.cursor;
    tip.hidden = !(left >= 0);
    this.time = tip.hidden ? null : u.posToVal(left, "x");
    const near = tip.hidden || top < 0 || this.hidden.has("training") ? null : this.nearby(u, this.time, top);
    if (near !== this.near) {
      this.near = near;
      for (const one of u.series) if (one.key === "training") [one.width, one.alpha] = one.curve === near ? [2, 1] : [1, 0.38];
      this.redraw();
    }
    if (tip.hidden) return;
    const rows = this.said(this.time);
    if (near) rows.push(["training", "nearest", formatQuantity(between(near.times, near.values, this.time), panel.unit)]);
    tip.replaceChildren(...rows.map(([kind, term, text]) => element("div", { class: kind }, element("span", {}, term), element("b", {}, text))));
    const [wide, width, height] = [tip.offsetWidth, u.over.clientWidth, u.over.clientHeight];
    const least = -u.over.offsetLeft;
    tip.style.left = `${Math.max(least, left + 14 + wide > width ? left - wide - 14 : left + 14)}px`;
    // Where it hides least: away from the run that is asked about.
    const shown = panel.worst ?? panel.training[0];
    const high = shown && u.valToPos(between(shown.times, shown.values, this.time), "y") < height / 2;
    tip.style.top = `${high ? Math.max(-u.over.offsetTop, height - tip.offsetHeight - 4) : 0}px`;
  }

  // The training run that passes the pointer, within some pixels.
  nearby(u, time, top) {
    let [best, least] = [null, 10];
    for (const curve of this.panel.training) {
      const distance = Math.abs(u.valToPos(between(curve.times, curve.values, time), "y") - top);
      if (distance < least) [best, least] = [curve, distance];
    }
    return best;
  }

  said(time) {
    const { panel, view } = this;
    const quantity = (value) => formatQuantity(value, panel.unit);
    const range = (low, high) => (quantity(low) === quantity(high) ? quantity(low) : `${quantity(low)} to ${quantity(high)}`);
    const rows = [["time", "at", formatQuantity(Math.abs(time) < 5e-4 ? 0 : Number(time.toFixed(3)), page.second)]];
    panel.checked.forEach((curve, i) => {
      const value = between(curve.times, curve.values, time);
      const out = Number.isNaN(panel.beyond[i][nearest(curve.times, time)]) ? "" : ", outside";
      if (!Number.isNaN(value)) rows.push([out ? "beyond" : "checked", this.called(i), quantity(value) + out]);
    });
    if (panel.band) {
      const [low, high] = [panel.band.lower, panel.band.upper].map((side) => between(panel.band.times, side, time));
      if (!Number.isNaN(low)) rows.push(["band", panel.band_name, range(low, high)]);
    }
    const training = panel.training.map((curve) => between(curve.times, curve.values, time)).filter((one) => !Number.isNaN(one));
    if (training.length) rows.push(["training", page.roles.known, range(Math.min(...training), Math.max(...training))]);
    const run = panel.worst?.run ?? { collections: [], notifications: [] };
    const close = (marks) => marks.filter(([at]) => Math.abs(at - time) < (view[1] - view[0]) / 120);
    const collected = close(run.collections).map(([, count, collector]) => (count > 1 ? `${count}× ${collector}` : collector));
    if (collected.length) rows.push(["collections", "GC", [...new Set(collected)].slice(0, 4).join(", ")]);
    for (const [, type, , message] of close(run.notifications).slice(0, 3)) rows.push(["notifications", type, message.slice(0, 80)]);
    return rows;
  }

  // A pen in the units of the page, with places of times and values, inside of the axes.
  pen(u) {
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const [left, top, width, height] = [bbox.left, bbox.top, bbox.width, bbox.height].map((one) => one / ratio);
    const area = { left, top, right: left + width, bottom: top + height };
    ctx.save();
    ctx.scale(ratio, ratio);
    ctx.lineWidth = 1;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "alphabetic";
    const clip = () => {
      ctx.beginPath();
      ctx.rect(left, 0, width + 6, area.bottom);
      ctx.clip();
    };
    return { ctx, area, clip, x: (time) => left + u.valToPos(time, "x"), y: (value) => top + u.valToPos(value, "y") };
  }

  // Phases and faults as areas, moments as lines; their names in three rows, so that neighbours stay apart.
  spans(u) {
    const { ctx, area, clip, x } = this.pen(u);
    clip();
    (this.panel.worst?.run.spans ?? []).forEach(([start, end, name], i) => {
      const [left, right] = [x(start), x(end)];
      ctx.fillStyle = ctx.strokeStyle = colour("soft");
      if (start === end) {
        ctx.setLineDash([3, 3]);
        rule(ctx, left, area.top, left, area.bottom);
      } else {
        ctx.globalAlpha = 0.1;
        ctx.fillRect(left, area.top, Math.max(1, right - left), area.bottom - area.top);
        ctx.globalAlpha = 1;
      }
      ctx.fillText(name, Math.max(area.left, left) + 3, area.top + 11 + 12 * (i % 3));
    });
    ctx.restore();
  }

  overlay(u) {
    const pen = this.pen(u);
    this.rows().forEach((kind, row) => this.marks(pen, kind, pen.area.bottom + 24 + 14 * row));
    pen.clip();
    for (const finding of this.panel.findings) {
      if (finding.strip) {
        const [start, end] = finding.strip.map(pen.x);
        pen.ctx.fillStyle = colour("beyond");
        pen.ctx.fillRect(start - 1, 3, Math.max(2, end - start + 2), 5);
      }
      if (finding.at !== null && finding.observed !== null) this.peak(pen, finding);
    }
    pen.ctx.restore();
  }

  marks({ ctx, area, x }, kind, top) {
    ctx.textAlign = "right";
    ctx.fillStyle = ctx.strokeStyle = colour("soft");
    ctx.fillText(kind === "collections" ? "GC" : "notif.", area.left - 6, top + 7);
    if (kind === "notifications") ctx.fillStyle = ctx.strokeStyle = colour("open");
    for (const [time] of this.panel.worst.run[kind]) {
      if (time < this.view[0] || time > this.view[1]) continue;
      if (kind === "collections") rule(ctx, x(time), top - 2, x(time), top + 7);
      else ctx.fill(new Path2D(`M${x(time)} ${top - 2}l4 4.5-4 4.5-4-4.5Z`));
    }
  }

  peak(pen, { at, observed, range: [least], change }) {
    const { ctx, x, y, area } = pen;
    const [left, top] = [x(at), y(observed)];
    ctx.strokeStyle = colour("beyond");
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.arc(left, top, 4.5, 0, 7);
    ctx.stroke();
    const before = left > (area.left + area.right) / 2;
    this.label(pen, change, left + (before ? -9 : 9), top + (this.isAbove(pen, top, observed, least) ? -8 : 16), before);
  }

  // Where a label crosses least: above what is more than expected, below what is less.
  isAbove({ area }, top, observed, low) {
    return low !== null && observed < low ? top > area.bottom - 28 : top > 24;
  }

  label({ ctx }, text, left, top, before) {
    ctx.font = "650 12px system-ui, sans-serif";
    ctx.textAlign = before ? "right" : "left";
    ctx.lineJoin = "round";
    ctx.lineWidth = 4;
    ctx.strokeStyle = colour("paper");
    ctx.fillStyle = colour("beyond");
    ctx.strokeText(text, left, top);
    ctx.fillText(text, left, top);
  }
}

function rule(ctx, left, top, right, bottom) {
  ctx.beginPath();
  ctx.moveTo(left, top);
  ctx.lineTo(right, bottom);
  ctx.stroke();
}
