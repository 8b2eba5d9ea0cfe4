// Two conversations of a test side by side, aligned by their steps. Where they make
// equal steps they are folded; what only one did, or both did differently, is a
// difference. The turns themselves are drawn by the templates.

// make is an element with attributes and children; what is "" or null is left out.
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((c) => c != null && c !== ""));
  return made;
}

const some = (n, word) => thousands(n) + " " + word + (n === 1 ? "" : "s");
const button = (words, attributes, ...more) => make("button", { type: "button", ...attributes }, words, ...more);

// marked draws what models write most of Markdown: bold, code, headings and lists. It is
// given text that is HTML already, and puts elements around parts without any.
const marked = (html) => html
  .replace(/^( *)[-*] /gm, "$1• ")
  .replace(/^#{1,6} ([^<\n]+)$/gm, "<b>$1<\/b>")
  .replace(/\*\*([^*<\n]+)\*\*/g, "<b>$1<\/b>")
  .replace(/`([^`<\n]+)`/g, "<code>$1<\/code>");

// Talk is the conversation of one trial. Its steps are the turns that call tools;
// one that makes several calls is one step.
class Talk {
  constructor(html, id) {
    this.html = html;
    this.id = id;
    const { trial, outcome, word, about } = element(html).dataset;
    Object.assign(this, { trial, outcome, word, about, number: trial.replace(/\D/g, "") });
    this.steps = this.bands().steps.map(({ key, name }) => ({ key, name }));
  }

  // turns are drawn anew each time, for a turn stands in one place.
  turns() {
    return Array.from(element(this.html).querySelectorAll(".turn"), (turn) => {
      const no = turn.querySelector(".no");
      if (no) no.replaceWith(make("a", { class: "no", "aria-label": "Turn " + no.textContent + " of trial " + this.trial, href: "#" + this.id + "&trial=" + this.number + "&turn=" + no.textContent.replace(/\D/g, "") }, no.textContent));
      turn.dataset.of = this.number;
      if (turn.matches(".assistant")) for (const text of turn.querySelectorAll(".said > .text")) text.innerHTML = marked(text.innerHTML);
      return turn;
    });
  }

  // bands are the steps with the talk before each and the answers behind it, and
  // what was said after the last.
  bands() {
    const steps = [];
    let talk = [], last = null;
    const turns = this.turns(), system = turns[0]?.matches(".system") ? turns.shift() : null;
    for (const turn of turns) {
      const calls = Array.from(turn.querySelectorAll(".call"));
      if (calls.length > 0) {
        last = { talk, turn, calls, answers: [], key: calls.map((c) => c.dataset.step).join("|"), name: calls.map((c) => c.firstElementChild.textContent).join(", ") };
        steps.push(last);
        talk = [];
      } else if (turn.matches(".tool") && last && talk.length === 0) last.answers.push(turn);
      else talk.push(turn);
    }
    return { system, steps, rest: talk };
  }

  // calls are its calls one by one, null where some are left out.
  calls() {
    const all = element(this.html);
    if (all.querySelector(".turn.gap")) return null;
    return Array.from(all.querySelectorAll(".call"), (c) => ({ key: c.dataset.step, name: c.firstElementChild.textContent }));
  }

  badge() {
    return make("span", { class: "badge " + this.outcome }, this.word);
  }

  passed() {
    return this.outcome === "pass";
  }
}

// narrow is a page on which what stands beside each other elsewhere is one column.
const narrow = window.matchMedia("(max-width: 48rem)");

const numberOf = (turn) => turn.dataset.turn ?? "";

function turnsFrom(turns) {
  const numbers = turns.map(numberOf).filter(Boolean);
  if (numbers.length === 0) return "";
  return numbers.length === 1 ? "turn " + numbers[0] : "turns " + numbers[0] + " to " + numbers.at(-1);
}

// Pair is the part of an opened test with its conversations.
class Pair {
  constructor(section, talks, changed) {
    this.section = section;
    this.talks = talks;
    this.changed = changed; // told when the page has another height
    this.at = 0; // the difference that was gone to last
    const failing = talks.find((t) => !t.passed());
    this.left = failing ?? talks[0];
    this.right = failing ? nearest(failing, talks.filter((t) => t.passed())) : talks[1];
    this.right ??= talks.find((t) => t !== this.left);
    this.frame();
    this.draw();
    for (const see of section.closest(".body")?.querySelectorAll("span.see") ?? []) this.link(see);
  }

  // link makes a link of the words that name a trial, if its conversation is here.
  link(see) {
    const talk = this.talks.find((t) => see.textContent.endsWith(" " + t.trial));
    if (talk) see.replaceWith(make("a", { class: "see", href: "#" + talk.id + "&trial=" + talk.number }, see.textContent));
  }

  frame() {
    const alone = this.talks.length === 1;
    const title = alone ? "Conversation" : "Two trials side by side";
    this.note = make("span", { class: "note" }, this.left.passed() || !this.right?.passed() ? "" : "the first failing and the passing one nearest to it");
    this.count = make("output", {});
    this.seek = make("input", { type: "search", placeholder: "search the turns", autocomplete: "off", spellcheck: "false", "aria-label": "Search these conversations", "aria-keyshortcuts": "/" });
    this.views = [0, 1, 2].map((view) => button("Both", { "aria-pressed": String(view === 0) }));
    const tools = make("div", { class: "bar-tools" },
      alone ? null : button("Swap ", { "data-do": "swap", "aria-keyshortcuts": "t" }, make("kbd", {}, "t")),
      alone ? null : make("span", { class: "views", role: "group", "aria-label": "What is shown" }, this.views),
      alone ? null : make("span", { class: "goto" },
        button(make("span", { class: "words" }, "previous difference "), { "data-do": "previous", "aria-keyshortcuts": "p" }, "↑ ", make("kbd", {}, "p")),
        button(make("span", { class: "words" }, "next difference "), { "data-do": "next", "aria-keyshortcuts": "n" }, "↓ ", make("kbd", {}, "n"))),
      this.count, make("span", { class: "seek" }, this.seek, make("kbd", {}, "/")));
    this.heads = make("div", { class: "heads row" });
    this.bands = make("div", { class: "bands" });
    this.body = make("div", { class: "both" }, this.heads, this.bands);
    this.section.replaceChildren(make("div", { class: "title" }, make("h4", {}, title + " ", this.note), tools), this.body);
    this.section.classList.add("pair");
    for (const ways of this.section.closest(".body")?.querySelectorAll(".ways") ?? []) ways.open = !narrow.matches;
    this.section.pair = this;
    tools.addEventListener("click", (event) => this.clicked(event.target.closest("button")));
    this.heads.addEventListener("click", (event) => this.copied(event.target.closest("button")));
    this.heads.addEventListener("change", (event) => this.chosen(event.target));
    this.seek.addEventListener("input", () => this.find(0));
    this.seek.addEventListener("keydown", (event) => this.keyed(event));
  }

  clicked(pressed) {
    const action = { swap: () => this.swap(), previous: () => this.step(-1), next: () => this.step(1) }[pressed?.dataset.do];
    if (action) return action();
    const view = this.views.indexOf(pressed);
    if (view >= 0) this.view(view);
  }

  view(number) {
    this.views.forEach((b, i) => b.setAttribute("aria-pressed", String(i === number)));
    this.body.dataset.view = ["", "l", "r"][number];
    this.changed();
  }

  keyed(event) {
    if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.seek.value = "";
      this.find(0);
      this.seek.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  chosen(select) {
    const talk = this.talks[select.value];
    if (select.dataset.side === "l") this.show(talk, talk === this.right ? this.left : this.right);
    else this.show(talk === this.left ? this.right : this.left, talk);
  }

  swap() {
    if (this.right) this.show(this.right, this.left);
  }

  show(left, right) {
    Object.assign(this, { left, right, at: 0 });
    this.note.textContent = "";
    this.draw();
    this.find(0);
  }

  async copied(pressed) {
    if (!pressed) return;
    const talk = pressed.dataset.side === "l" ? this.left : this.right, words = pressed.textContent;
    const text = talk.turns().map((turn) => {
      turn.querySelectorAll("summary, .no, .took").forEach((e) => e.remove());
      const who = turn.querySelector(".who")?.textContent.trim() ?? "", said = turn.querySelector(".said") ?? turn;
      return (who && who + ":\n") + Array.from(said.children, (e) => e.textContent).join("\n");
    }).join("\n\n");
    await copy(text).then(() => (pressed.textContent = "Copied"), () => (pressed.textContent = "Not allowed here"));
    setTimeout(() => (pressed.textContent = words), 1500);
  }

  head(talk, side) {
    const options = this.talks.map((t, i) => make("option", { value: i, selected: t === talk }, "Trial " + t.trial + " " + t.word));
    const which = this.talks.length > 1 ? make("select", { "aria-label": (side === "l" ? "left" : "right") + " trial", "data-side": side }, options) : make("b", {}, "Trial " + talk.trial);
    return make("div", { class: "head " + side }, which, " ", talk.badge(), " ", make("span", { class: "note" }, talk.about), " ", button("Copy", { class: "quiet", "data-side": side, "aria-label": "Copy the conversation of trial " + talk.trial }));
  }

  draw() {
    const { left, right } = this;
    this.heads.replaceChildren(...[this.head(left, "l"), right && this.head(right, "r")].filter(Boolean));
    this.section.classList.toggle("single", !right);
    [left, right].forEach((talk, i) => (this.views[i + 1].textContent = "Trial " + talk?.trial));
    this.bands.replaceChildren(...(right ? this.besides() : this.alone()));
    const elsewhere = right && this.elsewhere();
    if (elsewhere) this.bands.prepend(make("p", { class: "note elsewhere" }, elsewhere));
    this.differences = Array.from(this.bands.querySelectorAll(".diff"));
    this.tell(this.differ());
    this.changed();
  }

  // elsewhere says that these two do not part where the trials of the test do.
  elsewhere() {
    const part = this.section.closest(".body")?.querySelector(".parting"), a = this.left.calls(), b = this.right.calls();
    if (!part || !a || !b) return "";
    const ignored = new Set(part.dataset.ignored.split("\n")), counted = (calls) => calls.filter((c) => !ignored.has(c.name)).map((c) => c.key);
    const l = counted(a), r = counted(b), depth = Number(part.dataset.depth);
    let same = 0;
    while (same < l.length && same < r.length && l[same] === r[same]) same++;
    const steps = (n) => (n === 0 ? "at the first step" : "after " + some(n, "equal step"));
    if (same === depth) return "";
    if (same < depth) return "These two diverge earlier, " + steps(same) + ". The place above, after " + some(depth, "step") + ", fits the outcomes of all trials best.";
    const where = same === l.length && same === r.length ? "nowhere: they make the same " + some(same, "step") : steps(same);
    return "These two are equal at the place above and diverge " + where + ".";
  }

  tell(words) {
    this.count.textContent = words;
  }

  // differ says how many differences there are.
  differ() {
    if (!this.right) return "";
    return this.differences.length > 0 ? some(this.differences.length, "difference") : "no step differs";
  }

  alone() {
    return [make("div", { class: "row whole" }, make("div", { class: "cell" }, this.left.turns())), this.end(this.left, null)];
  }

  // besides are both conversations.
  besides() {
    const a = this.left.bands(), b = this.right.bands(), out = [];
    const groups = grouped(a.steps, b.steps), total = groups.filter((g) => g.kind !== "same").length;
    const sameSystem = a.system && b.system && a.system.querySelector(".said").textContent === b.system.querySelector(".said").textContent;
    if (sameSystem) out.push(make("div", { class: "row whole" }, make("div", { class: "cell" }, a.system)));
    else if (a.system || b.system) out.push(this.row([a.system], [b.system]));
    let number = 0;
    for (const group of groups) {
      if (group.kind === "same") out.push(this.equal(group));
      else out.push(...this.different(group, ++number, total));
    }
    if (a.rest.length + b.rest.length > 0) {
      out.push(make("h5", { class: "after" }, a.steps.length + b.steps.length > 0 ? "After the last step" : "Neither calls a tool"));
      out.push(this.row(a.rest.length ? a.rest : [nothing("Nothing more was said.")], b.rest.length ? b.rest : [nothing("Nothing more was said.")]));
    }
    out.push(this.end(this.left, this.right));
    return out;
  }

  end(left, right) {
    const words = (t) => make("p", { class: "fin" }, t.badge(), " Trial " + t.trial + " ends here: " + t.about + ".");
    return make("div", { class: "row ends" + (right ? "" : " whole") }, make("div", { class: "cell l" }, words(left)), right && make("div", { class: "cell r" }, words(right)));
  }

  cell(talk, side, children, tagged) {
    const full = children.filter(Boolean);
    const tag = tagged && full.length > 0 ? make("p", { class: "tag" }, "Trial " + talk.trial + " ", talk.badge()) : null;
    return make("div", { class: "cell " + side + (full.length ? "" : " empty") }, tag, full);
  }

  row(l, r) {
    return make("div", { class: "row" }, this.cell(this.left, "l", l, true), this.cell(this.right, "r", r, true));
  }

  // band is talk and step of both: talk beside talk and step beside step.
  band(leftTalk, leftStep, rightTalk, rightStep) {
    if (leftTalk.length + rightTalk.length === 0) return this.row(leftStep, rightStep);
    return make("div", { class: "row two" }, this.cell(this.left, "l", leftTalk, true), this.cell(this.left, "l", leftStep, leftTalk.length === 0),
      this.cell(this.right, "r", rightTalk, true), this.cell(this.right, "r", rightStep, rightTalk.length === 0));
  }

  equal({ rows }) {
    const left = rows.flatMap(([l]) => [...l.talk, l.turn, ...l.answers]), right = rows.flatMap(([, r]) => [...r.talk, r.turn, ...r.answers]);
    const l = turnsFrom(left), r = turnsFrom(right);
    const where = l === r ? l + " in both" : l + " · " + r;
    const bands = rows.map(([l, r]) => this.band(l.talk, [l.turn, ...l.answers], r.talk, [r.turn, ...sameAnswers(l, r)]));
    return make("details", { class: "alike" }, make("summary", {}, make("b", {}, some(rows.length, "equal step")), " ", named(rows.map(([l]) => l.name)), " ", make("span", { class: "where" }, where)), bands);
  }

  different({ kind, rows }, number, total) {
    const side = kind === "right" ? 1 : 0, one = rows.map((row) => row[side]), talk = side ? this.right : this.left;
    const words = [];
    if (kind === "swap") {
      const [l, r, i, j] = rows[0];
      words.push("at step " + (i + 1) + (i === j ? "" : " and " + (j + 1)) + ": ", make("code", {}, l.name), l.name === r.name ? " with other arguments" : " against ", l.name === r.name ? "" : make("code", {}, r.name));
      mark(l, r);
    } else {
      const from = rows[0][2 + side] + 1, to = rows.at(-1)[2 + side] + 1;
      words.push((from === to ? "step " + from : "steps " + from + " to " + to) + " only in trial " + talk.trial + ": ", named(one.map((s) => s.name)));
    }
    const bands = rows.map(([l, r]) => this.band(l ? lead(l.talk) : [], l ? stepTurns(l) : [nothing("Trial " + this.left.trial + " has no such step.")], r ? lead(r.talk) : [], r ? stepTurns(r) : [nothing("Trial " + this.right.trial + " has no such step.")]));
    return [make("h5", { class: "diff", tabindex: "-1" }, make("span", {}, "Difference " + number + " of " + total), " ", words), ...bands];
  }

  // step goes to the next or the previous difference.
  step(by) {
    if (this.differences.length === 0) return;
    this.front();
    this.at = Math.min(this.differences.length, Math.max(1, this.at + by));
    this.differences.forEach((d, i) => d.classList.toggle("here", i + 1 === this.at));
    const here = this.differences[this.at - 1];
    here.scrollIntoView({ block: "start" });
    here.focus({ preventScroll: true });
    this.tell("difference " + this.at + " of " + this.differences.length);
  }

  // find goes to the next turn that has what is searched for, and marks them all.
  find(by) {
    const sought = this.seek.value.trim().toLowerCase();
    CSS.highlights?.delete("seek");
    this.leave();
    if (!sought) {
      this.sought = "";
      return this.tell(this.differ());
    }
    const ranges = [], hits = Array.from(this.bands.querySelectorAll(".turn")).filter((turn) => rangesOf(turn, sought, ranges));
    if (window.Highlight) CSS.highlights.set("seek", new Highlight(...ranges));
    if (hits.length === 0) return this.tell("no turn has it");
    this.hit = this.sought === sought ? (this.hit + by + hits.length) % hits.length : 0;
    this.sought = sought;
    this.reveal(hits[this.hit]);
    this.tell("turn " + (this.hit + 1) + " of " + hits.length);
  }

  leave() {
    for (const turn of this.bands.querySelectorAll(".turn.here")) turn.classList.remove("here");
  }

  reveal(turn) {
    for (let d = turn.closest("details"); d && !d.matches(".test"); d = d.parentElement.closest("details")) d.open = true;
    turn.classList.add("here");
    turn.scrollIntoView({ block: "center" });
  }

  // front selects the tab of the conversations.
  front() {
    this.section.closest(".body")?.select?.(0);
  }

  // go shows a trial, and a turn of it or its first difference.
  go(number, turn) {
    const talk = this.talks.find((t) => t.number === number);
    if (!talk) return this.tell("trial " + number + " is not among these");
    if (talk !== this.left && talk !== this.right) {
      if (talk.passed() === this.left.passed()) this.show(talk, this.right);
      else this.show(this.left, talk);
    }
    this.front();
    this.leave();
    const found = turn && this.bands.querySelector('.turn[data-of="' + number + '"][data-turn="' + CSS.escape(thousands(Number(turn))) + '"]');
    if (found) this.reveal(found);
    else {
      this.at = 0;
      this.step(1);
    }
  }
}

// grouped are the aligned steps as runs of one kind: the same in both, replaced, or
// only left or right. A row is both steps and their places.
function grouped(first, second) {
  const groups = [];
  for (const [i, j] of aligned(first, second)) {
    const l = first[i], r = second[j], last = groups.at(-1);
    const kind = l && r ? (l.key === r.key ? "same" : "swap") : l ? "left" : "right";
    if (last?.kind === kind && kind !== "swap") last.rows.push([l, r, i, j]);
    else groups.push({ kind, rows: [[l, r, i, j]] });
  }
  return groups;
}

const nothing = (words) => make("p", { class: "nothing" }, words);

const namedRuns = 6; // of a longer list its beginning and its end

// named are names as code, equal neighbours with their number.
function named(names) {
  const runs = [];
  for (let i = 0, end; i < names.length; i = end) {
    for (end = i + 1; names[end] === names[i]; ) end++;
    runs.push([end - i > 1 ? end - i + " × " : "", make("code", {}, names[i])]);
  }
  const shown = runs.length > namedRuns ? [...runs.slice(0, namedRuns / 2), ["…"], ...runs.slice(-namedRuns / 2)] : runs;
  return make("span", { class: "which" }, shown.flatMap((run, i) => [i > 0 ? ", " : "", ...run]));
}

// lead is the talk before a difference: from the last user turn on, the rest folded.
function lead(talk) {
  const from = talk.findLastIndex((turn) => turn.matches(".user"));
  if (from < 1) return talk;
  const before = talk.slice(0, from), words = turnsFrom(before);
  return [make("details", { class: "output earlier" }, make("summary", {}, words.charAt(0).toUpperCase() + words.slice(1)), before), ...talk.slice(from)];
}

const shortAnswer = 8; // lines of a tool's answer beside a difference

function stepTurns(step) {
  step.answers.forEach(shorten);
  return [step.turn, ...step.answers];
}

// shorten folds an answer after a few lines.
function shorten(turn) {
  const pre = turn.querySelector(".said > pre"), rest = turn.querySelector(".rest-of");
  if (!pre || pre.textContent.split("\n").length <= shortAnswer + 2) return;
  const more = make("pre", {}, behindLines(pre, shortAnswer), ...(rest?.querySelector("pre").childNodes ?? []));
  rest?.remove();
  pre.after(make("details", { class: "output rest-of" }, make("summary", {}, some(more.textContent.replace(/\n$/, "").split("\n").length, "more line")), more));
}

// behindLines takes from an element what stands behind its first lines.
function behindLines(element, lines) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = new Range();
  for (let node; lines > 0 && (node = walker.nextNode()); ) {
    for (let i = node.data.indexOf("\n"); i >= 0 && lines > 0; i = node.data.indexOf("\n", i + 1)) if (--lines === 0) range.setStart(node, i + 1);
  }
  range.setEndAfter(element.lastChild);
  return range.extractContents();
}

// sameAnswers are those of the right step, folded where the left one got the same.
function sameAnswers(left, right) {
  const said = (step) => step.answers.map((t) => t.querySelector(".said").textContent).join("\n");
  if (right.answers.length === 0 || said(left) !== said(right)) return right.answers;
  return [make("details", { class: "output same" }, make("summary", {}, "the same answer, " + turnsFrom(right.answers)), right.answers)];
}

// mark marks what differs in two calls that stand beside each other.
function mark(left, right) {
  const tools = [left, right].map((s) => s.turn.querySelectorAll(".tool"));
  if (left.name !== right.name) return tools.forEach((all) => all.forEach((t) => t.classList.add("differs")));
  const values = (step) => new Map(Array.from(step.turn.querySelectorAll(".arg"), (a) => [a.dataset.name, a]));
  const l = values(left), r = values(right);
  for (const name of new Set([...l.keys(), ...r.keys()])) {
    const both = [l.get(name), r.get(name)].filter(Boolean), texts = both.map((arg) => arg.textContent);
    if (both.length === 1) both[0].classList.add("differs");
    else if (texts[0] !== texts[1]) both.forEach((arg, i) => markPart(arg, texts[i], texts[1 - i]));
  }
}

// markPart marks the words of a text between those with which both begin and end.
function markPart(arg, text, other) {
  const words = (s) => s.match(/[\p{L}\p{N}_.-]+|[^]/gu) ?? [], mine = words(text), others = words(other);
  const most = Math.min(mine.length, others.length);
  let from = 0, end = 0;
  while (from < most && mine[from] === others[from]) from++;
  while (end < most - from && mine.at(-1 - end) === others.at(-1 - end)) end++;
  const part = mine.slice(from, mine.length - end).join("");
  if (!part) return arg.classList.add("differs");
  arg.replaceChildren(mine.slice(0, from).join(""), make("span", { class: "differs" }, part), mine.slice(mine.length - end).join(""));
}

// rangesOf adds where a turn has some text, and tells whether it has.
function rangesOf(turn, sought, ranges) {
  const walker = document.createTreeWalker(turn, NodeFilter.SHOW_TEXT), before = ranges.length;
  for (let node; (node = walker.nextNode()); ) {
    const text = node.data.toLowerCase();
    for (let i = text.indexOf(sought); i >= 0; i = text.indexOf(sought, i + sought.length)) {
      const range = new Range();
      range.setStart(node, Math.min(i, node.length));
      range.setEnd(node, Math.min(i + sought.length, node.length));
      ranges.push(range);
    }
  }
  return ranges.length > before;
}

// pairInView is that of the opened test which has the focus, or else which a reader looks
// at.
function pairInView(root) {
  const beside = document.querySelector("#pane:not([hidden]) .pair");
  if (beside) return beside.checkVisibility() ? beside.pair : null;
  let found = document.activeElement?.closest(".test[open]")?.querySelector(".pair")?.pair;
  if (found) return found;
  for (const section of root.querySelectorAll(".test[open] .pair")) {
    const box = section.closest(".test").getBoundingClientRect();
    if (box.bottom > 0 && box.top < innerHeight / 2) found = section.pair;
  }
  return found;
}
