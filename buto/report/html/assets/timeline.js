// Notifications: one row for each type and source, their expected times behind.

function timeline(place) {
  const rows = new Map();
  const row = (type, source) => {
    const key = `${type}\n${source}`;
    if (!rows.has(key)) rows.set(key, { type, source, windows: [], received: [] });
    return rows.get(key);
  };
  for (const { type, source, windows } of page.emitters) row(type, source).windows.push(...windows);
  page.checked.forEach((run, i) => {
    for (const [time, type, source, message] of run.notifications) row(type, source).received.push([time, message, i]);
  });
  const all = [...rows.values()].slice(0, 40);
  const ends = [...clocks.training, ...clocks.checked].map((times) => times[times.length - 1] ?? 0);
  const heard = all.flatMap(({ windows, received }) => [...windows, ...received].map(([time]) => time ?? 0));
  const from = Math.min(0, ...heard);
  const to = Math.max(0, ...ends, ...heard) || 1;
  const part = (kind, start, end, said) => {
    const made = element("i", { class: kind, title: said });
    made.style.left = `${(100 * (start - from)) / (to - from)}%`;
    made.style.width = end === null ? null : `${(100 * (end - start)) / (to - from)}%`;
    return made;
  };
  for (const { type, source, windows, received } of all) {
    const expected = windows.filter(([low, , high]) => low !== null && high !== null);
    place.append(element("p", {}, element("span", {}, `${type} from ${source}`), ` (${received.length})`), element("div", { class: "lane" },
      ...expected.map(([low, , high]) => part("band", low, high, null)),
      ...received.map(([time, message, run]) =>
        part("received", time, null, `${page.checked.length > 1 ? `run ${run + 1}, ` : ""}${formatQuantity(time, page.second)}: ${message}`))));
  }
  const ticks = multiples(STEPS.seconds.find((one) => one >= (to - from) / 5), from, to).map((time) => {
    const tick = part("tick", time, null, null);
    tick.append(formatQuantity(time, page.second));
    return tick;
  });
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `time line of ${all.length} kinds of notifications; the table lists them`);
  place.append(element("div", { class: "ticks" }, ...ticks));
}
