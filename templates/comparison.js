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
    return (item.words ??= [...item.test.querySelectorAll(".name, .body > p, .body tbody th")].reduce((all, e) => all + " " + e.textContent, item.test.dataset.key).toLowerCase());
  }

  // filter shows what fits, and keeps in the address what somebody chose.
  function filter(event) {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = new Set(buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.state));
    let left = 0;
    for (const item of tests) {
      const fits = (states.size === 0 || states.has(item.test.dataset.verdict)) && words.every((w) => wordsOf(item).includes(w));
      item.line.hidden = !fits;
      if (fits) left++;
    }
    headings();
    if (event) writeAddress([...states].join(","));
    shown.textContent = left === tests.length ? "" : left + " of " + tests.length + " tests shown";
  }

  function writeAddress(state) {
    const parts = Object.entries({ find: find.value, state }).filter(([, value]) => value);
    try {
      history.replaceState(null, "", "#" + new URLSearchParams(parts));
    } catch {
      // a frame without an origin has no history; the page works without
    }
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
      filter(event);
    }
  }

  for (const b of buttons) {
    b.addEventListener("click", () => {
      b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
      filter(b);
    });
  }
  find.addEventListener("input", filter);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", openTarget);
  tools.hidden = false;
  const address = new URLSearchParams(location.hash.slice(1)), asked = (address.get("state") ?? "").split(",");
  find.value = address.get("find") ?? find.value; // a browser may have restored what was typed before
  for (const b of buttons) b.setAttribute("aria-pressed", String(asked.includes(b.dataset.state)));
  filter();
  openTarget();
}

startComparison();
