// The history of tests: a card of each, and of the chosen one its curves, what changed, when and by whom.

const RESULTS = {
  p: "pass", r: "regression", c: "changed for the better", i: "inconclusive", e: "error", t: "oracle trained", a: "change accepted" };
const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [168, 56, 10, 20, 20];
const MOST_ROWS = 40;
const place = document.getElementById("history");

const tests = page.tests.map((raw) => {
  let whole = null;
  return () => (whole ??= wholeTest(raw));
});

function wholeTest(raw) {
  const read = ([codes, scale]) => decoded(codes, raw.n, scale);
  const commits = read(raw.commits);
  const days = read(raw.days);
  const builds = Array.from({ length: raw.n }, (_, i) => {
    const letter = raw.results[i];
    return { i, commit: page.commits[commits[i]] ?? null, day: dayText(raw.first + days[i]), letter: letter.toLowerCase(),
      dirty: letter !== letter.toLowerCase(), found: raw.found[i] ?? "" };
  });
  return { ...raw, builds, curves: raw.curves.map((curve) => ({ ...curve, values: read(curve.values) })) };
}

function dayText(day) {
  return new Date(day * 86400000).toISOString().slice(0, 10);
}

function isTraining({ letter }) {
  return letter === "t" || letter === "a";
}

// Words ----------------------------------------------------------------------------------------------------------

function changeText(old, now, unit) {
  if (!Number.isFinite(old) || !Number.isFinite(now)) return "";
  const apart = now - old;
  const sign = apart < 0 ? "−" : "+";
  if (apart === 0) return "±0";
  if (unit.kind === "count" && Math.abs(apart) < 10 || old === 0) return sign + formatQuantity(Math.abs(apart), unit);
  const percent = Math.abs(apart / old) * 100;
  return `${sign}${formatNumber(Number(percent.toPrecision(percent < 1 ? 1 : percent < 10 ? 2 : 3)))} %`;
}

function who(build) {
  const { commit, day, dirty } = build;
  if (!commit) return day + (dirty ? ", with changes" : "");
  return `${commit[0]} ${commit[1]} ${commit[2]}`;
}

function says(build) {
  return build.commit ? build.commit[3] : "";
}

function markText(test, [event, at, name]) {
  if (event === "released") return name;
  const build = test.builds[at];
  if (event === "waived") return `${name} meant, ${build.commit ? build.commit[1] : build.day}`;
  return `${event === "accepted" ? "accepted" : "training"} ${build.commit ? build.commit[1] : build.day}`;
}

// The level at a mark, by its number; without a mark there is none.
function levelAt(curve, number) {
  return number === null ? NaN : curve.levels[number] ?? NaN;
}

function levelNow(curve) {
  return curve.now ?? NaN;
}

// An axis has no room for words.
function axisText(value, unit) {
  return unit.kind === "count" ? formatNumber(value) : formatQuantity(value, unit);
}

// Steps of a curve after a mark: the build at which each is seen first, and the levels around it.
function stepsAfter(test, curve, number) {
  const mark = number === null ? null : test.marks[number];
  return curve.segments.slice(1).map(([start, level], i) => ({ build: test.builds[start], old: curve.segments[i][1], level }))
    .filter(({ build }) => !mark || build.i > mark[1]);
}

// Charts ---------------------------------------------------------------------------------------------------------

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function rangeOf(curve, anchor) {
  const known = [...curve.values].filter(Number.isFinite);
  if (!known.length) return [0, 1];
  const sorted = known.slice().sort((a, b) => a - b);
  // One odd run must not make all others a flat line: what lies far outside is drawn at the edge.
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = [at(0.01), at(0.99)];
  const spread = (high - low) || Math.abs(high) * 0.01 || 1;
  let [from, to] = [Math.max(sorted[0], low - spread), Math.min(sorted.at(-1), high + spread)];
  if (Number.isFinite(anchor)) {
    const room = Number.isFinite(curve.least) && curve.least !== null ? curve.least : 0;
    [from, to] = [Math.min(from, anchor - 1.2 * room), Math.max(to, anchor + 1.2 * room)];
  }
  const margin = (to - from) * 0.06 || Math.abs(to) * 0.05 || 1;
  return [Math.max(from - margin, sorted[0] >= 0 ? 0 : -Infinity), to + margin];
}

