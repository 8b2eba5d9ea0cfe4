// What goes on paper: the list as it is shown, as far as paper goes. What is folded stays
// folded but for the first message of a test, and the paper says what it leaves out.

function print(page, everything) {
  const { list } = page;
  if (list.windowed) {
    list.everything = everything;
    list.draw();
  }
  document.getElementById("paper").textContent = everything ? leftOut(page) : "";
}

// leftOut says what is not on paper, "" when all is.
function leftOut({ list, index, pane }) {
  const tests = list.items.filter((item) => typeof item === "number");
  const missing = tests.filter((place) => !list.elements.has(place)).length;
  const folded = tests.filter((place) => place !== pane.place && !list.elements.get(place)?.firstElementChild.open);
  const trials = folded.reduce((n, place) => n + index.total[place], 0);
  const parts = [missing && thousands(missing) + " of " + some(tests.length, "test"), trials && "the details of " + some(trials, "trial")].filter(Boolean);
  return parts.length === 0 ? "" : "Left out on paper: " + parts.join("; ") + ". Open a test before you print to have its details.";
}
