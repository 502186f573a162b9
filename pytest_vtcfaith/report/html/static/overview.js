"use strict";
/* The first page: green or red, why, then tiers, charts, baseline. */
{
const SIGNS = { red: "✖", green: "✔", limited: "◔", inconclusive: "◐", none: "∅" };
const TOLD = { none: "no verdict", limited: "limited, no release verdict" };
const CARDS = 8;
const SEVERE = ["fail", "not_measured", "inconclusive"];

vtc.showOverview = (main) => {
  const run = vtc.data.overview, bad = run.gates.filter((g) => SEVERE.includes(g.verdict)).sort((a, b) => SEVERE.indexOf(a.verdict) - SEVERE.indexOf(b.verdict));
  document.title = `${capital(TOLD[run.word] ?? run.word)} · ${run.models.join(", ")}`;
  main.append(
    h("section", { class: `band ${run.word}`, "aria-labelledby": "verdict" },
      h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[run.word]),
      h("div", null,
        h("h1", { id: "verdict" }, "Faithfulness of ", foreign(run.models.join(", ")), ": ", h("strong", null, TOLD[run.word] ?? run.word)),
        h("p", null, run.said),
        h("ul", { class: "chips" }, states(run), run.limit === null ? null : h("li", { class: "chip warn" }, `limited to ${plural(run.limit, "document")} per tier: no release verdict`),
          run.shard === null ? null : h("li", { class: "chip warn" }, `shard ${run.shard}`)))),
    run.problems.length ? h("section", { class: "problems", "aria-labelledby": "problems" }, h("h2", { id: "problems" }, "Not green whatever the gates say"),
      h("ul", null, run.problems.map((text) => h("li", null, foreign(text))))) : "",
    bad.length ? h("section", { "aria-labelledby": "why" }, h("h2", { id: "why" }, "Why"),
      h("div", { class: "cards" }, bad.slice(0, CARDS).map(card)),
      bad.length > CARDS ? more(bad.slice(CARDS)) : null) : "",
    run.failures.length ? failures(run) : "",
    tiers(run),
    run.charts.length ? h("section", { class: "of-charts", "aria-labelledby": "charts" }, h("h2", { id: "charts" }, "Charts"), h("div", { class: "charts" }, run.charts.map(vtc.chart))) : "",
    run.baseline.length ? baseline(run) : "",
    run.notes.length ? h("section", { "aria-labelledby": "notes" }, h("h2", { id: "notes" }, "Notes"), h("ul", null, run.notes.map((text) => h("li", null, foreign(text))))) : "",
    about(run));
};

const states = (run) => run.states_known.map((state, place) => (run.states[state]
  ? h("li", { class: `chip state-${place}` }, h("a", { href: casesLink({ state }) }, `${run.states[state]} ${state}`)) : null));

/* One gate that did not pass: value against limit, and the words that made it so. */
const card = (gate) => h("article", { class: `card ${gate.verdict}${gate.accepted ? " accepted" : ""}` },
  h("h3", null, badge(gate.verdict), " ", words(gate.metric), h("span", { class: "tier" }, foreign(gate.tier), gate.model && vtc.data.overview.models.length > 1 ? [" · ", modelName(gate.model)] : "")),
  h("p", { class: "big" }, h("strong", null, number(gate.value)), " ",
    limits(gate) ? h("span", null, "must be ", limits(gate)) : gate.baseline === null ? null : h("span", null, `was ${number(gate.baseline)}`),
    gate.measured < gate.expected ? h("span", null, `; measured ${gate.measured} of ${gate.expected}`) : null),
  gate.value === null ? null : bullet(gate),
  h("p", { class: "message" }, foreign(gate.message.split("\n")[0])),
  gate.worst?.length ? h("div", { class: "worst" },
    h("p", null, h("a", { href: tierLink(gate) }, gate.lost === 1 ? "The case that lost something" : `All ${gate.lost} cases that lost something`), gate.lost === 1 ? ":" : ", worst first:"),
    h("ul", null, gate.worst.map(([ask, wrong, lang, sentence]) => h("li", null, h("a", { href: caseLink(ask) }, foreign(caseName(ask, gate.model))),
      sentence ? [": ", foreign(sentence)] : null,
      wrong.length ? h("span", { class: "words", lang: langOf(lang) }, wrong.map((word) => [" ", misread(word)])) : null)))) : null);

