// Tabs: a row of links or buttons, each of which shows one of several panels. Without
// scripts the panels stand below each other.

// tabbed makes tabs of a row and is the function that selects one by its number. A reader
// who presses one selects it, or calls pressed.
function tabbed(row, panels, pressed) {
  const tabs = Array.from(row.children), last = tabs.length - 1;
  const select = (at) => tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", String(i === at));
    tab.tabIndex = i === at ? 0 : -1;
    panels[i].hidden = i !== at;
  });
  row.setAttribute("role", "tablist");
  tabs.forEach((tab, i) => {
    tab.id = panels[i].id + "-tab";
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panels[i].id);
    panels[i].setAttribute("role", "tabpanel");
    panels[i].setAttribute("aria-labelledby", tab.id);
  });
  row.addEventListener("click", (event) => {
    const at = tabs.indexOf(event.target.closest("[role=tab]"));
    if (at < 0) return;
    event.preventDefault();
    (pressed ?? select)(at);
  });
  row.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(event.target);
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last, " ": at }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    tabs[to].focus();
    tabs[to].click();
  });
  select(0);
  return select;
}

// The parts of an open test, in the order of their tabs.
const parts = [["Conversations", ".parting, .talks"], ["All trials", ".trials"], ["Checks", ".checks"], ["Numbers", ".numbers"], ["History", ".past"]];

// addTabs puts the parts of a test into tabs.
function addTabs(body, id, trials) {
  if (!body || body.querySelector(":scope > .panel")) return;
  const row = make("div", { class: "tabs", "aria-label": "Parts of this test" }), panels = [];
  for (const [words, of] of parts) {
    const found = Array.from(body.querySelectorAll(":scope > :is(" + of + ")"));
    if (found.length === 0) continue;
    for (const part of found) if (part.matches("details")) part.open = true;
    const several = { "All trials": trials, Checks: found[0].querySelectorAll(".line").length }[words];
    panels.push(make("div", { class: "panel", id: id + "-" + panels.length }, found));
    row.append(button(words, {}, several ? make("span", {}, " " + thousands(several)) : ""));
  }
  if (panels.length > 1) body.append(row);
  body.append(...panels);
  if (panels.length > 1) body.select = tabbed(row, panels);
}

// startViews makes tabs of the parts of the page. Their addresses are those of the links.
function startViews(page) {
  const row = document.getElementById("views"), ids = Array.from(row.children, (link) => link.hash.slice(1));
  const panels = ids.map((id) => document.getElementById(id));
  let scrolled = 0; // where the reader left the tests
  const go = (at) => {
    if (!page.view) scrolled = scrollY;
    page.view = at > 0 ? ids[at] : "";
    select(at);
    if (at > 0) return scrollTo({ top: 0, behavior: "instant" });
    page.list.resized();
    scrollTo({ top: scrolled, behavior: "instant" });
  };
  const select = tabbed(row, panels, (at) => {
    go(at);
    writeState(page.state, page.view || page.open, page.at, true);
  });
  for (const folded of document.querySelectorAll(".view > .parts > details, .view > .pictures"))
    folded.open = !folded.matches("#view-method *") || !folded.querySelector("caption"); // metrics are for those who ask
  // A page is at one of its parts, or at its tests.
  page.views = (id) => {
    const at = Math.max(0, ids.indexOf(id));
    if (ids[at] === (page.view || ids[0])) return at > 0;
    go(at);
    return at > 0;
  };
}