function drawing(test, curve, width, height, mark, small) {
  const anchor = levelAt(curve, mark);
  const [low, high] = rangeOf(curve, anchor);
  const [left, right, top, bottom] = small ? [2, 2, 3, 3] : [LEFT, RIGHT, TOP, BOTTOM];
  const x = (i) => left + (test.n < 2 ? 0.5 : i / (test.n - 1)) * (width - left - right);
  const y = (value) => top + (1 - (Math.min(high, Math.max(low, value)) - low) / (high - low)) * (height - top - bottom);
  const r = (number) => number.toFixed(1);
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  const line = (css, path) => made.append(svg("path", { class: css, d: path }));
  if (Number.isFinite(anchor)) {
    if (curve.least !== null) {
      const [up, down] = [y(anchor + curve.least), y(anchor - curve.least)];
      made.append(svg("rect", { class: "size", x: left, y: r(up), width: width - left - right, height: r(down - up) }));
    }
    line("anchor", `M${left},${r(y(anchor))}H${width - right}`);
  }
  const dots = { pass: "", regression: "", changed: "", open: "", training: "" };
  test.builds.forEach((build, i) => {
    const value = curve.values[i];
    if (!Number.isFinite(value)) return;
    const kind = isTraining(build) ? "training" : { p: "pass", r: "regression", c: "changed" }[build.letter] ?? "open";
    dots[kind] += `M${r(x(i))},${r(y(value))}h0`;
  });
  line("dot pass", dots.pass);
  curve.segments.forEach(([start, level], i) => {
    const end = i + 1 < curve.segments.length ? curve.segments[i + 1][0] : test.n - 1;
    line("level", `M${r(x(start))},${r(y(level))}H${r(x(end))}`);
  });
  for (const kind of ["open", "training", "changed", "regression"]) line(`dot ${kind}`, dots[kind]);
  if (small) return { made, x };
  for (const [event, at] of test.marks) {
    const css = event === "released" ? "release" : "trained";
    line(css, `M${r(x(at))},${top - (event === "released" ? 6 : 0)}V${height - bottom}`);
  }
  let free = -Infinity;
  for (const one of test.marks.filter(([event]) => event === "released").reverse()) {
    // The newest names first, as many as fit.
    const at = x(one[1]);
    const wide = one[2].length * 6.2;
    if (free !== -Infinity && at + 4 > free) continue;
    free = at - wide;
    made.append(svg("text", { x: r(Math.min(at, width - right)), y: 10, class: "end" }, one[2]));
  }
  for (const { build } of stepsAfter(test, curve, null)) {
    made.append(svg("path", { class: curve.exact ? "step" : "step soft", d: `M${r(x(build.i))},${top}V${height - bottom}m-4,6l4,-6l4,6z` }));
  }
  for (const value of [low + (high - low) * 0.04, (low + high) / 2, high - (high - low) * 0.04]) {
    made.append(svg("text", { x: left - 4, y: r(y(value) + 4), class: "end" }, axisText(value, curve.unit)));
  }
  const [first, last] = [test.builds[0], test.builds.at(-1)];
  made.append(svg("text", { x: left, y: height - 5 }, first?.commit?.[1] ?? first?.day ?? ""));
  made.append(svg("text", { x: width - right, y: height - 5, class: "end" }, last?.commit?.[1] ?? last?.day ?? ""));
  return { made, x };
}

