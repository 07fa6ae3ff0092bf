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

  let figures = null;
  const readFigures = () => (figures ??= read("figures-data"));
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
    listen();
    root.dataset.drawn = "yes";
  };
  prepare();

  // What a mark stands for: where it is pointed at, tapped, or reached from its chart with the arrow keys.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.role = "status";
  tip.hidden = true;
  document.body.append(tip);
  let told = null;
  const hush = () => {
    told?.classList.remove("told");
    told = null;
    tip.hidden = true;
  };
  const tell = async (mark, x, y) => {
    if (told !== mark) hush();
    told = mark;
    mark.classList.add("told");
    const { rows, says } = (await readFigures())[mark.closest(".plot").dataset.figure];
    if (told !== mark) return;
    const [name, ...others] = says.map((field) => rows[mark.dataset.row][field]).filter(Boolean);
    tip.textContent = `${name}\n${others.join(" \u00b7 ")}`;
    tip.hidden = false;
    const below = y + 18, above = Math.max(8, y - 12 - tip.offsetHeight);
    tip.style.left = `${scrollX + Math.max(8, Math.min(x + 14, root.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${scrollY + (below + tip.offsetHeight < innerHeight ? below : above)}px`;
  };
  const markNear = (x, y, reach) => {
    // Marks are small: what lies beside the pointer counts too, the nearest first.
    for (let far = 0; far <= reach; far += 4) {
      for (let turn = 0; turn < (far ? 8 : 1); turn += 1) {
        const angle = (turn * Math.PI) / 4, found = document.elementFromPoint(x + far * Math.cos(angle), y + far * Math.sin(angle));
        if (found?.dataset.row) return found;
      }
    }
    return null;
  };
  const point = (event, reach) => {
    const mark = event.target.closest?.(".plot") && markNear(event.clientX, event.clientY, reach);
    if (mark) tell(mark, event.clientX, event.clientY); else hush();
  };
  document.addEventListener("pointermove", (event) => event.pointerType !== "touch" && point(event, 8));
  document.addEventListener("click", (event) => point(event, 20));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hush();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches?.(".plot")) return;
    const marks = [...event.target.querySelectorAll("[data-row]")].filter((one) => one.getClientRects().length);
    if (!marks.length) return;
    event.preventDefault();
    const at = marks.indexOf(told), next = marks[at < 0 ? 0 : (at + step + marks.length) % marks.length];
    next.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = next.getBoundingClientRect();
    tell(next, x + width / 2, y + height / 2);
  });
  document.addEventListener("focusout", hush);

  // Every figure as a picture and as a table: both made here, from what the page holds.
  const save = (name, address) => {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  };
  const savePicture = async (name) => {
    const { drawing } = (await readFigures())[name];
    const shown = document.querySelector(`#figure-${name} .wide`), writer = new XMLSerializer();
    if (!drawing && !shown) return;
    // The style's first rule holds the colours of the light.
    const light = document.styleSheets[0].cssRules[0].style;
    const text = drawing ?? writer.serializeToString(shown)
      .replace(/var\((--[^)]+)\)/g, (_, colour) => light.getPropertyValue(colour));
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute("width", 2 * width);
    svg.setAttribute("height", 2 * height);
    svg.setAttribute("font-family", "system-ui, sans-serif");
    svg.setAttribute("font-size", "13");
    const picture = new Image();
    picture.src = `data:image/svg+xml,${encodeURIComponent(writer.serializeToString(svg))}`;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0);
    save(`${name}.png`, canvas.toDataURL("image/png"));
  };
  const saveTable = async (name) => {
    const { rows } = (await readFigures())[name];
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
  };
  button.addEventListener("click", () => { chosen = root.dataset.theme === "dark" ? "light" : "dark"; apply(); });
  system.addEventListener("change", apply);
  apply();

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
    for (const plot of document.querySelectorAll(".plot")) plot.tabIndex = 0;
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
