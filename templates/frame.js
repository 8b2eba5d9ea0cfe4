// What every page does beyond HTML: open what is folded for printing.
let openedForPrint = [];
const printing = []; // what a page does besides: called with true before its folds open, with false after

function openAll() {
  for (const prepare of printing) prepare(true);
  openedForPrint = Array.from(document.querySelectorAll("details:not([open])"));
  for (const d of openedForPrint) d.open = true;
}

function closeAgain() {
  for (const d of openedForPrint) d.open = false;
  openedForPrint = [];
  for (const prepare of printing) prepare(false);
}

window.addEventListener("beforeprint", openAll);
window.addEventListener("afterprint", closeAgain);

// The colours: as the system has them, light or dark. A page that is opened from
// a file may have no storage; the choice is forgotten with it then.
const themes = { "": "as the system", light: "light", dark: "dark" };

function storedTheme(chosen) {
  try {
    if (chosen !== undefined) localStorage.setItem("tribunal-theme", chosen);
    return localStorage.getItem("tribunal-theme") ?? "";
  } catch {
    return chosen ?? "";
  }
}

function showTheme(button, chosen) {
  const theme = chosen in themes ? chosen : "";
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  button.lastElementChild.textContent = themes[theme];
}

function startTheme(button) {
  if (!button) return;
  const names = Object.keys(themes);
  showTheme(button, storedTheme());
  button.addEventListener("click", () => {
    const next = names[(names.indexOf(document.documentElement.dataset.theme ?? "") + 1) % names.length];
    storedTheme(next);
    showTheme(button, next);
  });
  button.hidden = false;
}

startTheme(document.getElementById("theme"));
