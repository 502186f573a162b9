"use strict";
/* Charts as SVG: lines, bars and rows, limits of gates, intervals. Series differ by colour, by shape and by dashes; what a mouse shows stands in the table too. */
{
const W = 560, PLOT = 208, LEFT = 46, TOP = 14;
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

const said = (limit) => `${limit.side === "min" ? "at least" : "at most"} ${number(limit.y)}`;
const asked = (chart, one, place) => (one.published ? [] : chart.limits.filter((limit) => limit.series === one.name && limit.x === place));
/* The tiers behind a mean that did not pass. */
const failed = (p) => (p.failed ?? []).map(([tier, verdict, value, limit]) => `${MARKS[verdict]} ${tier} ${value === null ? words(verdict) : number(value)}${limit ? ` (${limit})` : ""}`);
const counted = (p) => (p.n ? `${number(p.n)} ${p.n === 1 ? p.of.slice(0, -1) : p.of}` : "");

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
  const grid = range(chart), low = grid[0], high = grid.at(-1), labels = fitting(chart.x);
  const right = published.length && chart.kind === "line" ? 158 : 12;
  const most = (W - LEFT - right) / Math.max(1, labels.length), slanted = labels.some((label) => label.length * 6.2 > most);
  const left = slanted ? Math.max(LEFT, ...labels.map((label, place) => 5.2 * label.length - (place + 0.5) * most)) : LEFT;
  const column = (W - left - right) / Math.max(1, labels.length);
  const BOTTOM = slanted ? 24 + 3.5 * Math.max(...labels.map((label) => label.length)) : 28, H = TOP + PLOT + BOTTOM;
  const y = (value) => TOP + (H - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const x = (place) => left + column * (place + 0.5), step = Math.min(7, 0.6 * column / Math.max(1, own.length));
  const aside = (one) => (one.published ? 0 : (own.indexOf(one) - (own.length - 1) / 2) * step);
  const picture = frame(chart, H);
  for (const value of grid) {
    picture.append(s("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: W - right, y1: y(value), y2: y(value) }),
      s("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(+value.toFixed(6))));
  }
  labels.forEach((label, place) => picture.append(s("text", slanted
    ? { class: "tick", x: x(place) + 4, y: H - BOTTOM + 14, "text-anchor": "end", transform: `rotate(-32 ${x(place) + 4} ${H - BOTTOM + 14})` }
    : { class: "tick", x: x(place), y: H - BOTTOM + 18, "text-anchor": "middle" }, label)));
  (chart.kind === "bar" ? bars : lines)(picture, chart, own, published, { x, y, column, aside, bottom: H - BOTTOM });
  const all = [...own, ...published], width = bar(all, column);
  for (const limit of chart.limits) {
    const place = all.findIndex((one) => one.name === limit.series && !one.published), line = chart.kind === "line";
    const middle = x(limit.x) + (line ? aside(own[place]) : (place - all.length / 2 + 0.5) * width), half = !line ? width / 2 : own.length > 1 ? step / 2 : column / 2 - 1;
    const at = y(limit.y), from = middle - half, to = middle + half, next = line && own[place + 1]?.name;
    const goesOn = chart.limits.some((one) => one.series === next && one.x === limit.x && one.y === limit.y && one.side === limit.side);
    picture.append(s("g", { class: "limit" }, s("title", null, `${limit.series}, ${chart.x[limit.x]}: ${said(limit)}`),
      s("line", { x1: from, x2: to, y1: at, y2: at }),
      goesOn ? null : s("path", { d: limit.side === "min" ? `M${to - 1} ${at}h6l-3 -5z` : `M${to - 1} ${at}h6l-3 5z` })));
  }
  return picture;
};

/* A row for each series, the models under test first, and in it a mark for each place; shapes tell places apart. */
const rows = (chart, own, published) => {
  const ROW = 18, WIDE = 32, all = [...own, ...published], OWN = Math.max(ROW, 10 * chart.x.length + 4);
  const names = all.map((one) => wrapped(one.name, WIDE)), talls = all.map((one, n) => Math.max(one.published ? ROW : OWN, 12 * names[n].length + 6));
  const tops = talls.map((_, n) => TOP + talls.slice(0, n).reduce((sum, tall) => sum + tall, 0)), H = tops.at(-1) + talls.at(-1) + 24;
  const NAMES = 14 + Math.max(...all.flatMap((one, n) => names[n].map((line) => wide(line, !one.published))));
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
    const at = tops[place] + talls[place] / 2, group = s("g", { class: look(one, place) });
    const lane = (p) => at + (p.x - (chart.x.length - 1) / 2) * (one.published ? Math.min(4, 12 / chart.x.length) : Math.min(10, 40 / chart.x.length));
    const values = one.points.map((p) => p.y);
    group.append(textLines(names[place], NAMES - 10, at, { class: one.published ? "published" : "own", "text-anchor": "end" }),
      s("path", { class: "span", d: `M${x(Math.min(...values))} ${at}H${x(Math.max(...values))}` }));
    for (const p of one.points) {
      group.append(s("g", { class: p.bad ? "bad" : null }, told(one, p, chart),
        !measured(p) ? [] : s("path", { class: "interval", d: `M${x(p.low)} ${lane(p)}H${x(p.high)}m0 -3v6M${x(p.low)} ${lane(p) - 3}v6` }),
        point(p.x, x(p.y), lane(p))));
    }
    for (const limit of chart.limits.filter((each) => each.series === one.name && !one.published)) {
      const tip = lane(limit);
      group.append(s("g", { class: "limit" }, s("title", null, `${chart.x[limit.x]}: ${said(limit)}`),
        s("line", { x1: x(limit.y), x2: x(limit.y), y1: tip - 6, y2: tip + 6 }),
        s("path", { d: limit.side === "min" ? `M${x(limit.y)} ${tip - 6}v6l5 -3z` : `M${x(limit.y)} ${tip - 6}v6l-5 -3z` })));
    }
    picture.append(group);
  });
  return picture;
};

/* The whiskers, where any point has one that is seen: that of one document has no width. */
const whiskers = (chart) => (chart.series.some((one) => one.points.some((p) => measured(p) && p.low < p.high)) ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key", "aria-hidden": "true" },
  s("path", { class: "interval", d: "M4 6H22M4 2v8M22 2v8" })), "interval over documents") : null);

