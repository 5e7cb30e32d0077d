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
  let [from, to] = [0, 0];
  for (const times of [...clocks.training, ...clocks.checked]) if (times.length) to = Math.max(to, times[times.length - 1]);
  for (const { windows, received } of all) for (const [time] of [...windows, ...received]) [from, to] = [Math.min(from, time ?? 0), Math.max(to, time ?? 0)];
  const draw = () => {
    const width = Math.max(260, place.clientWidth || 600);
    const x = linear([from, to || 1], [10, width - 14]);
    const height = 40 * all.length + 24;
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `time line of ${all.length} kinds of notifications; the table lists them` });
    all.forEach(({ type, source, windows, received }, n) => {
      const top = 40 * n;
      root.append(svg("text", { class: "term", x: 10, y: top + 13 }, `${type} from ${source}`.slice(0, Math.floor(width / 6.2)), ` (${received.length})`),
        svg("line", { class: "base", x1: 10, x2: width - 14, y1: top + 28, y2: top + 28 }));
      for (const [low, , high] of windows) {
        if (low !== null && high !== null) root.append(svg("rect", { class: "band", x: x(low) - 1, width: Math.max(2, x(high) - x(low) + 2), y: top + 20, height: 16 }));
      }
      for (const [time, message, run] of received) {
        const at = x(time).toFixed(1);
        const others = page.checked.length > 1 ? `run ${run + 1}, ` : "";
        root.append(svg("path", { class: "received", d: `M${at} ${top + 22}l5 6-5 6-5-6Z` }, svg("title", {}, `${others}${formatQuantity(time, page.second)}: ${message}`)));
      }
    });
    for (const tick of ticks([from, to || 1], Math.max(2, Math.floor(width / 90)), page.second)) {
      root.append(svg("text", { x: Math.min(x(tick), width - 18), y: height - 6, "text-anchor": "middle" }, formatQuantity(tick, page.second)));
    }
    place.replaceChildren(root);
  };
  new ResizeObserver(draw).observe(place);
}
