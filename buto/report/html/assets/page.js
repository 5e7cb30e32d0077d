// What happens when the page is there.

document.body.append(element("p", { id: "keys", class: "spoken" }, "arrow keys move along the run, plus and minus zoom, 0 shows the whole run, L changes to a logarithmic axis"));
for (const place of document.querySelectorAll("[data-panel]")) {
  const chart = new Chart(panels[Number(place.dataset.panel)]());
  place.append(chart.box);
  chart.draw();
}
overview(document.getElementById("overview"));
const others = document.getElementById("others");
if (others) filtering(others.querySelector("input"), others.querySelector("[role=status]"), [...others.querySelectorAll("tbody tr")], (row) => row.cells[0].textContent);
const notified = document.getElementById("timeline");
if (notified) timeline(notified);
const openLarge = dialog(document.getElementById("large"));
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) openLarge(Number(opener.dataset.open));
});
// What uPlot draws is there after the tasks that it has put off.
queueMicrotask(() => { document.documentElement.dataset.drawn = "yes"; });
