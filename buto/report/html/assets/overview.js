// All properties as small charts, and the dialog with one of them large.

const TOO_MANY = 400;

function miniature(panel, width = 240, height = 76) {
  const domain = limits(panel, panel.span, false);
  const x = linear(panel.span, [1, width - 1]);
  const y = linear(domain, [height - 2, 4]);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "miniature", preserveAspectRatio: "none" });
  if (panel.band) root.append(svg("path", { class: "band", d: areaPath(panel.band.times, panel.band.lower, panel.band.upper, x, y, height) }));
  if (panel.training.length) {
    const { times, lower, upper } = envelope(panel.training, panel.span);
    root.append(svg("path", { class: "training-range", d: areaPath(times, lower, upper, x, y, height) }));
  }
  for (const curve of panel.checked) {
    root.append(svg("path", { class: "checked", d: linePath(curve.times, curve.values, x, y) }),
      svg("path", { class: "checked beyond", d: linePath(curve.times, outside(curve, panel.band), x, y) }));
  }
  return root;
}

function title([first, last]) {
  const parts = [element("bdi", {}, first)];
  return last ? [...parts, " ", element("b", {}, element("bdi", {}, last))] : parts;
}

function overview(place) {
  const moving = [];
  const still = [];
  panels.forEach((panel, i) => (page.panels[i].moves || page.panels[i].findings.length ? moving : still).push(i));
  const grid = element("div", { class: "grid" });
  const cards = moving.slice(0, TOO_MANY).map((i) => card(i));
  grid.append(...cards);
  const filter = element("input", { type: "search", placeholder: "filter by name", "aria-label": "filter properties by name" });
  const count = element("span", { class: "note", role: "status" });
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    cards.forEach((one, n) => { one.hidden = !page.panels[moving[n]].name.toLowerCase().includes(wanted); });
    const shown = cards.filter((one) => !one.hidden).length;
    count.textContent = wanted ? `${shown} of ${cards.length}` : "";
  });
  place.append(element("p", { class: "filter" }, filter, " ", count), grid);
  if (still.length) place.append(constants(still));
}

function card(i) {
  const raw = page.panels[i];
  const differs = raw.findings.length > 0 && !raw.noted;
  const made = element("button", { type: "button", class: differs ? "card differs" : "card", "data-open": i },
    element("span", { class: "name" }, ...title(raw.title)),
    element("span", { class: "tag" }, differs ? `≠ ${raw.tag}` : raw.tag), miniature(panels[i]()));
  if (!raw.findings.length && raw.reach !== null) {
    const width = Math.round(100 * Math.min(1, raw.reach));
    made.append(svg("svg", { class: "used", viewBox: "0 0 100 3", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: 100, height: 3 }), svg("rect", { class: "part", width, height: 3 })));
  }
  return made;
}

function constants(still) {
  const rows = still.map((i) => {
    const panel = panels[i]();
    const values = [...panel.checked, ...panel.training].flatMap((curve) => [...curve.values.slice(0, 1)]);
    const value = values.length ? formatQuantity(values[0], panel.unit) : "";
    return element("tr", {}, element("td", {}, element("button", { type: "button", class: "open", "data-open": i }, ...title(panel.title))), element("td", {}, value));
  });
  return element("details", {}, element("summary", {}, still.length > 1 ? `${still.length} constant properties` : "1 constant property"),
    element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows))));
}

function others(place) {
  const [filter, count] = [place.querySelector("input"), place.querySelector("[role=status]")];
  const rows = [...place.querySelectorAll("tbody tr")];
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    count.textContent = wanted ? `${shown} of ${rows.length}` : "";
  });
}

function dialog(box) {
  let shown = 0;
  const open = (i) => {
    shown = (i + panels.length) % panels.length;
    const raw = page.panels[shown];
    const chart = new Chart(panels[shown](), { height: Math.max(260, Math.min(460, window.innerHeight - 260)) });
    const button = (label, text, act) => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    box.replaceChildren(
      element("div", { class: "bar" }, element("h2", {}, ...title(raw.title)),
        element("span", { class: "turn" }, button("previous property", "‹", () => open(shown - 1)), ` ${shown + 1} of ${panels.length} `,
          button("next property", "›", () => open(shown + 1)), button("close (Escape)", "✕", () => box.close()))),
      element("p", { class: raw.findings.length && !raw.noted ? "tag differs" : "tag" }, raw.tag), chart.box,
      element("p", { class: "note" }, "drag to zoom, double click for the whole run; keys: ← → move, + − zoom, 0 whole run, L logarithm"));
    if (!box.open) box.showModal();
    chart.draw();
    chart.plot.focus({ preventScroll: true });
  };
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => box.replaceChildren());
  return open;
}
