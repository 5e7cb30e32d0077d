// What the chart says at one moment: by pointer, by finger, by keys; and zooming by dragging.

class Cursor {
  constructor(chart) {
    this.chart = chart;
    this.time = null;
    this.pressed = null;
    const { plot } = chart;
    plot.addEventListener("pointermove", (event) => this.moved(event));
    plot.addEventListener("pointerdown", (event) => this.down(event));
    plot.addEventListener("pointerup", (event) => this.up(event));
    plot.addEventListener("pointercancel", () => this.release());
    plot.addEventListener("pointerleave", () => this.pressed === null && this.hide());
    plot.addEventListener("dblclick", () => chart.reset());
    plot.addEventListener("keydown", (event) => this.key(event));
    plot.addEventListener("blur", () => this.hide());
  }

  attach(root) {
    this.line = svg("line", { class: "cursor", visibility: "hidden" });
    this.dots = svg("g", { class: "dots" });
    this.near = svg("path", { class: "near", d: "" });
    this.range = svg("rect", { class: "range", visibility: "hidden" });
    root.append(this.near, this.line, this.dots, this.range);
    if (this.time !== null) this.show(this.time, null);
  }

  at(event) {
    const { area, plot, x, view } = this.chart;
    const box = plot.getBoundingClientRect();
    const left = Math.max(area.left, Math.min(area.right, event.clientX - box.left));
    return { time: Math.max(view[0], Math.min(view[1], x.back(left))), left, top: event.clientY - box.top };
  }

  down(event) {
    if (event.button) return;
    this.pressed = this.at(event).left;
    this.chart.plot.setPointerCapture(event.pointerId);
  }

  moved(event) {
    const { time, left, top } = this.at(event);
    if (this.pressed !== null && Math.abs(left - this.pressed) > 4) {
      const { area } = this.chart;
      for (const [key, value] of Object.entries({ x: Math.min(left, this.pressed), width: Math.abs(left - this.pressed),
        y: area.top, height: area.bottom - area.top, visibility: "visible" })) this.range.setAttribute(key, value);
    }
    this.show(time, top);
  }

  up(event) {
    const { left } = this.at(event);
    const start = this.pressed;
    this.release();
    if (start !== null && Math.abs(left - start) > 8) {
      this.chart.show([start, left].sort((a, b) => a - b).map(this.chart.x.back));
    }
  }

  release() {
    this.pressed = null;
    this.range.setAttribute("visibility", "hidden");
  }

  key(event) {
    const { chart } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1), ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.show(chart.view[0], null), End: () => this.show(chart.view[1], null),
      "+": () => chart.zoom(0.5), "=": () => chart.zoom(0.5), "-": () => chart.zoom(2), 0: () => chart.reset(),
      l: () => chart.toggleLog(), L: () => chart.toggleLog(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
    chart.announcement.textContent = this.time === null ? "" : this.rows(this.time).map((row) => row.slice(1).join(" ")).join("; ");
  }

  // To the next sample of the worst run, or of the band where no run was drawn.
  step(number) {
    const { panel, view, worst } = this.chart;
    const { times } = panel.checked[worst] ?? panel.training[0] ?? panel.band ?? { times: [] };
    if (!times.length) return;
    const from = this.time === null ? nearest(times, view[0]) - Math.sign(number) : nearest(times, this.time);
    const time = times[Math.max(0, Math.min(times.length - 1, from + number))];
    const [start, end] = viewWith(view, time);
    if (start !== view[0]) this.chart.show([start, end]);
    this.show(time, null);
  }

