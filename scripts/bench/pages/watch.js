// Runs in every page before its own scripts: notes when a reader could begin to
// filter, and types for the reader. Times are milliseconds since the page began
// to load.
window.watched = (() => {
  const seen = { filter: 0, busy: 0 }; // since when the filter is there, until when a task blocked the page

  // filter is the field a reader types into to find a test.
  const filter = () =>
    Array.from(document.querySelectorAll("input[type=search], input[type=text], input:not([type])")).find((e) => e.checkVisibility());

  const look = () => {
    if (filter()) seen.filter = performance.now();
    else setTimeout(look, 20);
  };

  // usable is since when the page answers: its filter is there, and no task of 50 ms
  // and more came after for half a second. 0 while it is not.
  const usable = () => {
    const loaded = performance.getEntriesByType("navigation")[0]?.domContentLoadedEventEnd ?? 0;
    const since = Math.max(seen.filter, seen.busy, loaded);
    return seen.filter && loaded && performance.now() - since > 500 ? since : 0;
  };

  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  // drawn waits until the next frame is on the screen.
  const drawn = () =>
    new Promise((done) =>
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(0);
      }));

  // key changes the filter as a key does and tells how long it takes until what
  // changes by it is on the screen: the page has to stay as it is for half a second,
  // because some wait before they filter.
  const key = async (field, text) => {
    const start = performance.now();
    let changed = start, shown = 0;
    const changes = new MutationObserver(async () => {
      changed = performance.now();
      await drawn();
      shown = performance.now();
    });
    changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await drawn();
    shown = Math.max(shown, performance.now());
    while (performance.now() - changed < 500) await pause(20);
    changes.disconnect();
    return shown - start;
  };

  // type is the time of each key of a word.
  const type = async () => {
    const field = filter(), times = [];
    field.focus();
    for (const text of ["t", "te", "tes", "test", "test-0", "test-00", "test-001"]) times.push(await key(field, text));
    return times;
  };

  new PerformanceObserver((tasks) => {
    for (const { startTime, duration } of tasks.getEntries()) seen.busy = Math.max(seen.busy, startTime + duration);
  }).observe({ type: "longtask", buffered: true });
  look();
  return {
    type,
    state: () => ({ filter: seen.filter, busy: seen.busy, usable: usable(), now: performance.now(), elements: document.getElementsByTagName("*").length,
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0 }),
  };
})();
