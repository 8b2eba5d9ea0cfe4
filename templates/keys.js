// The keyboard: "/" to search, n and p from difference to difference, j and k or the arrows from test to test, o to open,
// ? for help.

function listenToKeys(page) {
  const help = document.getElementById("help");
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  help.querySelector("button").addEventListener("click", () => help.close());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || page.view) return;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    const action = typing ? inFind[event.key] : anywhere[event.key] ?? (page.root.contains(event.target) && inList[event.key]);
    if (action && action(page, help, event.target) !== false) event.preventDefault();
  });
}

const inFind = {
  Escape: ({ tools, state }, _, target) => {
    if (target !== tools.find) return false;
    if (state.find) tools.set("find", "");
    target.blur();
  },
  Enter: (page, _, target) => (target === page.tools.find ? step(page, 1) : false),
};

const anywhere = {
  "/": ({ tools, root }) => {
    const pair = pairInView(root);
    if (pair) return pair.seek.focus();
    tools.find.focus();
    tools.find.select();
  },
  n: ({ root }) => pairInView(root)?.step(1),
  p: ({ root }) => pairInView(root)?.step(-1),
  t: ({ root }) => pairInView(root)?.swap(),
  "?": (_, help) => help.showModal(),
  j: (page) => step(page, 1),
  k: (page) => step(page, -1),
  o: (page) => {
    const row = current(page), test = row?.querySelector(".test");
    if (test && wide.matches && !test.open) page.pane.pressed(row.place, true);
    else if (test) test.open = !test.open;
  },
};

const inList = {
  ArrowDown: (page) => step(page, 1),
  ArrowUp: (page) => step(page, -1),
};

function current({ root }) {
  const row = document.activeElement?.closest("#rows > li");
  return row && root.contains(row) ? row : null;
}

// step moves the focus to the next or the previous test: from the one that has
// it, else from the one that had it last, else from the edge of the list.
function step(page, by) {
  const { list } = page, row = current(page);
  if (page.pane.place >= 0) page.last = page.pane.place;
  else if (row?.place !== undefined) page.last = row.place;
  let i = list.where.get(page.last) ?? (by > 0 ? -1 : list.items.length);
  do i += by;
  while (i >= 0 && i < list.items.length && typeof list.items[i] !== "number");
  if (list.items[i] === undefined) return;
  page.last = list.items[i];
  list.reach(page.last)?.querySelector("summary")?.focus({ preventScroll: true });
  if (page.pane.place < 0) return;
  page.pane.show(page.last);
  entered(page, page.pane.root.dataset.test);
}