const more = (gates) => h("details", null, h("summary", null, `${plural(gates.length, "more gate")} that did not pass`), h("div", { class: "cards" }, gates.map(card)));

/* Value, interval and limit on one line. */
const bullet = (gate) => {
  const numbers = [gate.value, gate.min, gate.max, gate.low, gate.high, gate.baseline].filter((n) => n !== null && n !== undefined);
  const low = Math.min(0, ...numbers), high = Math.max(...numbers) > 1 || Math.max(...numbers) < 0.3 ? Math.max(...numbers) * 1.15 || 1 : 1;
  const x = (value) => 8 + 384 * (value - low) / (high - low || 1);
  const parts = [s("line", { class: "axis", x1: 8, x2: 392, y1: 20, y2: 20 })];
  if (gate.min !== null) parts.push(s("rect", { class: "forbidden", x: x(low), y: 13, width: Math.max(0, x(gate.min) - x(low)), height: 14 }), limit(x(gate.min)));
  if (gate.max !== null) parts.push(s("rect", { class: "forbidden", x: x(gate.max), y: 13, width: Math.max(0, x(high) - x(gate.max)), height: 14 }), limit(x(gate.max)));
  if (gate.baseline !== null) parts.push(s("path", { class: "was", d: `M${x(gate.baseline)} 10v20` }));
  if (gate.low !== null && gate.low !== undefined) parts.push(s("path", { class: "interval", d: `M${x(gate.low)} 20H${x(gate.high)}M${x(gate.low)} 15v10M${x(gate.high)} 15v10` }));
  parts.push(s("circle", { class: "value", cx: x(gate.value), cy: 20, r: 6 }),
    s("text", { class: "tick", x: 8, y: 39 }, number(low)), s("text", { class: "tick", x: 392, y: 39, "text-anchor": "end" }, number(+high.toPrecision(2))));
  return s("svg", { viewBox: "0 0 400 42", class: "bullet", role: "img", "aria-label":
    [words(gate.verdict), `${words(gate.metric)} ${number(gate.value)}`, gate.low === null || gate.low === undefined ? "no interval" : `interval ${number(gate.low)} to ${number(gate.high)}`,
      limits(gate) && `must be ${limits(gate)}`, gate.baseline === null ? "" : `baseline ${number(gate.baseline)}`].filter(Boolean).join(", ") }, ...parts);
};
const limit = (at) => s("path", { class: "bound", d: `M${at} 8v24` });

const failures = (run) => h("section", { "aria-labelledby": "failed" }, h("h2", { id: "failed" }, "Failed tests"),
  h("ul", { class: "failures" }, run.failures.slice(0, 20).map((f) => h("li", null,
    f.ask === null ? foreign(f.test) : h("a", { href: caseLink(f.ask) }, foreign(caseName(f.ask))), ": ", foreign(f.message)))),
  run.failures.length > 20 ? h("p", null, h("a", { href: casesLink({ state: "failed" }) }, `All ${plural(run.states.failed ?? run.failures.length, "failed case")}`)) : null);

const tiers = (run) => h("section", { "aria-labelledby": "tiers" }, h("h2", { id: "tiers" }, "Suites and tiers"),
  [...new Set(run.tiers.map((t) => t.suite))].map((suite) => {
    const own = run.tiers.filter((t) => t.suite === suite), red = own.filter((t) => t.bad);
    return h("details", { open: red.length > 0 || own.length <= 40 }, h("summary", null, h("h3", null, suite), " ",
      red.length ? h("span", { class: "badge fail" }, "✖ ", `${red.length} of ${plural(own.length, "tier")} not passed`) : h("span", { class: "badge pass" }, "✔ ", `${plural(own.filter((t) => t.verdict === "pass").length, "tier")} passed`)),
    table(`Tiers of ${suite}`, ["Verdict", "Tier", ...(run.models.length > 1 ? ["Model"] : []), "Measured", "Metric", "Value", "Limit", "Failures", "Gates passed"], own.map((t) => h("tr", { class: t.verdict },
      h("td", null, badge(t.verdict)), h("th", { scope: "row" }, h("a", { href: tierLink(t) }, foreign(t.tier))),
      run.models.length > 1 ? h("td", { class: "model" }, modelName(t.model)) : null,
      h("td", { class: "number" }, `${t.measured}/${t.expected}`), h("td", null, words(t.metric)), h("td", { class: "number" }, number(t.value)), h("td", { class: "number" }, limits(t)),
      h("td", null, Object.entries(t.failures).map(([name, count]) => `${count} ${words(name)}`).join(", ")), h("td", { class: "number" }, t.expected ? `${t.passed} of ${t.gates}` : "–")))));
  }));

