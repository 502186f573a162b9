"use strict";
/* The list of cases: filters, order, pages of a hundred rows. The list is loaded in pieces behind the first page. */
{
const ROWS = 100, PRINTED = 1000;
const FIELDS = ["ask", "suite", "tier", "model", "lang", "document", "outcome", "state", "metric", "value", "loss", "piece", "parts", "message", "words"];
const SORTS = { worst: "worst first", best: "best first", id: "by id", tier: "by tier" };
vtc.cases = [];
vtc.byAsk = new Map();
vtc.shown = [];

/* Fulfilled when the whole list is here. */
vtc.listed = () => {
  vtc.listing ??= (async () => {
    for (let part = 0; part < vtc.data.overview.parts; part += 1) {
      await vtc.load(`cases-${part}`);
      for (const row of vtc.data[`cases-${part}`]) {
        const one = Object.fromEntries(FIELDS.map((field, place) => [field, row[place]]));
        one.parts = one.parts.map((place) => vtc.data.overview.parts_known[place]);
        one.place = vtc.cases.length;
        vtc.cases.push(one);
        vtc.byAsk.set(one.ask, one);
      }
      delete vtc.data[`cases-${part}`];
      await vtc.idle();
    }
  })();
  return vtc.listing;
};

const stateName = (one) => vtc.data.overview.states_known[one.state];
const found = (one, text) => [one.ask, one.document, one.message, ...one.words.flatMap((w) => [w[1], w[2]])].some((t) => t.toLowerCase().includes(text));

vtc.filtered = (filter) => {
  const text = (filter.get("q") ?? "").trim().toLowerCase(), tier = filter.get("tier");
  const kept = vtc.cases.filter((one) =>
    (!tier || one.tier === tier || one.parts.includes(tier) || one.tier.startsWith(`${tier}/`) || one.suite === tier)
    && (!filter.get("model") || one.model === filter.get("model")) && (!filter.get("outcome") || one.outcome === filter.get("outcome"))
    && (!filter.get("state") || stateName(one) === filter.get("state")) && (!text || found(one, text)));
  const order = { best: (a, b) => a.loss - b.loss || b.place - a.place, id: (a, b) => (a.ask < b.ask ? -1 : 1), tier: (a, b) => (a.tier < b.tier ? -1 : a.tier > b.tier ? 1 : a.place - b.place) }[filter.get("sort")];
  return order ? kept.sort(order) : kept;
};

const select = (name, label, values, filter) => h("label", null, label, " ", h("select", { name, change: change },
  h("option", { value: "" }, "all"), values.map((value) => h("option", { value, selected: filter.get(name) === value }, words(value)))));

const read = () => {
  const filter = new URLSearchParams();
  for (const input of document.querySelectorAll("#filters [name]")) if (input.value) filter.set(input.name, input.value);
  return filter;
};

/* What is typed goes into the address, so that a link shows the same rows. */
const change = () => {
  const filter = read();
  history.replaceState(null, "", `#cases?${filter}`);
  fill(filter);
};

vtc.showCases = async (main, filter) => {
  document.title = `Cases · ${vtc.data.overview.models.join(", ")}`;
  const wait = h("p", { class: "wait" }, "Loading the list of cases …");
  main.append(h("h1", null, "Cases"), wait);
  await vtc.listed();
  if (!wait.isConnected) return;
  const run = vtc.data.overview, tiers = [...new Set(vtc.cases.flatMap((one) => [one.tier, ...one.parts]))].sort();
  const given = filter.get("tier");
  if (given && !tiers.includes(given)) tiers.unshift(given);
  wait.replaceWith(
    h("form", { id: "filters", role: "search", submit: (event) => event.preventDefault() },
      h("label", null, "Text ", h("input", { type: "search", name: "q", id: "q", value: filter.get("q") ?? "", input: change, placeholder: "id, word, message" })),
      select("tier", "Tier", tiers, filter), run.models.length > 1 ? select("model", "Model", [...new Set(vtc.cases.map((one) => one.model))], filter) : null,
      select("outcome", "Outcome", Object.keys(run.outcomes).sort(), filter), select("state", "Verdict", run.states_known.filter((state) => run.states[state]), filter),
      h("label", null, "Order ", h("select", { name: "sort", change: change }, Object.entries(SORTS).map(([value, label]) => h("option", { value: value === "worst" ? "" : value, selected: (filter.get("sort") ?? "worst") === value }, label))))),
    h("p", { id: "count" }), h("div", { id: "rows" }));
  fill(filter);
};

/* On paper stand all rows that the filter leaves, as far as they are not too many. */
addEventListener("beforeprint", () => document.getElementById("rows") && fill(vtc.filter, PRINTED));
addEventListener("afterprint", () => document.getElementById("rows") && fill(vtc.filter));

const fill = (filter, most = ROWS) => {
  vtc.shown = vtc.filtered(filter);
  vtc.filter = filter;
  const pages = Math.max(1, Math.ceil(vtc.shown.length / most)), page = Math.min(pages, Math.max(1, Number(filter.get("page")) || 1));
  const from = (page - 1) * most, part = vtc.shown.slice(from, from + most);
  const many = vtc.data.overview.models.length > 1;
  document.getElementById("count").textContent = `${vtc.shown.length} of ${plural(vtc.cases.length, "case")}${pages > 1 ? `, ${from + 1} to ${from + part.length} shown` : ""}`;
  say(document.getElementById("count").textContent);
  document.getElementById("rows").replaceChildren(
    table("Cases", ["Verdict", "Case", "Tier", ...(many ? ["Model"] : []), "Outcome", "Score", "What differs"], part.map((one) => h("tr", { class: `state-${one.state}` },
      h("td", null, h("span", { class: `chip state-${one.state}` }, stateName(one))),
      h("th", { scope: "row" }, h("a", { href: caseLink(one.ask) }, foreign(caseName(one.ask, one.model)))), h("td", { class: "tier" }, foreign(one.tier)), many ? h("td", { class: "model" }, modelName(one.model)) : null,
      h("td", null, words(one.outcome)), h("td", { class: "number" }, one.value === null ? "–" : [number(one.value), h("small", null, ` ${words(one.metric)}`)]),
      h("td", { class: "words", lang: langOf(one.lang) }, one.words.map((word) => [misread(word), " "]), !one.words.length && one.message ? foreign(one.message) : null))), { class: "cases" }),
    pages > 1 ? h("nav", { class: "pager", "aria-label": "Pages of the list" }, pager(filter, page - 1, "Previous", page > 1), ` page ${page} of ${pages} `, pager(filter, page + 1, "Next", page < pages)) : "");
};

const pager = (filter, page, label, there) => {
  if (!there) return h("span", { class: "off" }, label);
  const to = new URLSearchParams(filter);
  to.set("page", page);
  return h("a", { href: `#cases?${to}` }, label);
};
}
