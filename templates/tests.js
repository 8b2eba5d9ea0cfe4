// What the list of tests does beyond HTML: it filters, searches, sorts and groups,
// draws the tests that travel as data, and keeps its state in the address.
//
// Hooks, for tests and for whoever builds on the page:
//   #tests                        heading of the list; html[data-ready] when the script has started,
//                                 html[data-loaded] when all lines that travel as data are there,
//                                 and in the tests that came opened their conversations
//   #tools                        all controls; #find, #shown (how many are shown), #clear
//   #tools [data-kind], [data-flag]   filters, aria-pressed; flags are bits: 1 cost, 2 quarantined
//   [data-cause]                  links that show the tests of a cause, aria-current; #cause the button that ends it
//   #suite #variant #label #group #sort  choices, of which one is checked
//   #views, .body > .tabs         tabs of the page and of an open test
//   #columns [data-sort] button   sorting by a column, data-order is up, down or empty
//   #rows > li.heading > h3       a group: #tests-broken, -flaky, -passed and so on
//   #rows > li > details.test     a test: id is its permalink, data-kind;
//                                 li has aria-posinset and aria-setsize when not all rows are drawn
//   #pane                         the open test beside the list, data-test is its id
//   .body [data-copy]             name, link, message
//   #help                         the dialog of keys; #theme the button of the colours
//   #paper                        what is left out in print
//   script.island                 index, lines-N, bodies-N: gzipped JSON in base64

async function start() {
  if (!document.getElementById("index") || !window.DecompressionStream) return;
  const index = prepare(JSON.parse(await island("index")));
  await whole();
  const written = document.getElementById("rows");
  const rows = new Rows(written, index);
  // Where all rows are HTML and few they stay in the page, for the search of the browser.
  const stay = index.whole && index.tests.length <= 500;
  const root = stay ? written : replaced(written);
  const list = new List(root, rows.make, rows.sort, stay ? Infinity : 60);
  const { state, open, at } = readState(location.hash);
  const page = { root, index, rows, list, state, tools: null, open: open.startsWith("view-") ? "" : open, at, typing: 0, view: "" };
  page.pane = new Pane(page);
  page.tools = new Tools(index, state, () => show(page));
  rows.changed = () => list.redraw();
  rows.resized = () => list.later();
  listen(page);
  page.tools.root.hidden = false;
  startViews(page);
  show(page);
  const opened = fillOpened(page, open);
  document.documentElement.dataset.ready = "";
  rows.loaded = load(rows, stay ? null : written, opened);
  if (open) await follow(page, open);
}

// load does what can wait until the page is usable.
async function load(rows, store, opened) {
  if (store) await rows.putAway(store);
  await rows.load();
  await opened;
  document.documentElement.dataset.loaded = "";
}

// whole waits until all of the page is there.
function whole() {
  if (document.readyState !== "loading") return;
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}

// replaced puts an empty list in place of the one that came as HTML, which stays
// for a while as the store of its rows: to hide thousands of them takes no time, to
// take them out of the page does.
function replaced(written) {
  const fresh = written.cloneNode(false);
  for (const rest of written.querySelectorAll(":scope > .rest")) rest.remove();
  written.removeAttribute("id");
  written.hidden = true;
  written.after(fresh);
  return fresh;
}

// show brings list, controls and address in line with the state.
function show(page) {
  const { index, rows, list, state, tools } = page;
  const { items, shown } = itemsOf(index, state, rows.says);
  list.show(items);
  tools.show(shown);
  if (state.find) page.talks ??= rows.readTalks().then(() => show(page));
  clearTimeout(page.typing);
  const from = location.hash; // another one by then is a link that the page has yet to follow
  page.typing = setTimeout(() => location.hash === from && writeState(state, page.view || page.open, page.at), 200); // writing takes as long as a key may
}

function listen(page) {
  page.root.addEventListener("toggle", ({ target }) => toggled(page, target), true);
  document.getElementById("panes").addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copyFrom(button);
  });
  page.root.addEventListener("click", (event) => {
    const row = event.target.closest(".test > summary")?.closest("li");
    if (!row || !wide.matches || row.firstElementChild.open) return;
    event.preventDefault();
    page.pane.pressed(row.place, event.detail === 0);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-cause]");
    if (!link) return;
    event.preventDefault();
    page.tools.set("cause", page.state.cause === link.dataset.cause ? "" : link.dataset.cause);
  });
  wide.addEventListener("change", () => page.pane.close());
  window.addEventListener("hashchange", () => navigated(page));
  window.addEventListener("beforeprint", () => print(page, true));
  window.addEventListener("afterprint", () => print(page, false));
  listenToKeys(page);
}

// fillOpened fills the tests that came opened; where there is room the first of them
// stands beside the list.
function fillOpened({ rows, list, pane }, asked) {
  const opened = rows.fixed.map((li) => li.firstElementChild).filter((details) => details.open);
  if (!wide.matches) return Promise.all(opened.map((details) => rows.toggled(details).then(() => list.later())));
  for (const details of opened) details.open = false;
  if (opened.length > 0 && !asked) return pane.show(opened[0].closest("li").place);
}

async function toggled(page, details) {
  if (!details.matches(".test")) return page.list.later();
  if (details.open) entered(page, details.id);
  else if (page.open === details.id && page.pane.place < 0) left(page);
  await page.rows.toggled(details);
  page.list.later();
}

// entered keeps in the address that a test is open: Back closes it.
function entered(page, id) {
  if (page.open === id) return;
  const push = !page.open;
  page.open = id;
  page.at = { trial: "", turn: "" };
  writeState(page.state, id, page.at, push);
}

// left keeps that none is, as if the reader had gone back.
function left(page) {
  page.open = "";
  const from = history.state?.from;
  writeState(page.state, "", page.at);
  if (from !== undefined && (from || "#") === (location.hash || "#")) history.back();
}

// navigated follows an address that somebody typed or clicked, or went back to.
function navigated(page) {
  const { state, open, at } = readState(location.hash);
  if (page.views(open)) return;
  page.at = at;
  const moved = JSON.stringify(state) !== JSON.stringify(page.state);
  if (moved && !at.trial && (!open || location.hash.includes("="))) {
    Object.assign(page.state, state);
    show(page);
  }
  if (open) return follow(page, open);
  const closed = page.open && document.getElementById(page.open);
  page.open = "";
  if (closed) closed.open = false;
  page.pane.close();
}

// follow goes to a part of the page, a test or a group, whatever the filters hide.
async function follow(page, id) {
  if (page.views(id)) return;
  if (page.index.groups.some((g) => g.id === id)) {
    const heading = () => page.list.items.find((item) => item.id === id);
    if (!heading()) reset(page);
    page.list.reach(heading(), "start")?.firstElementChild.focus({ preventScroll: true });
    return;
  }
  if (!id.startsWith("t-")) return;
  const place = await page.rows.placeOf(id);
  if (place < 0) return;
  page.open = id;
  if (!page.list.where.has(place)) reset(page);
  const test = page.list.reach(place, "center")?.querySelector(".test");
  if (!test) return;
  const { trial, turn } = page.at;
  let holder = test;
  if (wide.matches) holder = await page.pane.show(place);
  else {
    document.querySelector(".test.here")?.classList.remove("here");
    test.classList.add("here");
    test.open = true;
    await page.rows.toggled(test);
  }
  test.scrollIntoView({ block: "start" });
  test.firstElementChild.focus({ preventScroll: true });
  if (trial) holder?.querySelector(".pair")?.pair.go(trial, turn);
}

function reset(page) {
  Object.assign(page.state, emptyState());
  show(page);
}

start();
