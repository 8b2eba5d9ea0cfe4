// The controls above the list. They show the state and change it.

class Tools {
  constructor(index, state, changed) {
    this.index = index;
    this.state = state;
    this.changed = changed;
    this.root = document.getElementById("tools");
    this.find = document.getElementById("find");
    this.fillChoices();
    this.find.addEventListener("input", () => this.set("find", this.find.value));
    this.listenToMore(this.root.querySelector(".more"));
    this.root.addEventListener("click", (event) => this.clicked(event.target.closest("button")));
    this.makeHeadings();
  }

  // listenToMore closes the choices when somebody clicks elsewhere or presses Escape.
  listenToMore(more) {
    document.addEventListener("click", (event) => (more.open &&= more.contains(event.target)));
    more.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      more.open = false;
      more.firstElementChild.focus();
      event.stopPropagation();
    });
  }

  set(name, value) {
    this.state[name] = value;
    this.changed();
  }

  clicked(button) {
    if (!button) return;
    const { kind, flag } = button.dataset, { kinds, flags } = this.state;
    if (kind) this.set("kinds", kinds.includes(kind) ? kinds.filter((k) => k !== kind) : [...kinds, kind]);
    else if (flag) this.set("flags", flags ^ Number(flag));
    else if (button.id === "clear") this.clear();
    else if (button.id === "cause") this.set("cause", "");
  }

  clear() {
    Object.assign(this.state, { ...emptyState(), group: this.state.group, sort: this.state.sort });
    this.changed();
  }

  // fillChoices offers what the index has. A choice without a choice stays hidden.
  fillChoices() {
    const { suites, variants, labels } = this.index;
    const names = labelNames(labels);
    const offered = labels.filter(([name]) => names.get(name) <= choices).map(([name, value]) => name + "=" + value);
    this.choice("suite", [...suites.words].sort(asCounted).map((w) => ["/" + w, w || "no suite"]));
    this.choice("variant", [...variants.words].sort(asCounted).map((w) => ["/" + w, w || "no variant"]));
    this.choice("label", offered.sort(asCounted).map((l) => [l, l]));
    const groups = [...(suites.words.length > 1 ? [["suite", "suite"]] : []), ...(variants.words.length > 1 ? [["variant", "variant"]] : [])];
    for (const name of names.keys()) groups.push(["label:" + name, "label " + name]);
    this.choice("group", groups);
    this.choice("sort", Object.entries(sortKeys).flatMap(([key, { words }]) =>
      this.known(key) ? [[key, words + ", lowest first"], ["-" + key, words + ", highest first"]] : []));
  }

  known(key) {
    return !(key in this.index) || this.index[key].some((v) => v !== null);
  }

  choice(id, options) {
    const field = document.getElementById(id);
    for (const [value, words] of options.slice(0, choices)) this.offer(field, value, words);
    if (options.length > 1) field.hidden = false;
    field.addEventListener("change", ({ target }) => this.set(id, target.value));
  }

  offer(field, value, words) {
    field.append(make("label", {}, make("input", { type: "radio", name: field.id, value }), words));
  }

  // makeHeadings turns the headings of the columns into buttons that sort.
  makeHeadings() {
    this.headings = Array.from(document.querySelectorAll("#columns [data-sort]"), (span) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...span.childNodes);
      button.addEventListener("click", () => this.sortBy(span.dataset.sort));
      span.append(button);
      return { button, key: span.dataset.sort, words: button.textContent };
    });
  }

  sortBy(key) {
    const first = sortKeys[key].down ? "-" + key : key, second = sortKeys[key].down ? key : "-" + key;
    const next = this.state.sort === first ? second : this.state.sort === second ? "" : first;
    this.set("sort", next);
  }

  // show brings the controls in line with the state.
  show(shown) {
    const { state } = this, all = this.index.tests.length;
    if (this.find.value !== state.find) this.find.value = state.find;
    for (const button of this.root.querySelectorAll("[aria-pressed]")) {
      const { kind, flag } = button.dataset;
      if (kind || flag) button.setAttribute("aria-pressed", String(kind ? state.kinds.includes(kind) : (state.flags & flag) !== 0));
    }
    this.showCause(state.cause);
    for (const id of ["suite", "variant", "label", "group", "sort"]) this.showChoice(document.getElementById(id), state[id]);
    for (const { button, key, words } of this.headings) {
      const up = state.sort === key, down = state.sort === "-" + key;
      button.dataset.order = up ? "up" : down ? "down" : "";
      button.setAttribute("aria-label", words + (up ? ", sorted, lowest first" : down ? ", sorted, highest first" : ": sort by it"));
    }
    document.getElementById("clear").hidden = shown === all;
    document.getElementById("shown").textContent =
      shown === all ? "" : thousands(shown) + " of " + thousands(all) + " tests shown";
  }

  // showCause marks the cause whose tests are shown.
  showCause(cause) {
    const links = Array.from(document.querySelectorAll("[data-cause]")), link = links.find((a) => a.dataset.cause === cause);
    for (const a of links) a === link ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current");
    const chip = document.getElementById("cause");
    chip.hidden = !cause;
    chip.textContent = link?.firstElementChild.textContent ?? "cause " + cause;
  }

  showChoice(field, value) {
    const offered = () => Array.from(field.elements).find((radio) => radio.value === value);
    if (!offered()) this.offer(field, value, value.replace(/^\//, ""));
    offered().checked = true;
  }
}

const choices = 1000; // more than a person chooses from

// labelNames counts the values of each label.
function labelNames(labels) {
  const names = new Map();
  for (const [name] of labels) names.set(name, (names.get(name) ?? 0) + 1);
  return names;
}
