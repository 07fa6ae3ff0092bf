"use strict";
// Before anything is painted: the system's theme. Who asks for a place further down gets all laid out at once.
(({ dataset }) => {
  dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [opened] = performance.getEntriesByType("navigation");
  if (location.hash || opened?.type !== "navigate") dataset.painted = "yes";
})(document.documentElement);
