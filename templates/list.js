// The list of tests on the page. It draws all items while they are few, and those
// near the window when they are many; rows that came as HTML are used as they
// are. Where rows are left out, padding keeps their room, and every row says its
// place in the whole list for those who hear the page.

const margin = 800; // pixels drawn beyond the window
const printed = 2000; // items that go on paper at most

class List {
  // make makes the element of an item, sort names those of about one height, and
  // limit is how many are drawn at once.
  constructor(root, make, sort, limit) {
    this.root = root;
    this.make = make;
    this.sort = sort;
    this.limit = limit;
    this.items = [];
    this.elements = new Map(); // of the drawn items, by item, in their order
    this.from = 0; // the number of the first of them
    this.usual = {}; // heights, by sort
    this.heights = new Float64Array(0); // measured, 0 when not
    this.tops = new Float64Array(1);
    this.everything = false; // for printing
    window.addEventListener("scroll", () => this.later(), { passive: true });
    window.addEventListener("resize", () => this.resized());
  }

  show(items) {
    this.items = items;
    this.places = null;
    this.heights = new Float64Array(items.length);
    this.windowed = items.length > this.limit;
    this.elements.clear();
    this.draw();
  }

  // where is the number of each item in the list: made when it is asked for, because
  // it takes as long as a key may.
  get where() {
    return (this.places ??= new Map(this.items.map((item, i) => [item, i])));
  }

  resized() {
    this.heights.fill(0);
    this.usual = {};
    this.later();
  }

  later() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = null;
      if (this.windowed && this.root.offsetParent) this.draw();
    });
  }

  // redraw makes the elements anew that wait for data.
  redraw() {
    let i = this.from, any = false;
    for (const [item, old] of this.elements) {
      if (old.className === "waiting") {
        const fresh = this.element(i);
        old.replaceWith(fresh);
        this.elements.set(item, fresh);
        any = true;
      }
      i++;
    }
    if (any) this.later();
  }

  draw() {
    const anchor = this.anchor();
    this.layOut();
    const [from, to] = this.range(anchor);
    this.put(from, to);
    this.pad(from, to);
    this.measure(from, to);
    if (anchor?.element.isConnected) {
      const moved = anchor.element.getBoundingClientRect().top - anchor.top;
      if (Math.abs(moved) > 1) window.scrollBy({ top: moved, behavior: "instant" });
    }
  }

  // anchor is the first row in the window: it should stay where it is while
  // others come and go and guesses turn out wrong.
  anchor() {
    if (!this.windowed) return null;
    let i = this.from;
    for (const element of this.elements.values()) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > 0 && top < window.innerHeight) return { i, element, top };
      i++;
    }
    return null;
  }

  // layOut adds up where each item begins.
  layOut() {
    const tops = new Float64Array(this.items.length + 1);
    for (let i = 0; i < this.items.length; i++) tops[i + 1] = tops[i] + (this.heights[i] || this.usual[this.sort(this.items[i])] || 32);
    this.tops = tops;
  }

  // range are the items to draw: those in the window and near it.
  range(anchor) {
    if (!this.windowed || this.everything) return [0, Math.min(this.items.length, this.everything ? printed : Infinity)];
    const top = anchor ? this.tops[anchor.i] - anchor.top : -this.root.getBoundingClientRect().top;
    return [this.itemAt(top - margin), Math.min(this.items.length, this.itemAt(top + window.innerHeight + margin) + 1)];
  }

  itemAt(y) {
    let lo = 0, hi = this.items.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.tops[mid] <= y) lo = mid;
      else hi = mid - 1;
    }
    return Math.max(lo, 0);
  }

  put(from, to) {
    const wanted = new Map();
    for (let i = from; i < to; i++) {
      const item = this.items[i];
      wanted.set(item, this.elements.get(item) ?? this.element(i));
    }
    this.saveFocus(wanted);
    const kept = new Set(wanted.values());
    for (const child of Array.from(this.root.children)) if (!kept.has(child)) child.remove();
    let at = this.root.firstElementChild;
    for (const element of kept) {
      if (element === at) at = at.nextElementSibling;
      else this.root.insertBefore(element, at);
    }
    this.elements = wanted;
    this.from = from;
  }

  element(i) {
    const element = this.make(this.items[i]);
    if (this.windowed) {
      element.setAttribute("aria-posinset", i + 1);
      element.setAttribute("aria-setsize", this.items.length);
    } else {
      element.removeAttribute("aria-posinset");
      element.removeAttribute("aria-setsize");
    }
    return element;
  }

  // saveFocus keeps the focus in the list when its row is scrolled away.
  saveFocus(wanted) {
    const row = document.activeElement?.closest("#" + this.root.id + " > li");
    if (row && !Array.from(wanted.values()).includes(row)) this.root.focus({ preventScroll: true });
  }

  pad(from, to) {
    const all = this.tops[this.items.length], room = this.windowed && !this.everything;
    this.root.style.paddingTop = room ? this.tops[from] + "px" : "";
    this.root.style.paddingBottom = room ? all - this.tops[to] + "px" : "";
  }

  // measure keeps the heights of what is drawn, and the first closed row of each
  // sort as the guess for all of its sort.
  measure(from, to) {
    if (!this.windowed) return;
    for (let i = from; i < to; i++) {
      const element = this.elements.get(this.items[i]);
      this.heights[i] = element.getBoundingClientRect().height;
      if (!element.querySelector(":scope > details[open]")) this.usual[this.sort(this.items[i])] ??= this.heights[i];
    }
  }

  // reach draws an item if it is not and brings it into the window.
  reach(item, block = "nearest") {
    const i = this.where.get(item);
    if (i === undefined) return null;
    // Where an item begins is a guess until what is before it was drawn: a miss
    // makes the next guess better.
    for (let tries = 0; tries < 8 && !this.elements.has(item); tries++) {
      this.layOut();
      const top = this.root.getBoundingClientRect().top + window.scrollY + this.tops[i];
      window.scrollTo({ top: top - window.innerHeight / 3, behavior: "instant" });
      this.draw();
    }
    const element = this.elements.get(item);
    element?.scrollIntoView({ block, behavior: "instant" });
    return element;
  }
}