  show(time, top) {
    const { chart } = this;
    const { area, panel, x, y, hidden } = chart;
    this.time = time;
    const left = x(time);
    for (const [key, value] of Object.entries({ x1: left, x2: left, y1: area.top, y2: area.bottom, visibility: "visible" })) {
      this.line.setAttribute(key, value);
    }
    this.dots.replaceChildren();
    panel.checked.forEach((curve, i) => {
      const value = between(curve.times, curve.values, time);
      if (!hidden.has(`run${i}`) && !Number.isNaN(y(value))) {
        this.dots.append(svg("circle", { cx: left, cy: near(y(value)), r: 4, class: Number.isNaN(chart.beyond[i][nearest(curve.times, time)]) ? "" : "beyond" }));
      }
    });
    const nearby = top === null || hidden.has("training") ? null : this.nearby(time, top);
    this.near.setAttribute("d", nearby ? linePath(nearby.times, nearby.values, x, y) : "");
    const rows = this.rows(time);
    if (nearby) rows.push(["training", nearby.run.id, formatQuantity(between(nearby.times, nearby.values, time), panel.unit)]);
    chart.tip.replaceChildren(...rows.map(([kind, term, text]) => element("div", { class: kind }, element("span", {}, term), element("b", {}, text))));
    chart.tip.hidden = false;
    const wide = chart.tip.offsetWidth;
    const leftward = left + 14 + wide > chart.plot.clientWidth;
    chart.tip.style.left = `${Math.max(0, leftward ? left - wide - 14 : left + 14)}px`;
    // Where it hides least: away from the run that is asked about.
    const shown = panel.checked[chart.worst] ?? panel.training[0];
    const high = shown && y(between(shown.times, shown.values, time)) < (area.top + area.bottom) / 2;
    chart.tip.style.top = `${high ? Math.max(0, area.bottom - chart.tip.offsetHeight - 4) : area.top}px`;
  }

  hide() {
    this.time = null;
    this.chart.tip.hidden = true;
    this.line.setAttribute("visibility", "hidden");
    this.dots.replaceChildren();
    this.near.setAttribute("d", "");
  }

  // The training run that passes the pointer, within some pixels.
  nearby(time, top) {
    const { panel, y } = this.chart;
    let [best, least] = [null, 10];
    for (const curve of panel.training) {
      const distance = Math.abs(y(between(curve.times, curve.values, time)) - top);
      if (distance < least) [best, least] = [curve, distance];
    }
    return best;
  }

  rows(time) {
    const { panel, view, beyond } = this.chart;
    const quantity = (value) => formatQuantity(value, panel.unit);
    const rows = [["time", "at", formatQuantity(Math.abs(time) < 5e-4 ? 0 : Number(time.toFixed(3)), page.second)]];
    panel.checked.forEach((curve, i) => {
      const value = between(curve.times, curve.values, time);
      const out = Number.isNaN(beyond[i][nearest(curve.times, time)]) ? "" : ", outside";
      if (!Number.isNaN(value)) rows.push([out ? "checked beyond" : "checked", panel.checked.length > 1 ? `run ${i + 1}` : "this run", quantity(value) + out]);
    });
    if (panel.band) {
      const [low, high] = [between(panel.band.times, panel.band.lower, time), between(panel.band.times, panel.band.upper, time)];
      if (!Number.isNaN(low)) rows.push(["band", panel.band_name, quantity(low) === quantity(high) ? quantity(low) : `${quantity(low)} to ${quantity(high)}`]);
    }
    const training = panel.training.map((curve) => between(curve.times, curve.values, time)).filter((one) => !Number.isNaN(one)).sort((a, b) => a - b);
    if (training.length) {
      const [low, high] = [quantity(training[0]), quantity(training[training.length - 1])];
      rows.push(["training", page.roles.known, low === high ? low : `${low} to ${high}`]);
    }
    const { run } = panel.checked[this.chart.worst] ?? { run: { collections: [], notifications: [] } };
    const reach = (view[1] - view[0]) / 120;
    const close = (marks) => marks.filter(([at]) => Math.abs(at - time) < reach);
    const collected = close(run.collections).map(([, count, collector]) => (count > 1 ? `${count}× ${collector}` : collector));
    if (collected.length) rows.push(["collections", "GC", [...new Set(collected)].slice(0, 4).join(", ")]);
    for (const [, type, , message] of close(run.notifications).slice(0, 3)) rows.push(["notifications", type, message.slice(0, 80)]);
    return rows;
  }
}

// The view moved so that a time lies within.
function viewWith([from, to], time) {
  const shift = time < from ? time - from : time > to ? time - to : 0;
  return [from + shift, to + shift];
}
