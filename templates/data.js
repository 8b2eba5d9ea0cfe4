// Data in the page: islands of gzipped JSON, and drawing from them. The look of a
// test has one source, the templates: the index brings them as a blueprint, lists
// of nodes that package render/html made of the templates after html/template
// secured them. What each node is stands in its blueprint.go.

// island is the text of a data island, "" when the page has none of this name.
async function island(id) {
  const element = document.getElementById(id);
  if (!element) return "";
  const bytes = bytesOf(element.textContent.slice(1, -1));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// bytesOf decodes base64; browsers before 2025 have no word for it.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// thousands is a whole number with its thousands apart, as the HTML has it.
const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "\0": "\ufffd" };
const escapeText = (v) => String(v ?? "").replace(/[&<>"'\0]/g, (c) => entities[c]);
const percentByte = (c) => "%" + c.charCodeAt(0).toString(16);

// The escapers of html/template, by the numbers of the blueprint.
const escapers = [
  escapeText,
  (v) => {
    const [scheme, rest] = String(v).split(":", 2);
    if (rest !== undefined && !scheme.includes("/") && !/^(https?|mailto)$/i.test(scheme)) return "#ZgotmplZ";
    return escapeText(encodeURI(v).replace(/%25([0-9a-f]{2})/gi, "%$1").replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/['()]/g, percentByte));
  },
  (v) => escapeText(encodeURIComponent(v).replace(/[!'()*]/g, percentByte)),
];

const functions = {
  not: (a) => !a,
  and: (...all) => all.find((a) => !a) ?? all.at(-1),
  or: (...all) => all.find(Boolean) ?? all.at(-1),
  eq: (a, ...others) => others.includes(a),
  ne: (a, b) => a !== b,
};

// valueOf finds what a value of the blueprint stands for.
function valueOf(value, dot, vars) {
  if (!Array.isArray(value)) {
    return "v" in value ? value.v : functions[value.f](...value.a.map((a) => valueOf(a, dot, vars)));
  }
  const named = typeof value[0] === "string";
  let found = named ? vars[value[0]] : dot;
  for (let i = named ? 1 : 0; i < value.length; i++) found = found[value[i]];
  return found;
}

// drawer makes a function that draws a part of the blueprint as HTML.
function drawer(blueprint) {
  const part = (name, dot) => list(blueprint[name], dot, { $: dot });

  function list(nodes, dot, vars) {
    let out = "";
    for (const node of nodes) out += typeof node === "string" ? node : drawn(node, dot, vars);
    return out;
  }

  function drawn([kind, value, ...rest], dot, vars) {
    if (kind === 4) return part(value, valueOf(rest[0], dot, vars));
    const found = valueOf(value, dot, vars);
    if (kind === 0) return escapers[rest[0]](found);
    if (!found) return list(rest[1], dot, vars);
    if (kind === 1) return list(rest[0], dot, vars);
    if (kind === 2) return list(rest[0], found, vars);
    return found.map((each, i) => list(rest[0], each, { ...vars, [rest[2]]: i, [rest[3]]: each })).join("");
  }
  return part;
}

// element is the one element of some HTML.
function element(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}
