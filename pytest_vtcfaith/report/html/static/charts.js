"use strict";
/* Charts as SVG: lines, bars and rows, limits of gates, intervals. Series differ by colour, by shape and by dashes. */
{
const W = 560, PLOT = 208, LEFT = 46, TOP = 14;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"];
const SERIES = 6;
const POINTS = [
  (x, y) => s("circle", { cx: x, cy: y, r: 4 }),
  (x, y) => s("rect", { x: x - 3.6, y: y - 3.6, width: 7.2, height: 7.2 }),
  (x, y) => s("path", { d: `M${x} ${y - 5}l5 8.6h-10z` }),
  (x, y) => s("path", { d: `M${x} ${y - 5.2}l5.2 5.2l-5.2 5.2l-5.2 -5.2z` }),
  (x, y) => s("path", { d: `M${x} ${y + 5}l5 -8.6h-10z` }),
  (x, y) => s("path", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, class: "open" }),
];

/* Round numbers from low to high, about five. */
const ticks = (low, high) => {
  const raw = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const found = [];
  for (let n = Math.floor(low / step); n <= Math.ceil(high / step); n += 1) found.push(+(n * step).toPrecision(12));
  return found;
};

const range = (chart) => {
  const own = chart.series.flatMap((one) => one.points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y]));
  const near = chart.limits.map((limit) => limit.y);
  const all = [...own, ...near, 0].filter((n) => Number.isFinite(n));
  const high = Math.max(...all), low = Math.min(...all);
  const share = low >= 0 && high <= 1 && high > 0.5;
  return ticks(low, share ? 1 : high || 0.1);
};

const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/* A chart: figure with picture, legend and table. */
vtc.chart = (chart) => {
  const own = chart.series.filter((one) => !one.published), published = chart.series.filter((one) => one.published);
  const [picture, keys] = chart.kind === "rows" ? [rows(chart, own, published), rowLegend(chart, published)]
    : [columns(chart, own, published), legend(chart, own, published)];
  return h("figure", { class: "chart-box" },
    h("figcaption", null, h("h3", null, chart.title), chart.note ? h("p", null, chart.note) : null),
    picture, keys, numbers(chart));
};

const frame = (chart, H) => s("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", class: "chart", "aria-label": `${chart.title}. The numbers are in the table below.` });

const bar = (all, column) => Math.min(34, (column - 8) / Math.max(1, all.length));

