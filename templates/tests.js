// What the page does beyond HTML: filter the tests by text and by verdict, put
// the cursor into the filter with "/", open a test that a link points to.
(function () {
  let openedForPrint = [];
  function openAll() {
    openedForPrint = Array.from(document.querySelectorAll("details:not([open])"));
    for (const d of openedForPrint) d.open = true;
  }
  function closeAgain() {
    for (const d of openedForPrint) d.open = false;
    openedForPrint = [];
  }
  window.addEventListener("beforeprint", openAll);
  window.addEventListener("afterprint", closeAgain);
})();

(function () {
  const tools = document.getElementById("tools");
  if (!tools) return;
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const buttons = Array.from(tools.querySelectorAll("button"));
  const groups = Array.from(document.querySelectorAll(".group"), (section) => ({
    section,
    rows: Array.from(section.querySelectorAll(":scope > .test"), (element) => ({ element, text: null })),
  }));

  // The words of a row, read the first time somebody searches.
  function textOf(row) {
    if (row.text === null) {
      const parts = row.element.querySelectorAll(":scope > summary > .name, :scope > summary > .why");
      row.text = Array.from(parts, (part) => part.textContent).join(" ").toLowerCase();
    }
    return row.text;
  }

  // A test is of a kind by its verdict, or by being flaky beside it.
  function isOf(element, kinds) {
    return kinds.has(element.dataset.verdict) || (kinds.has("flaky") && "flaky" in element.dataset);
  }

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.value));
    let visible = 0, all = 0;
    for (const group of groups) {
      let inGroup = 0;
      for (const row of group.rows) {
        const fits = (kinds.size === 0 || isOf(row.element, kinds)) && words.every((w) => textOf(row).includes(w));
        if (row.element.hidden === fits) row.element.hidden = !fits;
        if (fits) inGroup++;
      }
      group.section.hidden = inGroup === 0;
      visible += inGroup;
      all += group.rows.length;
    }
    shown.textContent = visible === all ? "" : visible + " of " + all + " tests shown";
  }

  function press(button) {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filter();
  }

  function isTyping(target) {
    return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  }

  function onKey(event) {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)) {
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "Escape" && event.target === find) {
      find.value = "";
      filter();
      find.blur();
    }
  }

  // A link to a test opens it, whatever the filters hide.
  function openTarget() {
    const test = document.getElementById(location.hash.slice(1));
    if (!test || !test.classList.contains("test")) return;
    test.open = true;
    test.hidden = false;
    test.parentElement.hidden = false;
    test.scrollIntoView({ block: "center" });
  }

  for (const b of buttons) b.addEventListener("click", () => press(b));
  find.addEventListener("input", filter);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", openTarget);
  tools.hidden = false;
  filter(); // a browser may have restored what was typed before
  openTarget();
})();
