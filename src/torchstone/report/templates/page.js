"use strict";
(() => {
  const root = document.documentElement;
  // What no first screen needs stands at the end, packed: a browser reads every character before it paints.
  const unpack = async (id) => {
    const text = atob(document.getElementById(id).textContent), bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  // (An index of pages has nothing packed.)
  const read = async (id) => (document.getElementById(id) ? JSON.parse(await unpack(id)) : {});

  // Charts come drawn with the page. One that a narrower box would make unreadable is drawn anew to fit, nearest first,
  // and one under the pointer so that its marks answer. Colours are the style's names: a theme changes them by itself.
  let specs = {}, drawn = {};
  const toned = (spec) => JSON.parse(JSON.stringify(spec, (_, value) => (drawn.tones.includes(value) ? `var(--tone-${value.slice(1)})` : value)));
  const fitted = (spec, width) => {
    // Long labels would leave a phone no room for the marks: there they stand above their rows instead.
    if (spec.facet) return spec;
    if (width >= 560) return { ...spec, width };
    const above = {
      labelLimit: width - 16, labelAlign: "left", labelBaseline: "bottom", labelPadding: 0, labelOffset: -9,
      labelExpr: "replace(datum.value, '\\n', ' \u00b7 ')", ticks: false, domain: false,
    };
    const rows = spec.usermeta?.rows;
    const place = (key, value) => {
      if (key === "axis" && value?.labelLimit && rows) return { ...value, ...above };
      return key === "legend" && value ? { ...value, labelLimit: width - 110 } : value;
    };
    return JSON.parse(JSON.stringify({ ...spec, width, ...(rows ? { height: rows * 40 } : {}) }, place));
  };
  const forbidLoading = {
    load: () => Promise.reject(new Error("this page fetches nothing")),
    sanitize: () => Promise.reject(new Error("this page fetches nothing")),
    http: () => Promise.reject(new Error("this page fetches nothing")),
    file: () => Promise.reject(new Error("this page fetches nothing")),
  };
  const loaded = new Promise((done) => (document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done()));
  // What is below the first screen is text until that is painted: the browser need not build it before.
  // (Without a script it is there from the beginning.)
  const unfold = () => {
    const rest = document.getElementById("rest");
    if (!rest) return;
    const place = document.createRange();
    place.selectNode(rest);
    rest.replaceWith(place.createContextualFragment(rest.textContent));
  };
  const prepare = async () => {
    if (root.dataset.painted) unfold();
    await loaded;
    root.dataset.painted = "yes";
    unfold();
    [specs, drawn] = await Promise.all([read("specs-data"), read("drawing-data")]);
    listen();
    width = innerWidth;
  };
  const addVega = async () => {
    const script = document.createElement("script");
    script.textContent = await unpack("vega");
    document.getElementById("vega").replaceWith(script);
  };
  let vega = null;
  const needVega = () => (vega ??= addVega());
  let width = 0;
  const prepared = prepare();
  let drawing = prepared;
  const fits = (plot) => {
    const still = plot.querySelector(".still");
    return still && (specs[plot.dataset.spec]?.facet || Math.abs(still.viewBox.baseVal.width / plot.offsetWidth - 1) < 0.1);
  };
  const drawAnew = async (plot) => {
    const spec = specs[plot.dataset.spec];
    if (!spec || plot.offsetWidth === 0) return;
    await needVega();
    const tooltip = { theme: root.dataset.theme }, box = document.createElement("div");
    const options = { actions: false, renderer: "svg", logLevel: 1, config: drawn.config, loader: forbidLoading, tooltip };
    try {
      const made = await vegaEmbed(box, toned(fitted(spec, plot.offsetWidth)), options);
      box.querySelector("svg").setAttribute("aria-hidden", "true");
      plot.replaceChildren(box);
      plot.made?.finalize();
      plot.made = made;
    } catch (error) {
      plot.textContent = "This chart could not be drawn; the table holds its numbers.";
      console.error(error);
    }
    await new Promise((done) => setTimeout(done));
  };
  const queue = (plot, isNeeded) => {
    drawing = drawing.then(async () => {
      if (isNeeded(plot)) await drawAnew(plot);
      if (plot.querySelector("svg")) plot.dataset.drawn = "yes";
    });
  };
  const draw = async () => {
    await prepared;
    for (const plot of document.querySelectorAll(".plot")) queue(plot, (one) => !fits(one));
    await drawing;
    root.dataset.drawn = "yes";
  };
  document.addEventListener("pointerover", (event) => {
    const plot = event.target.closest?.(".plot");
    if (plot) queue(plot, (one) => !one.made);
  });

  // Every figure as a picture and as a table: both made here, from what the page holds.
  const save = (name, address) => {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  };
  const savePicture = async (name) => {
    await drawing;
    await needVega();
    const box = document.createElement("div");
    const light = { background: "white", view: { stroke: null } };
    const options = { actions: false, renderer: "canvas", logLevel: 1, config: light, loader: forbidLoading };
    const made = await vegaEmbed(box, fitted(specs[name], 760), options);
    save(`${name}.png`, await made.view.toImageURL("png", 2));
    made.view.finalize();
  };
  const saveTable = async (name) => {
    await prepared;
    const rows = specs[name].data?.values || [];
    const columns = [...new Set(rows.flatMap(Object.keys))];
    // A cell that begins with a sign would be run as a formula by a spreadsheet.
    const cell = (given) => {
      const text = given === undefined ? "" : String(given);
      const harmless = typeof given === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return `"${harmless.replaceAll('"', '""')}"`;
    };
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
    const text = lines.map((line) => line.map(cell).join(",")).join("\r\n");
    save(`${name}.csv`, URL.createObjectURL(new Blob([text], { type: "text/csv" })));
  };
  document.addEventListener("click", (event) => {
    const { png, csv } = event.target.dataset || {};
    if (png) savePicture(png);
    if (csv) saveTable(csv);
  });

  // In a notebook's frame a link into this page would lead to the notebook: go there by hand.
  if (location.href === "about:srcdoc") {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      document.querySelector(link.getAttribute("href"))?.scrollIntoView();
    });
  }

  // The theme: the system's, until the person chooses.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  let chosen = null;
  const apply = () => {
    const dark = chosen === null ? system.matches : chosen === "dark";
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(dark));
    draw();
  };
  button.addEventListener("click", () => { chosen = root.dataset.theme === "dark" ? "light" : "dark"; apply(); });
  system.addEventListener("change", apply);
  apply();
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 200);
  });

  // Tables: search, filter by status, sort by a heading.
  const value = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const order = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === typeof b && typeof a === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sortBy = (table, heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = [...table.tBodies[0].rows].map((row) => [value(row, column), row]);
    const empty = (key) => key === "";
    keyed.sort(([a], [b]) => (empty(a) || empty(b) || !down ? order(a, b) : order(b, a)));
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  };
  const searchable = (box) => {
    const rows = [...box.querySelectorAll("tbody tr, [data-row]")];
    const search = box.querySelector("[data-search]");
    const filter = box.querySelector("[data-filter]");
    const count = box.querySelector("[data-count]");
    const refresh = () => {
      const words = (search?.value || "").toLowerCase().split(/\s+/).filter(Boolean);
      const status = filter?.value || "";
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const kept = row.cells ? row.cells[row.cells.length - 1].querySelector("span")?.textContent.trim() : "";
        row.hidden = !words.every((word) => text.includes(word)) || (status !== "" && kept !== status);
        if (!row.hidden) shown += 1;
      }
      if (count) count.textContent = `${shown} of ${rows.length} rows`;
    };
    search?.addEventListener("input", refresh);
    filter?.addEventListener("change", refresh);
    const table = box.querySelector("table");
    if (!table) return;
    [...table.tHead.rows[0].cells].forEach((heading, column) =>
      heading.querySelector("button").addEventListener("click", () => sortBy(table, heading, column)));
  };
  function listen() {
    for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", () => details.querySelector(".plot") && draw());
    for (const box of document.querySelectorAll("[data-table]")) searchable(box);
  }

  // Raw samples: built when a number is clicked; the browser's own dialog keeps the keyboard inside and Escape closes.
  const dialog = document.getElementById("samples");
  let book = null;
  const put = (id, text) => { document.getElementById(id).textContent = text; };
  const element = (name, text) => { const made = document.createElement(name); made.textContent = text; return made; };
  const line = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, given] of Object.entries(attributes)) made.setAttribute(key, given);
    return made;
  };
  const plot = (samples, middle) => {
    const low = Math.min(...samples), span = Math.max(...samples) - low || 1;
    const x = (at) => (samples.length > 1 ? (at / (samples.length - 1)) * 590 + 5 : 300);
    const y = (sample) => 110 - ((sample - low) / span) * 100;
    const points = samples.map((sample, at) => `${x(at)},${y(sample)}`).join(" ");
    document.getElementById("samples-plot").replaceChildren(
      line("polyline", { points }), line("line", { x1: 0, x2: 600, y1: y(middle), y2: y(middle) }));
  };
  const show = (entry) => {
    const { samples, unit } = entry;
    const ordered = [...samples].sort((a, b) => a - b);
    const half = ordered.length >> 1;
    const middle = ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
    put("samples-title", `${entry.name} on ${entry.how}`);
    put("samples-summary", `${entry.quantity} in ${unit}: ${entry.count} samples` +
      (samples.length ? `; lowest ${ordered[0]}, highest ${ordered[ordered.length - 1]} of those shown` : ""));
    put("samples-note", samples.length < entry.count
      ? `${samples.length} of ${entry.count}, evenly spaced, in the order measured; the run file holds all.`
      : "All, in the order measured.");
    document.getElementById("samples-facts").replaceChildren(...entry.facts.map(([name, text]) => {
      const pair = document.createElement("div");
      pair.append(element("dt", name), element("dd", text));
      return pair;
    }));
    document.getElementById("samples-list").replaceChildren(...samples.map((sample) => element("li", String(sample))));
    if (samples.length) plot(samples, middle); else document.getElementById("samples-plot").replaceChildren();
    dialog.showModal();
  };
  document.addEventListener("click", async (event) => {
    const number = event.target.closest?.("[data-samples]");
    if (number) {
      book ??= await read("samples-data");
      show(book[Number(number.dataset.samples)]);
    } else if (event.target === dialog) dialog.close();
  });
})();