/* Lines and bars: places beside one another. */
const columns = (chart, own, published) => {
  const grid = range(chart), low = grid[0], high = grid.at(-1);
  const right = published.length && chart.kind === "line" ? 158 : 12;
  const plot = W - LEFT - right, column = plot / Math.max(1, chart.x.length);
  const slanted = chart.x.some((label) => label.length * 6.2 > column);
  const BOTTOM = slanted ? 24 + 3.5 * Math.min(24, Math.max(...chart.x.map((label) => label.length))) : 28, H = TOP + PLOT + BOTTOM;
  const y = (value) => TOP + (H - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const x = (place) => LEFT + column * (place + 0.5);
  const picture = frame(chart, H);
  for (const value of grid) {
    picture.append(s("line", { class: value === 0 ? "axis" : "grid", x1: LEFT, x2: W - right, y1: y(value), y2: y(value) }),
      s("text", { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(+value.toFixed(6))));
  }
  chart.x.forEach((label, place) => picture.append(s("text", slanted
    ? { class: "tick", x: x(place) + 4, y: H - BOTTOM + 14, "text-anchor": "end", transform: `rotate(-32 ${x(place) + 4} ${H - BOTTOM + 14})` }
    : { class: "tick", x: x(place), y: H - BOTTOM + 18, "text-anchor": "middle" }, shorten(label, 24))));
  (chart.kind === "bar" ? bars : lines)(picture, chart, own, published, { x, y, column, low, right });
  const all = [...own, ...published], width = bar(all, column);
  for (const limit of chart.limits) {
    const place = all.findIndex((one) => one.name === limit.series && !one.published), line = chart.kind === "line";
    const middle = x(limit.x) + (line ? 0 : (place - all.length / 2 + 0.5) * width), half = line ? column / 2 - 1 : width / 2;
    const at = y(limit.y), from = middle - half, to = middle + half;
    picture.append(s("g", { class: line ? `limit series-${place % SERIES}` : "limit" }, s("title", null, `${limit.series}, ${chart.x[limit.x]}: ${limit.side === "min" ? "at least" : "at most"} ${number(limit.y)}`),
      s("line", { x1: from, x2: to, y1: at, y2: at, class: line ? "of-series" : null, "stroke-dasharray": line ? DASHES[place % SERIES] || null : null }),
      s("path", { d: limit.side === "min" ? `M${to - 8} ${at}h7l-3.5 -6z` : `M${to - 8} ${at}h7l-3.5 6z` })));
  }
  return picture;
};

/* A row for each series, the models under test first, and in it a mark for each place; shapes tell places apart. */
const rows = (chart, own, published) => {
  const ROW = 18, MOST = 32, all = [...own, ...published], OWN = Math.max(ROW, 10 * chart.x.length + 4);
  const tall = (one) => (one.published ? ROW : OWN), H = TOP + OWN * own.length + ROW * published.length + 24;
  const NAMES = 14 + Math.max(...all.map((one) => Math.min(MOST, one.name.length) * (one.published ? 5.9 : 7.1)));
  const least = Math.min(0, ...all.flatMap((one) => one.points.map((p) => Math.min(p.y, p.low ?? p.y))));
  const [first, ...rest] = range(chart), high = rest.at(-1), low = Math.max(first, least - 0.03 * (high - least));
  const grid = [first, ...rest].filter((value) => value >= low);
  const x = (value) => NAMES + (W - NAMES - 22) * (value - low) / (high - low || 1);
  const picture = frame(chart, H);
  for (const value of grid) {
    picture.append(s("line", { class: value === 0 ? "axis" : "grid", x1: x(value), x2: x(value), y1: TOP, y2: H - 22 }),
      s("text", { class: "tick", x: x(value), y: H - 8, "text-anchor": "middle" }, String(+value.toFixed(6))));
  }
  all.forEach((one, place) => {
    const at = TOP + OWN * Math.min(place, own.length) + ROW * Math.max(0, place - own.length) + tall(one) / 2, group = s("g", { class: one.published ? "published" : `series-${place % SERIES}` });
    const lane = (p) => at + (p.x - (chart.x.length - 1) / 2) * (one.published ? Math.min(4, 12 / chart.x.length) : Math.min(10, 40 / chart.x.length));
    const values = one.points.map((p) => p.y);
    group.append(s("text", { class: one.published ? "published" : "own", x: NAMES - 10, y: at + 4, "text-anchor": "end" }, s("title", null, one.name), shorten(one.name, MOST)),
      s("path", { class: "span", d: `M${x(Math.min(...values))} ${at}H${x(Math.max(...values))}` }));
    for (const p of one.points) {
      group.append(s("g", { class: p.bad ? "bad" : null }, told(one, p, chart),
        !measured(p) ? [] : s("path", { class: "interval", d: `M${x(p.low)} ${lane(p)}H${x(p.high)}m0 -3v6M${x(p.low)} ${lane(p) - 3}v6` }),
        POINTS[p.x % POINTS.length](x(p.y), lane(p))));
    }
    for (const limit of chart.limits.filter((each) => each.series === one.name && !one.published)) {
      const tip = lane(limit);
      group.append(s("g", { class: "limit" }, s("title", null, `${chart.x[limit.x]}: ${limit.side === "min" ? "at least" : "at most"} ${number(limit.y)}`),
        s("line", { x1: x(limit.y), x2: x(limit.y), y1: tip - 6, y2: tip + 6 }),
        s("path", { d: limit.side === "min" ? `M${x(limit.y)} ${tip - 6}v6l5 -3z` : `M${x(limit.y)} ${tip - 6}v6l-5 -3z` })));
    }
    picture.append(group);
  });
  return picture;
};

/* The whiskers, where any point has them. */
const whiskers = (chart) => (chart.series.some((one) => one.points.some(measured)) ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key", "aria-hidden": "true" },
  s("path", { class: "interval", d: "M4 6H22M4 2v8M22 2v8" })), "interval over documents") : null);

const rowLegend = (chart, published) => h("ul", { class: "legend" },
  chart.x.map((label, place) => h("li", null, s("svg", { viewBox: "0 0 14 12", class: "key place", "aria-hidden": "true" }, POINTS[place % POINTS.length](7, 6)), label)),
  published.length ? h("li", null, s("svg", { viewBox: "0 0 14 12", class: "key place published", "aria-hidden": "true" },
    s("rect", { x: 0, y: 4.5, width: 14, height: 3 })), "published") : null,
  chart.limits.length ? h("li", null, s("svg", { viewBox: "0 0 14 12", class: "key place limit", "aria-hidden": "true" },
    s("line", { x1: 7, x2: 7, y1: 0, y2: 12 })), "a gate’s limit: ▸ at least, ◂ at most") : null, whiskers(chart));

