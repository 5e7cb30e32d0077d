// All properties as small charts, and the dialog with one of them large.

function title([first, last]) {
  const parts = [element("bdi", {}, first)];
  return last ? [...parts, " ", element("b", {}, element("bdi", {}, last))] : parts;
}

// Shows those of some elements whose name contains what is typed, and how many these are.
function filtering(input, count, all, nameOf) {
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    const shown = all.filter((one) => !(one.hidden = !nameOf(one).toLowerCase().includes(wanted)));
    count.textContent = wanted ? `${shown.length} of ${all.length}` : "";
  });
}

const OTHERS = 8;

// What failed and what is noted, in the order of the story, and a few others; the rest is folded.
function overview(place) {
  const [told, others, still] = [[], [], []];
  page.panels.forEach((raw, i) => (raw.findings.length ? told : raw.moves ? others : still).push(i));
  const shown = (told.length ? others.slice(0, OTHERS) : others.slice(0, 2 * OTHERS));
  const folded = others.slice(shown.length);
  const cards = [...told, ...shown].map(card);
  const hidden = folded.map(card);
  const filter = element("input", { type: "search", placeholder: "filter by name", "aria-label": "filter properties by name" });
  const count = element("span", { class: "note", role: "status" });
  const rest = element("details", { id: "rest" }, element("summary", {}, `${folded.length} more ${folded.length > 1 ? "properties" : "property"}`),
    element("div", { class: "grid" }, ...hidden));
  filtering(filter, count, [...cards, ...hidden], (one) => { const { name, called } = page.panels[one.dataset.open]; return `${name} ${called}`; });
  filter.addEventListener("input", () => { if (filter.value.trim()) rest.open = true; });
  place.append(element("p", { class: "filter" }, filter, " ", count), element("div", { class: "grid" }, ...cards));
  if (folded.length) place.append(rest);
  if (still.length) place.append(constants(still));
}

function card(i) {
  const raw = page.panels[i];
  const differs = raw.findings.length > 0 && !raw.noted;
  const picture = element("span", { class: "miniature", "aria-hidden": "true" });
  const panel = panels[i]();
  const exit = exitValues(panel);
  if (exit) picture.append(exitDots(panel, exit, false));
  else miniature(panel, picture);
  const made = element("button", { type: "button", class: differs ? "card differs" : "card", "data-open": i },
    element("span", { class: "name", title: raw.name }, ...title(raw.title)), element("span", { class: "tag" }, differs ? `≠ ${raw.tag}` : raw.tag), picture);
  if (!raw.findings.length && raw.reach !== null) {
    const used = element("i");
    used.style.width = `${Math.round(100 * Math.min(1, raw.reach))}%`;
    made.append(element("span", { class: "used", "aria-hidden": "true" }, used));
  }
  return made;
}

function constants(still) {
  const rows = still.map((i) => {
    const { checked, training, unit, title: name } = panels[i]();
    const first = [...checked, ...training].find(({ values }) => values.length);
    const opener = element("button", { type: "button", class: "open", "data-open": i }, ...title(name));
    return element("tr", {}, element("td", {}, opener), element("td", {}, first ? formatQuantity(first.values[0], unit) : ""));
  });
  return element("details", {}, element("summary", {}, still.length > 1 ? `${still.length} constant properties` : "1 constant property"),
    element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows))));
}

function dialog(box) {
  const open = (i) => {
    const shown = (i + panels.length) % panels.length;
    const raw = page.panels[shown];
    const panel = panels[shown]();
    const exit = exitValues(panel);
    const chart = exit ? null : new Chart(panel, { height: Math.max(260, Math.min(460, window.innerHeight - 260)), legend: true });
    box.replaceChildren(
      element("div", { class: "bar" }, element("h2", {}, ...title(raw.title)),
        element("span", { class: "turn" }, button("previous property", "‹", () => open(shown - 1)), ` ${shown + 1} of ${panels.length} `,
          button("next property", "›", () => open(shown + 1)), button("close (Escape)", "✕", () => box.close()))),
      element("p", { class: raw.findings.length && !raw.noted ? "tag differs" : "tag" }, raw.tag), exit ? exitDots(panel, exit, true) : chart.box,
      element("p", { class: "note" }, exit ? "counted once, at the exit of each run"
        : "drag to zoom, double click for the whole run; keys: ← → move, + − zoom, 0 whole run, L logarithm"));
    if (!box.open) box.showModal();
    chart?.draw();
    chart?.plot.focus({ preventScroll: true });
  };
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => box.replaceChildren());
  return open;
}
