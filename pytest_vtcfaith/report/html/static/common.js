"use strict";
/* What all parts share. Data arrive as strings and numbers, and become text nodes and attributes: never markup. */
const vtc = { data: {}, waiting: {} };

/* Scripts of data call this. */
vtc.take = (name, data) => { vtc.data[name] = data; };

/* Loads a file of data; the promise is fulfilled when it has run, and rejected when it is not there. */
vtc.load = (file) => {
  vtc.waiting[file] ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `vtc-html/data/${file}.js`;
    script.onload = () => { script.remove(); done(); };
    script.onerror = () => { delete vtc.waiting[file]; failed(new Error(`${script.src} cannot be read`)); };
    document.head.append(script);
  });
  return vtc.waiting[file];
};

vtc.idle = () => new Promise((done) => setTimeout(done, 0));

const SVG = "http://www.w3.org/2000/svg";

/* An element with attributes and children. Functions become listeners, strings become text. */
function make(namespace, tag, attributes, children) {
  const found = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") found.addEventListener(name, value);
    else found.setAttribute(name, value === true ? "" : String(value));
  }
  found.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => (c instanceof Node ? c : String(c))));
  return found;
}
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) => make(SVG, tag, attributes, children);

/* The language of a case as pages of the web name it; null where it has none, or several. */
const langOf = (name) => (name && name !== "mixed" ? name : null);

/* A text of the page or the transcript: its direction does not reach out of it. */
const foreign = (text, kind = "span", attributes = {}) => h(kind, { ...attributes, class: `foreign ${attributes.class ?? ""}`.trim() }, text);

const number = (value) => {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(4).replace(/\.?0+$/, "");
};
const signed = (value) => (value === null || value === undefined ? "–" : (value > 0 ? "+" : value < 0 ? "−" : "±") + number(Math.abs(value)));
const words = (name) => name.replaceAll("_", " ");
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const limits = (gate) => [gate.min === null ? "" : `≥ ${number(gate.min)}`, gate.max === null ? "" : `≤ ${number(gate.max)}`].filter(Boolean).join(", ");

const MARKS = { pass: "✔", fail: "✖", inconclusive: "◐", not_measured: "∅", not_applicable: "–", "": "–" };
const badge = (verdict) => h("span", { class: `badge ${verdict}` },
  h("span", { "aria-hidden": "true" }, `${MARKS[verdict] ?? "–"} `), words(verdict || "no gate"));

/* Kinds of a word, as the data count them: 0 is equal. */
const KINDS = ["", "rewritten", "close", "wrong", "missing", "added"];
const KIND_TEXT = {
  rewritten: "rewritten to the original", close: "close: within two edits", wrong: "another word",
  missing: "not in the transcript", added: "not on the page",
};
const SHAPES = { rewritten: "◆", close: "≈", wrong: "✕", missing: "○", added: "▲" };
const shape = (kind) => h("span", { class: `shape ${kind}`, "aria-hidden": "true" }, SHAPES[kind]);

/* A misread word in a line: what is printed → what was read. */
const misread = ([kind, printed, read]) => h("span", { class: "misread" }, shape(KINDS[kind]), " ",
  h("span", { class: "unseen" }, `${KINDS[kind]}: `),
  printed ? foreign(printed, "del") : h("span", { class: "nothing" }, "nothing"), " → ",
  read ? foreign(read, "ins") : h("span", { class: "nothing" }, "nothing"));

/* A model in a table, without what the names of all models share; the whole name is at the head of the first page. */
const modelName = (name) => foreign(shared(vtc.data.overview.models).get(name) ?? name, "span", { title: name });

/* A case without the model before it, where there is but one or `told` is named beside it. */
const caseName = (ask, told) => {
  const [first, ...more] = vtc.data.overview.models, model = told || (more.length ? null : first);
  return model && ask.startsWith(`${model}-`) ? ask.slice(model.length + 1) : ask;
};
const caseLink = (ask) => `#case=${encodeURIComponent(ask)}`;
const casesLink = (filter) => `#cases?${new URLSearchParams(filter)}`;

/* The cases of a tier and, where a run has several models, of the one that is spoken of: a gate may be about all. */
const tierLink = ({ tier, model }) => casesLink(vtc.data.overview.models.length > 1 && vtc.data.overview.models.includes(model) ? { tier, model } : { tier });

const say = (text) => { document.getElementById("said").textContent = text; };

const NUMBERS = new Set(["Measured", "Value", "Limit", "Gates passed", "Score", "Was", "Is", "Loss", "Allowed", "Documents", "Sees from"]);

/* A table with a caption, heads and rows of cells. */
const table = (caption, heads, rows, attributes = {}) => h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
  h("table", attributes, h("caption", { class: "unseen" }, caption),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col", class: NUMBERS.has(head) ? "number" : null }, head)))),
    h("tbody", null, rows)));
