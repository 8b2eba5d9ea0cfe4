// The open test beside the list, on pages with room for both. The body of its row moves
// here and back.

const wide = window.matchMedia("(min-width: 68.76rem)");

class Pane {
  constructor(page) {
    this.page = page;
    this.place = -1;
    this.root = document.getElementById("pane");
    this.title = document.getElementById("pane-title");
    this.holder = document.getElementById("opened");
    const actions = { previous: () => step(page, -1), next: () => step(page, 1), close: () => this.leave() };
    this.root.addEventListener("click", (event) => actions[event.target.closest("[data-do]")?.dataset.do]?.());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.place >= 0 && !document.querySelector("dialog[open]") && event.target.tagName !== "INPUT") this.leave();
    });
    page.rows.isOpen = (place) => place === this.place;
  }

  // pressed opens a test, or closes it where it is the open one.
  pressed(place, byKey) {
    if (place === this.place) return this.leave();
    this.show(place);
    entered(this.page, this.root.dataset.test);
    if (byKey) this.root.focus({ preventScroll: true });
  }

  // show puts a test beside the list and is the element that holds it, once it is drawn.
  async show(place) {
    const { rows, list } = this.page, test = list.elements.get(place)?.querySelector(".test");
    if (place === this.place || !test) return this.filled;
    this.putBack();
    this.place = place;
    this.root.dataset.test = test.id;
    this.title.replaceChildren(...[".glyph", ".name", ".kn"].flatMap((part) => [test.querySelector("summary " + part)?.cloneNode(true) ?? "", " "]));
    this.holder.replaceChildren(test.querySelector(":scope > .body"));
    this.test = test;
    test.classList.add("here");
    test.firstElementChild.setAttribute("aria-current", "true");
    this.root.scrollTop = 0;
    if (this.root.hidden) this.lay(true);
    return (this.filled = rows.fill(this.holder, place).then(() => this.holder));
  }

  // leave closes the test as its reader asks.
  leave() {
    const { place } = this, { list } = this.page;
    this.close();
    left(this.page);
    list.reach(place)?.querySelector("summary")?.focus({ preventScroll: true });
  }

  close() {
    if (this.place < 0) return;
    this.putBack();
    this.place = -1;
    this.lay(false);
  }

  // putBack gives the body back to its row; a row that was drawn again has its own.
  putBack() {
    for (const old of document.querySelectorAll(".test.here")) {
      old.classList.remove("here");
      old.firstElementChild.removeAttribute("aria-current");
    }
    if (this.test && !this.test.querySelector(":scope > .body")) this.test.append(...this.holder.childNodes);
    this.holder.replaceChildren();
    this.test = null;
  }

  // lay gives the list its width, and keeps the row of the test where it was.
  lay(open) {
    const { list } = this.page, row = this.test?.getBoundingClientRect().top;
    this.root.hidden = !open;
    document.getElementById("panes").classList.toggle("reading", open);
    list.resized();
    list.draw();
    if (row !== undefined) window.scrollBy({ top: this.test.getBoundingClientRect().top - row, behavior: "instant" });
  }
}
