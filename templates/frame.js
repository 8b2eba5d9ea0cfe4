// What every page does beyond HTML: open what is folded for printing.
let openedForPrint = [];

function openAll() {
  openedForPrint = Array.from(document.querySelectorAll("details:not([open])"));
  for (const d of openedForPrint) d.open = true;
}

function closeAgain() {
  for (const d of openedForPrint) d.open = false;
  openedForPrint = [];
}

window.addEventListener("beforeprint", openAll);
window.addEventListener("afterprint", closeAgain);
