// What goes on paper: the list as it is shown, as far as paper goes, with what the
// trials of each test said. A page cannot wait while it is printed, so what
// travels as data is left out where nobody opened it, and the paper says so.

function print({ root, list, pane }, everything) {
  const { place } = pane;
  if (everything) {
    pane.close();
    pane.printed = place;
  } else if (pane.printed >= 0) pane.show(pane.printed);
  if (list.windowed) {
    list.everything = everything;
    list.draw();
  }
  document.getElementById("paper").textContent = everything ? leftOut(root, list) : "";
}

// leftOut says what is not on paper, "" when all is.
function leftOut(root, list) {
  const tests = list.items.filter((item) => typeof item === "number").length;
  const missing = tests - root.querySelectorAll(":scope > li > .test").length;
  const unread = root.querySelectorAll(".unread").length, away = root.querySelectorAll(".away").length - unread;
  const parts = [
    missing && thousands(missing) + " of " + thousands(tests) + " tests",
    unread && "what is behind the lines of " + thousands(unread) + " tests",
    away && "numbers and pictures of " + thousands(away) + " tests",
  ].filter(Boolean);
  return parts.length === 0 ? "" : "Left out on paper: " + parts.join("; ") + ". What is filtered and opened before printing is printed in full.";
}
