"use strict";
// The page's own script is read after the first paint: before that it would only hold it up.
// Who asks for a place further down, or comes back, gets all laid out at once.
// (A frame or a tab that is out of sight is never painted: it waits for no longer than a blink.)
(() => {
  const start = () => {
    const inert = document.getElementById("page-script");
    if (!inert) return;
    const script = document.createElement("script");
    script.textContent = inert.textContent;
    inert.replaceWith(script);
  };
  const [opened] = performance.getEntriesByType("navigation");
  if (location.hash || opened?.type !== "navigate") {
    document.documentElement.dataset.painted = "yes";
    start();
    return;
  }
  new PerformanceObserver(start).observe({ type: "paint", buffered: true });
  setTimeout(start, 300);
})();
