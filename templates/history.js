// The map of tests by runs: a bar says its run, and leads to the test in the page of that run.
const ofRuns = Array.from(document.querySelectorAll(".runs tbody a")).reverse();

function barAt(event) {
  const cells = event.target.closest?.(".cells");
  if (!cells) return {};
  const box = cells.getBoundingClientRect(), bars = Math.round(cells.viewBox.baseVal.width / 5);
  const place = Math.min(bars - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * bars)));
  return { cells, run: ofRuns[ofRuns.length - bars + place] };
}

document.addEventListener("mousemove", (event) => {
  const { cells, run } = barAt(event);
  if (!run) return;
  const row = run.closest("tr").cells;
  cells.parentElement.title = [row[0], row[1], row[6]].map((c) => c.textContent).filter(Boolean).join(" · ");
});

document.addEventListener("click", (event) => {
  const { cells, run } = barAt(event);
  if (run) location.href = run.getAttribute("href") + (cells.parentElement.querySelector("a")?.hash ?? "");
});