/* Loss with its interval against the margin, a row for each comparison. */
const baseline = (run) => {
  const ends = run.baseline.flatMap((r) => [r.loss, r.low, r.high, r.margin].filter((n) => n !== null).map(Math.abs));
  const most = Math.max(1e-6, ...ends) * 1.08, x = (value) => 100 + 96 * value / most;
  return h("section", { "aria-labelledby": "baseline" }, h("h2", { id: "baseline" }, "Against the baseline"),
    h("p", null, "Loss with its interval; to the right is worse. The thick line is the loss that is allowed."),
    table("Loss from the baseline", ["Verdict", "Tier", ...(run.models.length > 1 ? ["Model"] : []), "Metric", "Was", "Is", "Loss", "Interval", "Allowed", "Documents", "Sees from"], run.baseline.map((r) => h("tr", { class: r.verdict },
      h("td", null, badge(r.verdict), r.said.includes("suspicious") ? " suspiciously better" : ""), h("th", { scope: "row" }, foreign(r.tier)), run.models.length > 1 ? h("td", { class: "model" }, modelName(r.model)) : null,
      h("td", null, words(r.metric)), h("td", { class: "number" }, number(r.was)), h("td", { class: "number" }, number(r.now)), h("td", { class: "number" }, signed(r.loss)),
      h("td", null, s("svg", { viewBox: "0 0 200 18", class: "forest", role: "img", "aria-label": `loss ${signed(r.loss)}, ${r.low === null ? "interval unknown" : `interval ${signed(r.low)} to ${signed(r.high)}`}, allowed ${r.two_sided ? "±" : ""}${number(r.margin)}, ${words(r.verdict)}` },
        s("line", { class: "axis", x1: 100, x2: 100, y1: 0, y2: 18 }), s("path", { class: "bound", d: `M${x(r.margin)} 1v16` }), r.two_sided ? s("path", { class: "bound", d: `M${x(-r.margin)} 1v16` }) : "",
        r.low === null ? "" : s("path", { class: "interval", d: `M${x(r.low)} 9H${x(r.high)}` }), s("circle", { class: "value", cx: x(r.loss), cy: 9, r: 4 })), r.low === null ? null : h("small", { class: "ends" }, `${signed(r.low)} to ${signed(r.high)}`)),
      h("td", { class: "number" }, `${r.two_sided ? "±" : ""}${number(r.margin)}`), h("td", { class: "number" }, r.documents), h("td", { class: "number" }, r.sees)))));
};

const about = (run) => h("section", { class: "about", "aria-labelledby": "about" }, h("h2", { id: "about" }, "Made with"),
  h("dl", null, run.about.models.flatMap((m) => [h("dt", null, foreign(m.name ?? "")), h("dd", null, foreign([m.adapter, m.revision && `revision ${m.revision}`, m.preset, m.visual_tokens && `visual tokens: ${m.visual_tokens}`,
    ...(m.devices ?? []), ...Object.entries(m.versions ?? {}).map((pair) => pair.join(" "))].filter(Boolean).join(", ")))]),
  h("dt", null, "scored by"), h("dd", null, run.about.profile ?? "–"), h("dt", null, "seed"), h("dd", null, run.about.seed ?? "–"),
  h("dt", null, "versions"), h("dd", null, Object.entries(run.about.versions).map((pair) => pair.join(" ")).join(", "))));
}
