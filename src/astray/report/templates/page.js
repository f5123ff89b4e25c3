"use strict";
// Tables: sorting, copying. Figures: saving. Small helpers for the other files.
const all = (query, from = document) => [...from.querySelectorAll(query)];
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};

const number = (cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v));

function sortBy(table, place, direction) {
  const body = table.tBodies[0];
  const key = (row) => number(row.cells[place]) ?? row.cells[place].textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (typeof x === typeof y) return direction * (typeof x === "number" ? x - y : x.localeCompare(y, undefined, { numeric: true }));
    return typeof x === "number" ? -1 : 1; // what has no number stands last, either way
  };
  const rows = all("tr", body);
  rows.forEach((row, index) => (row.dataset.place ??= index));
  rows.sort((a, b) => (direction ? compare(a, b) : 0) || a.dataset.place - b.dataset.place);
  body.append(...rows);
}

for (const table of all("table")) {
  if (table.tBodies[0].rows.length < 2) continue;
  for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = make("button", { type: "button", class: "sort", title: "Sort" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === null ? "descending" : now === "descending" ? "ascending" : null;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      if (next) head.setAttribute("aria-sort", next);
      table.classList.toggle("sorted", next !== null);
      sortBy(table, place, { descending: -1, ascending: 1 }[next] ?? 0);
    });
  }
}

const plain = (text) => text.trim().replace(/\s+/g, " ").replaceAll("−", "-");

// Every estimate takes columns of its own for the ends of its interval and for n, to eight digits.
function asLines(table) {
  const rows = all("tr", table.tBodies[0]).map((row) => [...row.cells]);
  const heads = [...table.tHead.rows[0].cells].map((head) => plain(head.textContent));
  const wide = heads.map((_, place) => rows.some((row) => row[place].dataset.low !== undefined));
  const first = heads.flatMap((head, place) => (wide[place] ? [head, `${head} low`, `${head} high`, `${head} n`] : [head]));
  const rest = rows.map((row) =>
    row.flatMap((cell, place) => {
      const { v, low = "", high = "", n = "" } = cell.dataset;
      const text = plain((cell.querySelector("bdi") ?? cell.firstChild)?.textContent ?? ""); // what follows is the interval
      const value = v ?? (text === "–" ? "" : text);
      return wide[place] ? [value, low, high, n] : [value];
    }),
  );
  return [first, ...rest].map((line) => line.join("\t")).join("\n") + "\n";
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { readonly: true, class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    await copy(asLines(button.closest("table")));
    const done = button.parentElement.querySelector(".done");
    done.textContent = "Copied";
    setTimeout(() => (done.textContent = ""), 2000);
  });
}

// A figure by itself: its style within, on white.
function standalone(figure) {
  const drawing = (figure.querySelector("svg.wide") ?? figure.querySelector("svg")).cloneNode(true);
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const edge = 16;
  drawing.setAttribute("viewBox", `${-edge} ${-edge} ${width + 2 * edge} ${height + 2 * edge}`);
  drawing.setAttribute("width", width + 2 * edge);
  drawing.setAttribute("height", height + 2 * edge);
  const space = "http://www.w3.org/2000/svg";
  const style = document.createElementNS(space, "style");
  style.textContent = document.getElementById("figure-style").textContent;
  const paper = document.createElementNS(space, "rect");
  for (const [name, value] of Object.entries({ x: -edge, y: -edge, width: "100%", height: "100%", fill: "#fff" })) paper.setAttribute(name, value);
  drawing.prepend(style, paper);
  return { text: new XMLSerializer().serializeToString(drawing), width: width + 2 * edge, height: height + 2 * edge };
}

function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function asPicture({ text, width, height }, scale = 3) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = make("canvas", { width: width * scale, height: height * scale });
  canvas.getContext("2d").drawImage(picture, 0, 0, width * scale, height * scale);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

for (const button of all("[data-save]")) {
  button.addEventListener("click", async () => {
    const figure = button.closest("figure");
    const name = figure.dataset.name.replace(/[^\p{L}\p{N}.-]+/gu, "-");
    const drawing = standalone(figure);
    const blob = button.dataset.save === "svg" ? new Blob([drawing.text], { type: "image/svg+xml" }) : await asPicture(drawing);
    save(blob, `${name}.${button.dataset.save}`);
  });
}

// On a phone a row becomes a card: every number beside the name of its column. The roles keep it a table to a reader.
function asCards(table) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  table.setAttribute("role", "table");
  table.classList.add("cards");
  for (const part of [table.tHead, table.tBodies[0]]) part.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    for (const [place, cell] of [...row.cells].entries()) {
      cell.setAttribute("role", row.parentElement === table.tHead ? "columnheader" : place ? "cell" : "rowheader");
      if (place) cell.dataset.column = heads[place];
    }
  }
}

const phone = matchMedia("screen and (max-width: 46rem)");
const fit = () => phone.matches && all("table.broad:not(.cards)").forEach(asCards);
phone.addEventListener("change", fit);
fit();

// Only what is wider than the screen needs to be scrolled, and so to be reached.
const reach = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const scroll of all(".scroll")) reach.observe(scroll);
for (const tools of all(".tools")) tools.hidden = false;
