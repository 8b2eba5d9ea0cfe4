// Data in the page: islands, gzipped. The index is JSON; the tests are HTML as that of the
// page, each behind the other with "\\0" between.

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

// element is the one element of some HTML.
function element(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}