const rowLegend = (chart, published) => h("ul", { class: "legend" },
  chart.x.map((label, place) => h("li", null, s("svg", { viewBox: "0 0 14 12", class: "key place", "aria-hidden": "true" }, point(place, 7, 6)), label)),
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
  !measured(p) ? "" : `(${number(p.low)} to ${number(p.high)})`, counted(p), ...failed(p)].filter(Boolean).join(", "));

const bars = (picture, chart, own, published, { x, y, column }) => {
  const all = [...own, ...published], width = bar(all, column);
  all.forEach((one, number_) => {
    for (const p of one.points) {
      const left = x(p.x) + (number_ - all.length / 2) * width, top = Math.min(y(p.y), y(0)), tall = Math.abs(y(p.y) - y(0));
      picture.append(s("g", { class: look(one, number_) }, told(one, p, chart),
        s("rect", { class: p.bad ? "bar bad" : "bar", x: left + 1, y: tall < 1.5 ? y(0) - 1.5 : top, width: Math.max(1, width - 2), height: Math.max(1.5, tall) }),
        ...interval(p, left + width / 2, y),
        own.length < 2 || one.published ? null : s("g", { transform: `translate(${left + width / 2} ${y(p.y) - 6}) scale(${Math.min(1, width / 9)})` }, point(number_, 0, 0))));
    }
  });
};