class Picture {
  constructor(view, curve) {
    this.view = view;
    this.curve = curve;
    this.plot = element("div", { class: "plot", tabindex: "0", role: "img", "aria-label": this.description(), "aria-describedby": "keys" });
    this.caption = element("p", { class: "note caption" });
    this.box = element("figure", { class: "curve" }, element("figcaption", {}, element("b", {}, curve.title), " ", this.now = element("span", { class: "note" })),
      this.plot, this.caption);
    this.width = 0;
    new ResizeObserver(() => this.plot.clientWidth !== this.width && this.draw()).observe(this.plot);
    for (const kind of ["pointermove", "pointerdown"]) this.plot.addEventListener(kind, (event) => view.point(this.buildAt(event)));
    this.plot.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      view.point((view.at ?? view.test.n) + by);
    });
    this.show();
  }

  description() {
    const { curve } = this;
    return `${curve.title}: ${this.view.test.n} builds, ${curve.segments.length - 1} steps, now ${formatQuantity(levelNow(curve), curve.unit)}`;
  }

  buildAt(event) {
    const box = this.plot.getBoundingClientRect();
    return Math.round((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT) * (this.view.test.n - 1));
  }

  draw() {
    this.width = this.plot.clientWidth;
    const { made, x } = drawing(this.view.test, this.curve, Math.max(this.width, 220), HEIGHT, this.view.mark, false);
    this.cursor = svg("path", { class: "cursor", d: "" });
    made.append(this.cursor);
    this.x = x;
    this.plot.replaceChildren(made);
    this.show();
  }

  // What is at the build to which somebody points; else how far the quantity has moved.
  show() {
    const { view, curve } = this;
    const anchor = levelAt(curve, view.mark);
    const build = view.test.builds[view.at];
    this.now.textContent = `${formatQuantity(levelNow(curve), curve.unit)} ${view.mark !== null ? changeText(anchor, levelNow(curve), curve.unit) : ""}`;
    this.cursor?.setAttribute("d", build ? `M${this.x(build.i).toFixed(1)},${TOP}V${HEIGHT - BOTTOM}` : "");
    if (build) {
      const value = curve.values[build.i];
      this.caption.textContent = `${Number.isFinite(value) ? formatQuantity(value, curve.unit) : "not read"}: ${who(build)}, ${RESULTS[build.letter]}. ${says(build)}`;
    } else {
      this.caption.textContent = curve.trend ? `trend: ${curve.trend}` : "";
    }
  }
}

// One test -------------------------------------------------------------------------------------------------------

class View {
  constructor(number) {
    this.test = tests[number]();
    const { test } = this;
    this.mark = test.anchor;
    this.at = null;
    this.pictures = test.curves.map((curve) => new Picture(this, curve));
    this.changed = element("div", { class: "scroll" });
    this.box = element("section", { class: "test" }, ...this.head(), element("h2", { class: "since" }, "What changed since ", this.chooser()),
      this.changed, ...this.legend(), element("div", { class: "curves" }, ...this.pictures.map(({ box }) => box)), this.builds());
    this.table();
  }

  head() {
    const { test } = this;
    const checks = test.builds.filter((build) => !isTraining(build));
    const last = checks.at(-1);
    const texts = [`${checks.length} ${checks.length === 1 ? "check" : "checks"}`];
    if (last) texts.push(`the last one: ${RESULTS[last.letter]}, ${who(last)}`);
    if (test.left) texts.push(`left out: ${test.left} ${test.left === 1 ? "result" : "results"} of commits that this branch does not have`);
    if (test.by_time) texts.push("in the order of time, because git does not know these commits");
    return [element("h1", {}, test.name), element("p", { class: "note" }, `${texts.join("; ")}.`)];
  }

  chooser() {
    const { test } = this;
    if (!test.marks.length) return "the first build";
    const select = element("select", { "aria-label": "compare with" });
    test.marks.forEach((mark, i) => select.prepend(element("option", { value: i, selected: i === test.anchor }, markText(test, mark))));
    select.addEventListener("change", () => {
      this.mark = Number(select.value);
      this.table();
      for (const picture of this.pictures) picture.draw();
    });
    return select;
  }

  legend() {
    const entry = (css, text) => element("span", {}, element("i", { class: `key ${css}` }), text);
    return [element("p", { class: "legend" }, entry("pass", "first run of a check that passed"), entry("regression", "regression"), entry("changed", "changed for the better"), entry("open", "not decided"),
      entry("training", "training, accepted, meant"), entry("level", "median between two steps"), entry("size", "less than matters"), entry("release", "release"), entry("step", "step"))];
  }

  point(at) {
    this.at = Math.min(this.test.n - 1, Math.max(0, at));
    for (const picture of this.pictures) picture.show();
  }

