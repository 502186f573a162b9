"use strict";
/* How series and places look in charts, and how their names fit: shapes and dashes tell them apart without colour. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"];
const COLOURS = 6;
const path = (d, kind) => s("path", { d, class: kind ?? null });
const SHAPED = [
  (x, y, kind) => s("circle", { cx: x, cy: y, r: 4, class: kind ?? null }),
  (x, y, kind) => s("rect", { x: x - 3.6, y: y - 3.6, width: 7.2, height: 7.2, class: kind ?? null }),
  (x, y, kind) => path(`M${x} ${y - 5}l5 8.6h-10z`, kind),
  (x, y, kind) => path(`M${x} ${y - 5.2}l5.2 5.2l-5.2 5.2l-5.2 -5.2z`, kind),
  (x, y, kind) => path(`M${x} ${y + 5}l5 -8.6h-10z`, kind),
];
const POINTS = [
  ...SHAPED, (x, y) => path(`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, "open"),
  ...SHAPED.map((shape_) => (x, y) => shape_(x, y, "hollow")), (x, y) => path(`M${x - 5} ${y}h10m-5 -5v10`, "open"),
];
const point = (place, x, y) => POINTS[place % POINTS.length](x, y);
const dash = (place) => DASHES[place % DASHES.length] || null;
const look = (one, place) => (one.published ? "published" : `series-${place % COLOURS}`);

/* A name in lines of `most` characters, broken behind a space or a sign where it can be; nothing of it is lost. */
const wrapped = (name, most) => {
  const lines = [""];
  for (const part of name.match(/[^\s,/_·-]+[\s,/_·-]*|[\s,/_·-]+/g) ?? [""]) {
    if (lines.at(-1) && (lines.at(-1) + part).trimEnd().length > most) lines.push("");
    let rest = [...lines.pop(), ...part];
    for (; rest.join("").trimEnd().length > most; rest = rest.slice(most)) lines.push(rest.slice(0, most).join(""));
    lines.push(rest.join(""));
  }
  return lines.map((line) => line.trim()).filter((line, place) => line || !place);
};

/* How wide a name stands in a chart, in the units of its picture. */
const ruler = document.createElement("canvas").getContext("2d");
const wide = (text, bold) => {
  ruler.font = `${bold ? 600 : 400} ${bold ? 11 : 10}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
};

/* Lines of text around or from a height; `attributes` are those of the text. */
const textLines = (lines, x, middle, attributes) => s("text", { x, y: middle, ...attributes },
  lines.map((line, place) => s("tspan", { x, y: middle + 4 + 12 * (place - (lines.length - 1) / 2) }, line)));

/* Labels that fit, all of them different: one that does not fit has a number, its head and its end. */
const MOST = 24;
const fitting = (names) => names.map((name, place) => (name.length <= MOST ? name : `${place + 1}: ${name.slice(0, 9)}…${name.slice(-10)}`));
const unfit = (names) => names.map((name, place) => [place + 1, name]).filter(([, name]) => name.length > MOST);

/* Names without the beginning and the end that they share, where these are long; what was cut off is shown as `…`. */
const shared = (names) => {
  const parts = [...new Set(names)].map((name) => name.split(/(?<=[-_/.:])/));
  const count = (all) => {
    let n = 0;
    while (all.length > 1 && all.every((one) => one.length > n + 1 && one[n] === all[0][n])) n += 1;
    return n;
  };
  const head = count(parts), tail = count(parts.map((one) => one.slice(head).reverse()));
  const cut = parts[0]?.slice(0, head).join("").length > 5 ? head : 0, end = parts[0]?.slice(parts[0].length - tail).join("").length > 5 ? tail : 0;
  return new Map(parts.map((one) => [one.join(""), `${cut ? "…" : ""}${one.slice(cut, one.length - end).join("")}${end ? "…" : ""}`]));
};
