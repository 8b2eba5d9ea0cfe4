// What every page does beyond HTML: the colours, as the system has them, light or dark. What was chosen before is
// set by early.js, before anything is drawn.
const themes = { "": "as the system", light: "light", dark: "dark" };

function theme() {
  return document.documentElement.dataset.theme ?? "";
}

function choose(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    localStorage.setItem("tribunal-theme", theme);
  } catch {
    // a page that is opened from a file may have no storage: the choice is forgotten with it
  }
}

function startTheme(button) {
  if (!button) return;
  const names = Object.keys(themes), words = button.lastElementChild;
  words.textContent = themes[theme()];
  button.addEventListener("click", () => {
    choose(names[(names.indexOf(theme()) + 1) % names.length]);
    words.textContent = themes[theme()];
  });
  button.hidden = false;
}

startTheme(document.getElementById("theme"));
