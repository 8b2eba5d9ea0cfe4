// The rows of the list: those that came as HTML, and those that are drawn from
// data when they come into the window.

class Rows {
  constructor(root, index) {
    this.index = index;
    this.fixed = Array.from(root.querySelectorAll(":scope > li:not(.heading, .rest)")); // by place
    this.fixed.forEach((li, place) => (li.place = place));
    this.headings = new Map(Array.from(root.querySelectorAll(":scope > .heading"), (li) => [li.firstElementChild.id, li]));
    this.lines = []; // of each island: of each test its id, its reason and its HTML
    this.bodies = new Map(); // the same, of the islands used last
    this.opened = new Set(); // the places of drawn rows that are open
    this.changed = () => {}; // told when there is data for rows that wait
    this.resized = () => {}; // told when a row has another height
    this.passing = index.kinds.words.indexOf("passed");
    this.why = []; // in small letters, by place, as far as they were asked for
    this.said = []; // the same of conversations
  }

  // says reports that a test says a word beyond its name.
  says = (place, word) => this.reasons(place).includes(word) || !!this.said[place]?.includes(word);

  // readTalks reads the conversations, when somebody searches the first time.
  async readTalks() {
    const holder = document.createElement("template");
    for (const { id } of document.querySelectorAll(".island[id^=talk-]")) {
      await idle();
      holder.innerHTML = await island(id);
      this.said[id.slice(5)] = holder.content.textContent.toLowerCase();
    }
  }

  // reasons are the words of a row beyond its name.
  reasons = (place) => {
    if (place >= this.fixed.length) return this.why[place] ?? "";
    return (this.why[place] ??= this.fixed[place].querySelector(".why")?.textContent.toLowerCase() ?? "");
  };

  // putAway takes the rows that are not drawn out of the page, where browsers walk
  // over them at the first key. It reads their reasons for the same key.
  async putAway(store) {
    for (const [place, li] of this.fixed.entries()) {
      if (place % 300 === 0) await idle();
      this.reasons(place);
      if (li.parentElement === store) li.remove();
    }
  }

  // load reads the lines, island by island.
  async load() {
    const { rows, linesPer, tests } = this.index;
    for (let chunk = 0; rows + chunk * linesPer < tests.length; chunk++) {
      await idle();
      this.lines.push((await island("lines-" + chunk)).split("\0"));
      this.readReasons(rows + chunk * linesPer, this.lines.at(-1));
      document.getElementById("lines-" + chunk).remove();
      this.changed();
    }
  }

  // readReasons keeps the reasons of lines that did not pass, from a place on.
  readReasons(from, lines) {
    const { kinds } = this.index;
    for (let i = 0; i * 3 + 1 < lines.length; i++) {
      if (kinds.cells[from + i] !== this.passing) this.why[from + i] = lines[i * 3 + 1].toLowerCase();
    }
  }

  make = (item) => (typeof item === "number" ? this.fixed[item] ?? this.row(item) : this.heading(item));

  // sort names items of about one height: a test that did not pass says why.
  sort = (item) => (typeof item !== "number" ? "heading" : this.index.kinds.cells[item] === this.passing ? "row" : "reason");

  heading({ id, title, count }) {
    const li = this.headings.get(id) ?? document.getElementById("heading").content.firstElementChild.cloneNode(true);
    const h3 = li.firstElementChild;
    if (!id) h3.firstElementChild.textContent = title;
    h3.lastElementChild.textContent = thousands(count);
    return li;
  }

  row(place) {
    const at = place - this.index.rows, chunk = this.lines[Math.floor(at / this.index.linesPer)];
    const li = document.createElement("li");
    li.place = place;
    if (!chunk) {
      li.className = "waiting";
      li.textContent = this.index.texts[place];
      return li;
    }
    li.append(element(chunk[(at % this.index.linesPer) * 3 + 2]));
    if (this.isOpen(place)) li.firstElementChild.classList.add("here");
    if (this.opened.has(place)) li.firstElementChild.open = true;
    return li;
  }

  // placeOf finds a test by its id.
  async placeOf(id) {
    const row = document.getElementById(id)?.closest("li") ?? this.fixed.find((li) => li.firstElementChild.id === id);
    if (row?.place !== undefined) return row.place;
    await this.loaded;
    for (const [chunk, lines] of this.lines.entries()) {
      const i = lines.indexOf(id);
      if (i >= 0) return this.index.rows + chunk * this.index.linesPer + i / 3;
    }
    return -1;
  }

  // toggled fills a row that was opened in its place.
  async toggled(details) {
    const { place } = details.closest("li");
    if (!details.open) return this.opened.delete(place);
    this.opened.add(place);
    await this.fill(details, place);
  }

  // fill completes the body of a test in an element with what travelled as data.
  async fill(holder, place) {
    const away = holder.querySelector(".away");
    if (away) {
      const body = await this.body(place);
      if (!away.isConnected) return;
      if (place < this.index.rows) away.outerHTML = body;
      else away.parentElement.replaceWith(element(body));
    }
    addTabs(holder.querySelector(":scope > .body"), "test-" + place, this.index.total[place]);
    this.addCopies(holder);
    await this.openTalks(holder, place);
  }

  // openTalks draws the conversations of a test from their island; those that the
  // page has no room for stay as they came.
  async openTalks(holder, place) {
    const section = holder.querySelector(".talks");
    if (section) await (section.drawn ??= this.drawTalks(section, section.dataset.test, place));
  }

  async drawTalks(section, id, place) {
    const data = await island("talk-" + place);
    if (!data) {
      section.append(make("p", { class: "note" }, document.getElementById("talks-left")?.textContent ?? ""));
      return;
    }
    const talks = data.split("\0").slice(0, -1).map((talk) => new Talk(talk, id));
    new Pair(section, talks, () => this.resized());
  }

  async body(place) {
    const { bodiesPer } = this.index, chunk = Math.floor(place / bodiesPer);
    if (!this.bodies.has(chunk)) {
      if (this.bodies.size >= 8) this.bodies.delete(this.bodies.keys().next().value);
      this.bodies.set(chunk, island("bodies-" + chunk).then((text) => text.split("\0")));
    }
    return (await this.bodies.get(chunk))[place % bodiesPer];
  }

  addCopies(holder) {
    const body = holder.querySelector(":scope > .body");
    if (!body || body.querySelector(".copies")) return;
    body.append(document.getElementById("copies").content.cloneNode(true));
    body.querySelector("[data-copy=message]").hidden = !body.querySelector("pre.message");
  }
}

// idle waits until the page has nothing better to do, such as to answer a key.
function idle() {
  return new Promise((done) => (window.requestIdleCallback ? requestIdleCallback(done, { timeout: 200 }) : setTimeout(done)));
}

// copied is what a copy button of a test copies.
const copied = {
  name: (test) => Array.from(test.querySelector(".name").childNodes, (n) => n.classList?.contains("flag") ? "" : n.textContent).join("").trim(),
  link: (test) => location.href.replace(/#.*/, "") + "#" + (test.dataset.test ?? test.id),
  message: (test) => test.querySelector("pre.message").textContent,
};

// copy puts text on the clipboard; pages of a server without TLS have no
// clipboard but the selection.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("the browser does not let the page copy");
}

async function copyFrom(button) {
  const words = button.textContent;
  try {
    await copy(copied[button.dataset.copy](button.closest(".test, .pane")));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => (button.textContent = words), 1500);
}
