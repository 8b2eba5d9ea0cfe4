// The state of the list in the address, behind #: a test that is open, and what
// is shown. A link to a test alone is #t-…, as the HTML has it.

function readState(hash) {
  const state = emptyState();
  let open = "";
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, ...rest] = part.split("="), value = decode(rest.join("="));
    if (rest.length === 0) open = name;
    else if (name === "verdict") state.verdicts = value.split(",").filter(Boolean);
    else if (name === "flags") state.flags = Number(value) | 0;
    else if (name in state && typeof state[name] === "string") state[name] = value;
  }
  return { state, open };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody cut the address
  }
}

function writeState(state, open) {
  const parts = open ? [open] : [];
  const add = (name, value) => value && parts.push(name + "=" + encodeURIComponent(value).replaceAll("%2C", ","));
  add("find", state.find);
  add("verdict", state.verdicts.join(","));
  add("flags", state.flags);
  for (const name of ["suite", "variant", "label", "group", "sort"]) add(name, state[name]);
  const hash = "#" + parts.join("&");
  if (hash === (location.hash || "#")) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // a frame without an origin has no history; the page works without
  }
}
