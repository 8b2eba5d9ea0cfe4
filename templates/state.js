// The state of the list in the address, behind #: a test that is open, and what
// is shown. A link to a test alone is #t-…, as the HTML has it, and to a turn of it
// #t-…&trial=3&turn=7.

function readState(hash) {
  const state = emptyState(), at = { trial: "", turn: "" };
  let open = "";
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, ...rest] = part.split("="), value = decode(rest.join("="));
    if (rest.length === 0) open = name;
    else if (name in at) at[name] = value.replace(/\D/g, "");
    else if (name === "kind") state.kinds = value.split(",").filter(Boolean);
    else if (name === "flags") state.flags = Number(value) | 0;
    else if (name in state && typeof state[name] === "string") state[name] = value;
  }
  return { state, open, at };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody cut the address
  }
}

// writeState keeps the state in the address; push makes it one that Back leaves.
function writeState(state, open, at, push) {
  const parts = open ? [open] : [];
  const add = (name, value) => value && parts.push(name + "=" + encodeURIComponent(value).replaceAll("%2C", ","));
  if (open.startsWith("t-")) for (const name of ["trial", "turn"]) add(name, at[name]);
  add("find", state.find);
  add("kind", state.kinds.join(","));
  add("cause", state.cause);
  add("flags", state.flags);
  for (const name of ["suite", "variant", "label", "group", "sort"]) add(name, state[name]);
  const hash = "#" + parts.join("&");
  if (hash === (location.hash || "#")) return;
  try {
    if (push) history.pushState({ from: location.hash }, "", hash);
    else history.replaceState(history.state, "", hash);
  } catch {
    // a frame without an origin has no history; the page works without
  }
}
