// Runs before anything is drawn, so that a page in chosen colours never flashes in
// others. The names are those of frame.js.
try {
  const theme = localStorage.getItem("tribunal-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // no storage: the colours of the system
}