  table() {
    const { test, mark } = this;
    const rows = test.curves.map((curve) => {
      const [then, now] = [levelAt(curve, mark), levelNow(curve)];
      const sizes = Math.abs(now - then) / curve.least;
      return { curve, then, now, sizes: Number.isFinite(sizes) ? sizes : 0, steps: stepsAfter(test, curve, mark) };
    });
    rows.sort((a, b) => b.sizes - a.sizes);
    const cells = rows.map(({ curve, then, now, sizes, steps }) => {
      const story = steps.map(({ build, old, level }) => element("div", {}, element("b", {}, changeText(old, level, curve.unit)), ` ${who(build)}: `,
        element("span", { class: "says" }, curve.exact ? says(build) : `${says(build)} (or the machine)`)));
      if (curve.trend) story.push(element("div", { class: "says" }, `trend: ${curve.trend}`));
      // A time of one slow build is no change of the program: without a step, the machine moves it.
      const moved = sizes >= 1 && (curve.exact || steps.length > 0);
      if (!story.length && sizes >= 1) story.push(element("div", { class: "says" }, moved ? "in steps that are small, or before the first build shown" : "no certain step"));
      const welcome = curve.better * (now - then) > 0 ? "better" : curve.better ? "worse" : "";
      return element("tr", { class: moved ? `moved ${welcome}` : "still" }, element("td", {}, curve.title), element("td", {}, formatQuantity(then, curve.unit)),
        element("td", {}, formatQuantity(now, curve.unit)), element("td", { class: "change" }, changeText(then, now, curve.unit)), element("td", { class: "steps-of" }, ...story));
    });
    const head = ["", "then", "now", "change", "when, and by whom"].map((text) => element("th", {}, text));
    this.changed.replaceChildren(element("table", { class: "changes" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...cells)));
  }

  builds() {
    const { test } = this;
    const rows = test.builds.slice(-MOST_ROWS).reverse().map((build) => element("tr", { class: build.letter === "r" ? "bad" : "" },
      element("td", {}, build.day), element("td", {}, build.commit ? build.commit[0] : ""), element("td", {}, build.commit ? build.commit[2] : ""),
      element("td", { class: "wide" }, says(build) + (build.dirty ? " (with changes)" : "")), element("td", {}, RESULTS[build.letter]), element("td", {}, build.found)));
    const head = ["checked", "commit", "author", "subject", "result", "found"].map((text) => element("th", {}, text));
    return element("details", {}, element("summary", {}, `the newest ${rows.length} of ${test.n} builds`), element("div", { class: "scroll" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))));
  }
}

// All tests ------------------------------------------------------------------------------------------------------

function card(raw, number) {
  const test = tests[number]();
  const curve = raw.most === null ? null : test.curves[raw.most];
  const last = test.builds.filter((build) => !isTraining(build)).at(-1);
  const moved = curve !== null && curve.moved >= 1;
  const since = test.anchor === null ? "" : ` since ${markText(test, test.marks[test.anchor])}`;
  const text = !curve ? "nothing was read" : moved ? `${curve.title} ${changeText(levelAt(curve, test.anchor), levelNow(curve), curve.unit)}` : "no move that matters";
  const verdict = last ? element("span", { class: `verdict ${last.letter}` }, RESULTS[last.letter]) : "";
  const picture = element("span", { class: "tiny", "aria-hidden": "true" });
  const made = element("a", { class: moved ? "card differs" : "card", href: `#${encodeURIComponent(raw.name)}`, "data-name": raw.name },
    element("span", { class: "name" }, element("b", {}, raw.name), " ", verdict), element("span", { class: "tag" }, text, element("span", { class: "note" }, since)), picture,
    element("span", { class: "note" }, curve ? curve.title : ""));
  const draw = () => curve && picture.clientWidth && picture.replaceChildren(drawing(test, curve, picture.clientWidth, 54, test.anchor, true).made);
  new ResizeObserver(draw).observe(picture);
  return made;
}

function index() {
  const cards = page.tests.map(card);
  const filter = element("input", { type: "search", placeholder: "filter by name", "aria-label": "filter tests by name" });
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const one of cards) one.hidden = !one.dataset.name.toLowerCase().includes(wanted);
  });
  return element("section", {}, element("h1", {}, `${cards.length} tests, what moved most first`), element("p", { class: "filter" }, filter), element("div", { class: "grid tests" }, ...cards));
}

function route() {
  const named = page.tests.findIndex(({ name }) => encodeURIComponent(name) === location.hash.slice(1));
  const shown = page.tests.length === 1 ? 0 : named;
  const back = page.tests.length > 1 && shown >= 0 ? [element("p", { class: "back" }, element("a", { href: "#" }, "‹ all tests"))] : [];
  for (const old of place.querySelectorAll(":scope > :not(header)")) old.remove();
  if (shown < 0) return place.append(index());
  const view = new View(shown);
  place.append(...back, view.box);
  for (const picture of view.pictures) picture.draw();
  window.scrollTo(0, 0);
}

document.body.append(element("p", { id: "keys", class: "spoken" }, "arrow keys move from build to build"));
window.addEventListener("hashchange", route);
route();
queueMicrotask(() => { document.documentElement.dataset.drawn = "yes"; });
