// A differential flame graph: stacks of the old and the new program merged, the root at the top. The width of
// a part is what its stacks sum up to, its colour whether that rose or fell.

const ROW = 21, MOST_ROWS = 80;
const kinds = JSON.parse(document.getElementById("data").textContent);

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function amount(value, unit) {
  if (unit === "By") {
    const steps = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = 0;
    while (Math.abs(value) >= 1024 && step < steps.length - 1) { value /= 1024; step += 1; }
    return `${Number(value.toPrecision(3))} ${steps[step]}`;
  }
  if (unit === "s") return Math.abs(value) < 1 ? `${Number((1000 * value).toPrecision(3))} ms` : `${Number(value.toPrecision(3))} s`;
  const noun = unit.replace(/[{}]/g, ""), plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return `${Number(value.toPrecision(3))} ${value === 1 ? noun : plural}`;
}

class FlameGraph {
  constructor(place) {
    this.kind = kinds[0];
    this.side = "new";
    this.words = "";
    this.choose = make("select", { "aria-label": "what was recorded" }, ...kinds.map((kind, number) => make("option", { value: number }, kind.title)));
    this.sides = make("select", { "aria-label": "width of the parts" },
      ...[["new", "width: new program"], ["old", "width: old program"], ["rise", "width: what rose"]].map(([value, text]) => make("option", { value }, text)));
    this.search = make("input", { type: "search", placeholder: "search methods", "aria-label": "search methods" });
    this.out = make("button", { type: "button" }, "zoom out");
    this.found = make("span", { class: "found", role: "status" });
    this.graph = make("div", { class: "flame", role: "tree", "aria-label": "flame graph; arrow keys move, Enter zooms in, Escape zooms out, / searches" });
    this.told = make("div", { class: "told", role: "status" });
    place.append(make("div", { class: "flame-bar" }, this.choose, this.sides, this.search, this.out, this.found), this.graph, this.told);
    this.choose.addEventListener("change", () => { this.kind = kinds[Number(this.choose.value)]; this.zoom(this.kind.root); });
    this.sides.addEventListener("change", () => { this.side = this.sides.value; this.zoom(this.kind.root); });
    this.search.addEventListener("input", () => { this.words = this.search.value.trim().toLowerCase(); this.mark(); });
    this.out.addEventListener("click", () => this.zoom(this.kind.root));
    this.graph.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.closest("input, select")) return;
      event.preventDefault();
      this.search.focus();
    });
    for (const kind of kinds) this.link(kind.root, null);
    this.zoom(this.kind.root);
  }

  link(part, above) {
    part.above = above;
    for (const below of part.parts) this.link(below, part);
    const rise = part.new - part.old, sum = (values) => values.reduce((one, other) => one + other, 0);
    // What rose in the parts, if anything did: a fall elsewhere must not hide it.
    part.rise = Math.max(rise, 0, sum(part.parts.map((below) => below.rise)));
    part.most = Math.max(Math.abs(rise), ...part.parts.map((below) => below.most));
  }

  // Shows a part over the whole width, with the parts above it.
  zoom(part) {
    this.top = part;
    this.rows = [];
    this.buttons = new Map();
    this.graph.replaceChildren();
    const chain = [];
    for (let above = part.above; above; above = above.above) chain.unshift(above);
    chain.forEach((above, row) => this.draw(above, row, 0, 1, true));
    this.lay(part, chain.length, 0, 1);
    this.graph.style.height = `${ROW * this.rows.length}px`;
    this.out.hidden = part === this.kind.root;
    this.mark();
    this.focus(part, false);
  }

  lay(part, row, left, width) {
    if (width < 0.0008 || row >= MOST_ROWS) return;
    this.draw(part, row, left, width, false);
    const whole = Math.max(part[this.side], part.parts.reduce((sum, below) => sum + below[this.side], 0));
    if (!(whole > 0)) return;
    let at = left;
    for (const below of part.parts) {
      const share = width * below[this.side] / whole;
      this.lay(below, row + 1, at, share);
      at += share;
    }
  }

  draw(part, row, left, width, faint) {
    const rise = part.new - part.old, most = this.kind.root.most || 1;
    const name = part.name || "all", short = name.replace(/^(?:[a-z_0-9]+\.)+(?=[A-Z(])/, "");
    const button = make("button", { type: "button", tabindex: "-1", role: "treeitem", "aria-level": row + 1, class: `${rise >= 0 ? "more" : "less"}${part.users ? " users" : ""}${faint ? " faint" : ""}`, title: this.text(part) }, short);
    button.setAttribute("aria-label", this.text(part));
    Object.assign(button.style, { left: `${100 * left}%`, width: `${100 * width}%`, top: `${ROW * row}px` });
    button.style.setProperty("--much", `${Math.round(100 * Math.sqrt(Math.min(1, Math.abs(rise) / most)))}%`);
    button.addEventListener("click", () => this.zoom(part));
    button.addEventListener("focus", () => this.tell(part));
    button.addEventListener("mouseenter", () => this.tell(part));
    this.graph.append(button);
    this.buttons.set(part, button);
    (this.rows[row] ||= []).push(part);
  }

  text(part) {
    const unit = this.kind.unit, rise = part.new - part.old;
    return `${part.name || "all"}: ${amount(part.old, unit)} before, ${amount(part.new, unit)} now (${rise < 0 ? "" : "+"}${amount(rise, unit)})`;
  }

  tell(part) {
    this.told.replaceChildren(make("b", {}, part.name || "all"), this.text(part).slice((part.name || "all").length));
  }

  mark() {
    let hits = 0;
    for (const [part, button] of this.buttons) {
      const hit = this.words !== "" && part.name.toLowerCase().includes(this.words);
      button.classList.toggle("hit", hit);
      hits += hit;
    }
    this.found.textContent = this.words === "" ? "" : `${hits} of ${this.buttons.size} parts`;
  }

  focus(part, really = true) {
    const button = this.buttons.get(part);
    if (!button) return;
    for (const other of this.buttons.values()) other.tabIndex = -1;
    button.tabIndex = 0;
    if (really) button.focus();
    this.tell(part);
    this.at = part;
  }

  key(event) {
    const beside = (step) => {
      const row = this.rows.find((parts) => parts.includes(this.at)) || [];
      return row[row.indexOf(this.at) + step];
    };
    const widest = () => this.at.parts.filter((below) => this.buttons.has(below)).sort((one, other) => other[this.side] - one[this.side])[0];
    const moves = { ArrowUp: () => this.at.above, ArrowDown: widest, ArrowLeft: () => beside(-1), ArrowRight: () => beside(1) };
    if (event.key === "Escape") this.zoom(this.kind.root);
    else if (event.key === "Enter" || event.key === " ") this.zoom(this.at);
    else if (moves[event.key]) { const next = moves[event.key](); if (next) this.focus(next); event.preventDefault(); return; }
    else return;
    event.preventDefault();
    this.focus(this.top);
  }
}

if (kinds.length) new FlameGraph(document.getElementById("flames"));
document.documentElement.dataset.drawn = "yes";
