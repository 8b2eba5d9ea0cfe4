// Which tests are shown and in which order. It knows the columns of the index and
// the state, and nothing of the page.
//
// A test is its place in the index, a whole number. An item of the list is a
// place, or the heading { id, title, count } of the places behind it.

const emptyState = () => ({ find: "", kinds: [], cause: "", flags: 0, suite: "", variant: "", label: "", group: "", sort: "" });

// columns that can be sorted by: what is compared, and which end comes first.
const sortKeys = {
  name: { words: "name", of: (x) => (p) => counted(x.texts[p]) },
  passed: { words: "passed", of: (x) => (p) => x.passed[p] },
  rate: { words: "pass rate", of: (x) => (p) => (x.counted[p] ? x.passed[p] / x.counted[p] : null) },
  trials: { words: "trials", of: (x) => (p) => x.total[p], down: true },
  time: { words: "median time", of: (x) => (p) => x.time[p], down: true },
  cost: { words: "cost", of: (x) => (p) => x.cost[p], down: true },
};

// counted makes a name sort as people count: before the digits of each number
// stands how many there are, as a letter.
const counted = (name) => name.replace(/\d+/g, (number) => {
  const digits = number.replace(/^0+/, "");
  return "0" + String.fromCharCode(digits.length) + digits;
});
const asCounted = (a, b) => {
  const v = counted(a), w = counted(b);
  return v < w ? -1 : v > w ? 1 : 0;
};

// prepare adds to an index what is looked up often: each name as it is printed, and as
// other reports have it where that differs.
function prepare(x) {
  const of = (column, p) => column.words[column.cells[p]];
  const name = (suite, p, variant) => (suite + x.tests[p] + (variant && " [" + variant + "]")).toLowerCase();
  x.texts = x.tests.map((_, p) => name(of(x.suites, p) + of(x.betweens, p), p, of(x.variants, p)));
  x.former = x.tests.map((_, p) => of(x.formers, p) && name(of(x.formers, p) + "/", p, of(x.variants, p)));
  x.sets = x.labelSets.words.map((set) => (set ? set.split(",").map(Number) : []));
  return x;
}

function labelNumber(x, text) {
  return x.labels.findIndex(([name, value]) => name + "=" + value === text);
}

// condition makes the test of a place against the state; says(p, word) reports that
// a test says a word beyond its name.
function condition(x, state, says) {
  const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds = new Set(state.kinds.map((k) => x.kinds.words.indexOf(k)));
  const caused = x.causes.words.map((ids) => ids.split(",").includes(state.cause));
  const suite = state.suite && x.suites.words.indexOf(state.suite.slice(1));
  const variant = state.variant && x.variants.words.indexOf(state.variant.slice(1));
  const label = state.label && labelNumber(x, state.label);
  const holds = (p, word) => x.texts[p].includes(word) || x.former[p].includes(word) || says(p, word);
  return (p) =>
    (kinds.size === 0 || kinds.has(x.kinds.cells[p])) &&
    (state.cause === "" || caused[x.causes.cells[p]]) &&
    (state.flags === 0 || (x.flags[p] & state.flags) !== 0) &&
    (suite === "" || x.suites.cells[p] === suite) &&
    (variant === "" || x.variants.cells[p] === variant) &&
    (label === "" || x.sets[x.labelSets.cells[p]].includes(label)) &&
    words.every((word) => holds(p, word));
}

// sorted orders places; what is not known comes last, and equal ones stay as
// the page has them.
function sorted(x, places, sort) {
  if (!sort) return places;
  const up = !sort.startsWith("-"), key = sortKeys[sort.replace("-", "")];
  if (!key) return places;
  const values = places.map(key.of(x)), sign = up ? 1 : -1;
  const order = places.map((_, i) => i).sort((a, b) => {
    const v = values[a], w = values[b];
    if (v === w) return a - b;
    if (v === null || w === null) return v === null ? 1 : -1;
    return v < w ? -sign : sign;
  });
  return order.map((i) => places[i]);
}

// grouping gives a key and a title for a place; null when nothing is grouped.
function grouping(x, state) {
  const by = state.group || (state.sort ? "none" : "kind");
  if (by === "kind") {
    return (p) => x.groups.find((g) => p < g.to);
  }
  const titled = new Map();
  const group = (title) => {
    if (!titled.has(title)) titled.set(title, { id: "", title });
    return titled.get(title);
  };
  if (by === "suite") return (p) => group(x.suites.words[x.suites.cells[p]] || "no suite");
  if (by === "variant") return (p) => group(x.variants.words[x.variants.cells[p]] || "no variant");
  if (!by.startsWith("label:")) return null;
  const name = by.slice(6);
  return (p) => {
    const found = x.sets[x.labelSets.cells[p]].find((l) => x.labels[l][0] === name);
    return group(found === undefined ? "no " + name : name + " = " + x.labels[found][1]);
  };
}

// itemsOf is the list to show, and how many tests are in it.
function itemsOf(x, state, says) {
  const fits = condition(x, state, says), places = [];
  for (let p = 0; p < x.tests.length; p++) if (fits(p)) places.push(p);
  const order = sorted(x, places, state.sort), groupOf = grouping(x, state);
  if (!groupOf) return { items: order, shown: places.length };
  const groups = new Map();
  for (const p of order) {
    const g = groupOf(p);
    if (groups.has(g)) groups.get(g).push(p);
    else groups.set(g, [p]);
  }
  const items = [];
  for (const [g, members] of groups) {
    items.push({ id: g.id, title: g.title, count: members.length });
    for (const p of members) items.push(p);
  }
  return { items, shown: places.length };
}
