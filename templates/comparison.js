// What the page of a comparison does beyond HTML: it filters the tests by words
// and by state, and opens the test that a link names.

function startComparison() {
  const tools = document.getElementById("tools");
  const rows = document.getElementById("rows");
  if (!tools || !rows) return;
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const buttons = Array.from(tools.querySelectorAll("[data-state]"));
  const tests = Array.from(rows.querySelectorAll(":scope > li > .test"), (test) => ({ test, line: test.parentElement, words: null }));

  function wordsOf(item) {
    item.words ??= item.test.querySelector(".name").textContent.toLowerCase() + " " + item.test.querySelector(".body .why").textContent.toLowerCase();
    return item.words;
  }

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = new Set(buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.state));
    let left = 0;
    for (const item of tests) {
      const fits = (states.size === 0 || states.has(item.test.dataset.verdict)) && words.every((w) => wordsOf(item).includes(w));
      item.line.hidden = !fits;
      if (fits) left++;
    }
    headings();
    shown.textContent = left === tests.length ? "" : left + " of " + tests.length + " tests shown";
  }

  // A heading without tests below it is hidden with them.
  function headings() {
    let heading = null, any = false;
    for (const line of [...rows.children, null]) {
      if (line === null || line.className === "heading") {
        if (heading) heading.hidden = !any;
        heading = line;
        any = false;
      } else if (!line.hidden) {
        any = true;
      }
    }
  }

  function openTarget() {
    const test = document.getElementById(location.hash.slice(1));
    if (!test?.matches(".test")) return;
    test.parentElement.hidden = false;
    test.open = true;
    test.scrollIntoView({ block: "center" });
  }

  function onKey(event) {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing) {
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "Escape" && event.target === find) {
      find.value = "";
      filter();
    }
  }

  for (const b of buttons) {
    b.addEventListener("click", () => {
      b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  }
  find.addEventListener("input", filter);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", openTarget);
  tools.hidden = false;
  filter(); // a browser may have restored what was typed before
  openTarget();
}

startComparison();