/* Series stand a little beside one another, so that their intervals do. */
const lines = (picture, chart, own, published, { x, y, column, aside, bottom }) => {
  const ends = [];
  [...published, ...own].forEach((one) => {
    const place = own.indexOf(one), at = (p) => x(p.x) + aside(one);
    const points = [...one.points].sort((a, b) => a.x - b.x);
    const d = points.map((p, n) => `${n ? "L" : "M"}${at(p)} ${y(p.y)}`).join("");
    const group = s("g", { class: look(one, place) }, s("path", { class: "line", d, "stroke-dasharray": one.published ? null : dash(place) }));
    for (const p of points) {
      group.append(s("g", { class: p.bad ? "bad" : null }, told(one, p, chart), ...interval(p, at(p), y, own.length > 1),
        one.published ? s("circle", { cx: at(p), cy: y(p.y), r: 2 }) : point(place, at(p), y(p.y))));
    }
    picture.append(group);
    const last = points.at(-1);
    if (one.published && last) ends.push(name(one.name, at(last) + 7, y(last.y)));
  });
  const placed = own.flatMap((one) => one.points.map((p) => ({ x: x(p.x) + aside(one) - 4, wide: 8, at: y(p.y), half: 3 })));
  for (const end of ends.sort((a, b) => a.at - b.at)) {
    settle(end, placed, bottom);
    placed.push(end);
    picture.append(textLines(end.lines, end.x, end.at, { class: "published end" }));
  }
};

/* The name of a published line at its end: as wide as the room behind it. */
const name = (text, x, at) => {
  const lines_ = wrapped(text, Math.floor((W - x) / 6));
  return { lines: lines_, x, at, wide: 6 * Math.max(...lines_.map((line) => line.length)), half: 6 * lines_.length };
};

/* Moves a name to the nearest height where no other stands. */
const settle = (end, placed, bottom) => {
  const meets = (at) => placed.some((one) => one.x < end.x + end.wide && end.x < one.x + one.wide && Math.abs(one.at - at) < one.half + end.half);
  const near = Array.from({ length: 60 }, (_, n) => end.at + (n % 2 ? 1 : -1) * Math.ceil(n / 2) * 4);
  end.at = near.find((at) => at >= TOP && at <= bottom - end.half - 3 && !meets(at)) ?? end.at;
};

const legend = (chart, own, published) => h("ul", { class: "legend" },
  own.map((one, place) => h("li", null, s("svg", { viewBox: "0 0 26 12", class: `key ${look(one, place)}`, "aria-hidden": "true" },
    ...(chart.kind === "bar" ? [s("rect", { class: "bar", x: own.length > 1 ? 12 : 4, y: 1, width: own.length > 1 ? 13 : 18, height: 10 }), own.length > 1 ? point(place, 5, 6) : null]
      : [s("path", { class: "line", d: "M1 6H25", "stroke-dasharray": dash(place) }), point(place, 13, 6)])), one.name)),
  published.length && chart.kind === "bar" ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key published", "aria-hidden": "true" },
    s("rect", { class: "bar", x: 4, y: 1, width: 18, height: 10 })), `published: ${published.map((one) => one.name).join(", ")}`) : null,
  chart.limits.length ? h("li", null, s("svg", { viewBox: "0 0 26 12", class: "key limit", "aria-hidden": "true" },
    s("line", { x1: 1, x2: 25, y1: 6, y2: 6 })), "a gate’s limit: ▴ at least, ▾ at most") : null, whiskers(chart),
  unfit(chart.x).map(([place, label]) => h("li", null, `${place}: ${label}`)));

const numbers = (chart) => h("details", { class: "numbers" }, h("summary", null, "Numbers"),
  table(chart.title, ["Series", ...chart.x], chart.series.map((one) => h("tr", null,
    h("th", { scope: "row" }, one.name, one.published ? " (published)" : ""),
    chart.x.map((_, place) => {
      const p = one.points.find((each) => each.x === place);
      if (!p) return h("td", { class: "number" }, "–");
      const more = [measured(p) ? `(${number(p.low)} to ${number(p.high)})` : null, counted(p), ...asked(chart, one, place).map(said), ...failed(p)];
      return h("td", { class: "number" }, number(p.y), more.filter(Boolean).map((text) => [" ", h("small", null, text)]));
    })))));
}
