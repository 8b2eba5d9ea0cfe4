// What the list of tests does beyond HTML: it filters, searches, sorts and groups,
// draws the tests that travel as data, and keeps its state in the address.
//
// Hooks, for tests and for whoever builds on the page:
//   #tests                        heading of the list; html[data-ready] when the script has started,
//                                 html[data-loaded] when all lines that travel as data are there,
//                                 and in the tests that came opened their conversations
//   #tools                        all controls; #find, #shown (how many are shown), #clear
//   #tools [data-verdict], [data-flag]   filters, aria-pressed; flags are bits: 1 flaky, 2 cost, 4 quarantined
//   #suite #variant #label #group #sort  choices
//   #columns [data-sort] button   sorting by a column, data-order is up, down or empty
//   #rows > li.heading > h3       a group: #tests-fail, -error, -inconclusive, -other, -flaky, -pass, -skip
//   #rows > li > details.test     a test: id is its permalink, data-verdict, data-flaky;
//                                 li has aria-posinset and aria-setsize when not all rows are drawn
//   .test > .body [data-copy]     name, link, message
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
  const page = { root, index, rows, list, state, tools: null, open, at, typing: 0 };
  page.tools = new Tools(index, state, () => show(page));
  rows.changed = () => list.redraw();
  rows.resized = () => list.later();
  listen(page);
  const opened = fillOpened(page);
  page.tools.root.hidden = false;
  show(page);
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
  const { items, shown } = itemsOf(index, state, rows.reasons);
  list.show(items);
  tools.show(shown);
  clearTimeout(page.typing);
  page.typing = setTimeout(() => writeState(state, page.open, page.at), 200); // writing an address takes as long as a key may
}

function listen(page) {
  page.root.addEventListener("toggle", ({ target }) => openForPrint(target) || toggled(page, target), true);
  page.root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copyFrom(button);
  });
  window.addEventListener("hashchange", () => navigated(page));
  printing.push((everything) => print(page, everything));
  listenToKeys(page);
}

// fillOpened fills the tests that came opened.
function fillOpened({ rows, list }) {
  const opened = rows.fixed.map((li) => li.firstElementChild).filter((details) => details.open);
  return Promise.all(opened.map((details) => rows.toggled(details).then(() => list.later())));
}

async function toggled(page, details) {
  if (!details.matches(".test")) return page.list.later();
  if (details.open ? page.open !== details.id : page.open === details.id) {
    page.open = details.open ? details.id : "";
    page.at = { trial: "", turn: "" };
  }
  writeState(page.state, page.open, page.at);
  await page.rows.toggled(details);
  page.list.later();
}

// navigated follows an address that somebody typed or clicked.
function navigated(page) {
  const { state, open, at } = readState(location.hash);
  page.at = at;
  const moved = JSON.stringify(state) !== JSON.stringify(page.state);
  if (moved && !at.trial && (!open || location.hash.includes("="))) {
    Object.assign(page.state, state);
    page.open = open;
    show(page);
  }
  if (open) follow(page, open);
}

// follow goes to a test or to a group, whatever the filters hide.
async function follow(page, id) {
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
  document.querySelector(".test.here")?.classList.remove("here");
  test.classList.add("here");
  test.open = true;
  test.firstElementChild.focus({ preventScroll: true });
  const { trial, turn } = page.at;
  await page.rows.toggled(test);
  test.scrollIntoView({ block: "start" });
  if (trial) test.querySelector(".pair")?.pair.go(trial, turn);
}

function reset(page) {
  Object.assign(page.state, emptyState());
  show(page);
}

start();