const measured = (p) => p.low !== undefined && p.low !== null;

const interval = (p, at, y, coloured = false) => {
  if (!measured(p)) return [];
  const d = `M${at} ${y(p.low)}V${y(p.high)}m-3 0h6M${at - 3} ${y(p.low)}h6`;
  return [s("path", { class: "halo", d }), s("path", { class: coloured ? "interval own" : "interval", d })];
};

const told = (one, p, chart) => s("title", null, [one.name, chart.x[p.x], number(p.y),
  !measured(p) ? "" : `(${number(p.low)} to ${number(p.high)})`, p.n ? `n = ${p.n}` : ""].filter(Boolean).join(", "));

const bars = (picture, chart, own, published, { x, y, column, low }) => {
  const all = [...own, ...published], width = bar(all, column);
  all.forEach((one, number_) => {
    const look = one.published ? "published" : `series-${number_ % SERIES}`;
    for (const p of one.points) {
      const left = x(p.x) + (number_ - all.length / 2) * width, top = Math.min(y(p.y), y(0)), tall = Math.abs(y(p.y) - y(0));
      picture.append(s("g", { class: look }, told(one, p, chart),
        s("rect", { class: p.bad ? "bar bad" : "bar", x: left + 1, y: tall < 1.5 ? y(0) - 1.5 : top, width: Math.max(1, width - 2), height: Math.max(1.5, tall) }),
        ...interval(p, left + width / 2, y)));
    }
  });
};

/* Series stand a little beside one another, so that their intervals do. */
const lines = (picture, chart, own, published, { x, y, column, right }) => {
  const ends = [];
  [...published, ...own].forEach((one) => {
    const place = own.indexOf(one), look = one.published ? "published" : `series-${place % SERIES}`;
    const aside = one.published ? 0 : (place - (own.length - 1) / 2) * Math.min(7, 0.6 * column / own.length), at = (p) => x(p.x) + aside;
    const points = [...one.points].sort((a, b) => a.x - b.x);
    const path = points.map((p, n) => `${n ? "L" : "M"}${at(p)} ${y(p.y)}`).join("");
    const group = s("g", { class: look }, s("path", { class: "line", d: path, "stroke-dasharray": one.published ? "" : DASHES[place % SERIES] || null }));
    for (const p of points) {
      group.append(s("g", { class: p.bad ? "bad" : null }, told(one, p, chart), ...interval(p, at(p), y, own.length > 1),
        one.published ? s("circle", { cx: at(p), cy: y(p.y), r: 2 }) : POINTS[place % SERIES](at(p), y(p.y))));
    }
    picture.append(group);
    if (one.published && points.length) ends.push({ name: one.name, at: y(points.at(-1).y) });
  });
  ends.sort((a, b) => a.at - b.at);
  ends.forEach((end, n) => {
    end.at = Math.max(end.at, n ? ends[n - 1].at + 11 : TOP + 4);
    picture.append(s("text", { class: "published end", x: W - right + 5, y: end.at + 3 }, shorten(end.name, 27)));
  });
};

const legend = (chart, own, published) => h("ul", { class: "legend" },
  own.map((one, place) => h("li", null, s("svg", { viewBox: "0 0 26 12", class: `key series-${place % SERIES}`, "aria-hidden": "true" },
    ...(chart.kind === "bar" ? [s("rect", { class: "bar", x: 4, y: 1, width: 18, height: 10 })]
      : [s("path", { class: "line", d: "M1 6H25", "stroke-dasharray": DASHES[place % SERIES] || null }), POINTS[place % SERIES](13, 6)])), one.name)),
  published.length && chart.kind === "bar" ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key published", "aria-hidden": "true" },
    s("rect", { class: "bar", x: 4, y: 1, width: 18, height: 10 })), `published: ${published.map((one) => one.name).join(", ")}`) : null,
  chart.limits.length ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key limit", "aria-hidden": "true" },
    s("line", { x1: 1, x2: 25, y1: 6, y2: 6 })), "a gate’s limit: ▴ at least, ▾ at most") : null, whiskers(chart));

const numbers = (chart) => h("details", { class: "numbers" }, h("summary", null, "Numbers"),
  table(chart.title, ["Series", ...chart.x], chart.series.map((one) => h("tr", null,
    h("th", { scope: "row" }, one.name, one.published ? " (published)" : ""),
    chart.x.map((_, place) => {
      const p = one.points.find((point) => point.x === place);
      return h("td", { class: "number" }, p ? [number(p.y), measured(p) ? h("small", null, ` (${number(p.low)} to ${number(p.high)})`) : null] : "–");
    })))));
}
