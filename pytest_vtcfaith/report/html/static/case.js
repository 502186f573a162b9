"use strict";
/* One case: the page with boxes around the words that differ, page and transcript word by word, and the facts. */
{
let current = -1;

vtc.showCase = async (main, ask) => {
  document.title = `${ask} · ${vtc.data.overview.models.join(", ")}`;
  const wait = h("p", { class: "wait" }, "Loading the case …");
  main.append(wait);
  await vtc.listed();
  const one = vtc.byAsk.get(ask);
  if (!wait.isConnected) return;
  if (one === undefined) {
    wait.replaceWith(h("h1", null, "No such case"), h("p", null, "This run has no case ", foreign(ask), ". ", h("a", { href: "#cases" }, "All cases")));
    return;
  }
  await vtc.load(`detail-${one.piece}`);
  if (!wait.isConnected) return;
  current = -1;
  wait.replaceWith(...page(one, vtc.data[`detail ${ask}`]));
};

/* The case before or behind this one in the list as it was filtered. */
vtc.neighbour = (ask, step) => {
  const list = vtc.shown.length ? vtc.shown : vtc.cases, place = list.findIndex((one) => one.ask === ask);
  return place < 0 ? list[0] : list[place + step];
};

const page = (one, shown) => {
  const state = vtc.data.overview.states_known[one.state], before = vtc.neighbour(one.ask, -1), after = vtc.neighbour(one.ask, 1);
  const said = shown.message || shown.said || (shown.perfect ? "every word as printed" : "");
  return [
    h("nav", { class: "near", "aria-label": "Neighbouring cases" }, before ? h("a", { href: caseLink(before.ask), rel: "prev" }, "← previous") : h("span", { class: "off" }, "← previous"), " ",
      h("a", { href: vtc.filter ? `#cases?${vtc.filter}` : "#cases" }, "list"), " ", after ? h("a", { href: caseLink(after.ask), rel: "next" }, "next →") : h("span", { class: "off" }, "next →")),
    h("h1", null, foreign(one.ask)),
    h("p", { class: "verdict" }, h("span", { class: `chip state-${one.state}` }, state), " ", h("span", { class: "chip" }, words(one.outcome)), " ",
      one.value === null ? null : h("span", { class: "chip" }, `${words(one.metric)} ${number(one.value)}`), " ", h("a", { href: tierLink(one) }, foreign(one.tier))),
    said ? h("p", { class: "message" }, foreign(said)) : null,
    shown.reason ? h("p", { class: "message" }, foreign(shown.reason)) : null,
    shown.asked ? h("p", { class: "message" }, "Asked: ", foreign(shown.asked)) : null,
    shown.lines?.length ? h("ul", { class: "lines" }, shown.lines.map((line) => h("li", null, foreign(line)))) : null,
    shown.compared?.length ? compared(one, shown.compared) : null,
    h("div", { class: gallery(shown) ? "one" : "two" }, pictures(one, shown), text(one, shown)),
    h("div", { class: "two facts" },
      h("section", { "aria-labelledby": "facts" }, h("h2", { id: "facts" }, "Facts"), h("dl", null, [["model", one.model], ...shown.facts].flatMap(([label, value]) => [h("dt", null, label), h("dd", null, foreign(typeof value === "number" ? number(value) : value))]))),
      h("section", { "aria-labelledby": "metrics" }, h("h2", { id: "metrics" }, "Metrics"), shown.note ? h("p", { class: "nothing" }, shown.note) : null, h("dl", { class: "many" }, Object.entries(shown.metrics).map(([name, value]) => h("div", null, h("dt", null, words(name)), h("dd", { class: "number" }, number(value))))))),
  ].filter((part) => part !== null);
};

/* Several pictures of one page, to be compared, stand side by side. */
const gallery = (shown) => shown.pictures.filter((picture) => picture[2] === null).length > 1;

const pictures = (one, shown) => {
  if (!shown.pictures.length && shown.undrawn) return h("section", { "aria-labelledby": "pictures" }, h("h2", { id: "pictures" }, "Page"), foreign(capital(shown.undrawn), "p", { class: "message" }));
  if (!shown.pictures.length) return shown.elsewhere ? without(shown) : null;
  return h("section", { "aria-labelledby": "pictures" }, h("h2", { id: "pictures" }, shown.pictures.length > 1 ? "Pictures" : "Page"),
    shown.marks.length ? key(shown) : null,
    h("div", { class: gallery(shown) ? "pictures" : null }, shown.pictures.map(([path, label, number_]) => {
      const size = number_ === null ? null : shown.pages?.[number_];
      const marks = size ? shown.marks.filter((m) => m[0] === number_) : [];
      return h("figure", { class: "page" }, h("figcaption", null, label, " ", h("a", { href: path, class: "open" }, "open the picture")),
        sheet(size, h("img", { src: path, alt: `${label} of the case`, class: label.endsWith(", reduced") ? "thumbnail" : null, width: size?.[0], height: size?.[1], loading: "lazy" }),
          marks.map((m) => box(m, shown.spans[m[1]], size, path, langOf(one.lang)))));
    })));
};

/* Where the picture is that the report does not hold: a file beside it, or what a command draws. */
const without = (shown) => h("section", { "aria-labelledby": "pictures" }, h("h2", { id: "pictures" }, "Page"), shown.elsewhere.link
  ? h("p", null, "The picture lies outside the report: ", h("a", { href: shown.elsewhere.link }, foreign(shown.elsewhere.name)))
  : h("p", null, "Not in the report, which holds the worst pages and some others. This draws it:"),
  shown.elsewhere.command ? foreign(shown.elsewhere.command, "code", { class: "command" }) : null,
  h("p", null, h("small", null, "Manifest: ", foreign(shown.facts.find(([label]) => label === "manifest")?.[1] ?? "–"))));

/* A picture with boxes on it; the shape of the page, width by height, lets it fit on paper. One that was made much
   smaller than its page is not blown up. */
const sheet = (size, picture, boxes) => {
  const found = h("div", { class: "sheet" }, picture, boxes);
  if (!size) return found;
  found.style.setProperty("--shape", size[0] / size[1]);
  picture.addEventListener("load", () => {
    if (picture.naturalWidth < size[0] / 2) found.style.maxWidth = `${Math.max(200, 1.5 * picture.naturalWidth)}px`;
  });
  return found;
};

const told = (span) => [KINDS[span[0]], ": page ", span[1] || "nothing", ", model ", span[2] || "nothing", span[3] ? `, original ${span[3]}` : ""].join("");

/* A box on the picture; what the page and the model have stands beside it when it is pointed at or focused. */
const box = ([, place, left, top, right, bottom], span, [width, height], path, lang) => {
  const kind = KINDS[span[0]];
  const tip = h("span", { class: `tip ${top / height > 0.5 ? "above" : ""} ${left / width > 0.5 ? "to-left" : ""}` }, enlarged([left, top, right, bottom], [width, height], path), h("b", null, KIND_TEXT[kind]), h("br"), "page ", foreign(span[1] || "–", "q", { lang }), h("br"), "model ", foreign(span[2] || "–", "q", { lang }), span[3] ? [h("br"), "original ", foreign(span[3], "q", { lang })] : null);
  const button = h("button", { type: "button", class: `box ${kind}`, "data-span": place, "aria-label": told(span), click: () => pick(place, "text"), mouseenter: () => lit(place, true), mouseleave: () => lit(place, false), focus: () => lit(place, true), blur: () => lit(place, false) },
    h("span", { class: "corner", "aria-hidden": "true" }, SHAPES[kind]), tip);
  const pad = 2;
  button.style.left = `${100 * (left - pad) / width}%`;
  button.style.top = `${100 * (top - pad) / height}%`;
  button.style.width = `${100 * (right - left + 2 * pad) / width}%`;
  button.style.height = `${100 * (bottom - top + 2 * pad) / height}%`;
  return button;
};

/* The place on the page, large enough to read. */
const enlarged = ([left, top, right, bottom], [width, height], path) => {
  const pad = 6, times = Math.max(1, Math.min(4, 330 / (right - left + 2 * pad)));
  const found = h("span", { class: "enlarged" });
  found.style.width = `${Math.min(340, times * (right - left + 2 * pad))}px`;
  found.style.height = `${times * (bottom - top + 2 * pad)}px`;
  found.style.backgroundImage = `url("${path}")`;
  found.style.backgroundSize = `${times * width}px ${times * height}px`;
  found.style.backgroundPosition = `${-times * (left - pad)}px ${-times * (top - pad)}px`;
  return found;
};

const lit = (place, on) => document.querySelectorAll(`[data-span="${place}"]`).forEach((part) => part.classList.toggle("lit", on));

/* How many words of the page differ; the metrics beside it count perturbed words only, so these are told apart. */
const key = (shown) => h("ul", { class: "key-of-words" }, KINDS.map((kind) => {
  const [all, perturbed] = shown.counts[kind] ?? [];
  return all ? h("li", null, h("span", { class: `box-key ${kind}` }, SHAPES[kind]), ` ${all} ${kind}`, shown.note ? `, ${perturbed || "none"} of them perturbed` : null) : null;
}));

const text = (one, shown) => {
  const head = (label) => [h("h2", { id: "text" }, label)];
  if (shown.spans.length) {
    const space = one.lang === "zh" ? "" : " ";
    return h("section", { "aria-labelledby": "text" }, head("Page and transcript"), shown.pictures.length && shown.marks.length ? null : key(shown),
      h("p", { class: "diff", lang: langOf(one.lang) }, shown.spans.map((span, place) => [difference(span, place), space])));
  }
  const drawn = shown.pictures.length > 1 || shown.pictures.some(([, label]) => label === "what the model drew");
  if (shown.text === null && (drawn || shown.compared?.length)) return null;
  if (shown.text === null) return h("section", { "aria-labelledby": "text" }, head("Transcript"), h("p", { class: "nothing" }, "The model gave no text."));
  return h("section", { "aria-labelledby": "text" }, head(shown.perfect ? "Transcript, every word as printed" : "Transcript"), foreign(shown.text, "p", { class: "diff", lang: langOf(one.lang) }));
};

const VERDICTS = { valid: "✔", right: "✔", wrong: "✕", "not decided": "◐", "not written": "○", "not marked here": "–" };
const STATE_OF = { valid: 4, right: 4, wrong: 0, "not written": 0 };

/* What was read in the picture that the model gave, beside what should stand there: marked step by step, or word by word. */
const compared = (one, parts) => {
  const marked = parts.filter((part) => part.verdict), whole = parts.filter((part) => !part.verdict);
  return h("section", { "aria-labelledby": "compared" }, h("h2", { id: "compared" }, "Expected, and read in the picture"),
    marked.length ? table("Steps and answer", ["Part", "Verdict", "A valid solution", "Read"], marked.map((part) => h("tr", null,
      h("th", { scope: "row" }, part.label),
      h("td", null, h("span", { class: `chip state-${STATE_OF[part.verdict] ?? 2}` }, h("span", { "aria-hidden": "true" }, `${VERDICTS[part.verdict]} `), part.verdict), part.reason ? [" ", foreign(part.reason)] : null),
      h("td", { lang: langOf(one.lang) }, part.expected ? foreign(part.expected) : h("span", { class: "nothing" }, "nothing")),
      h("td", { lang: langOf(one.lang) }, part.read ? foreign(part.read) : h("span", { class: "nothing" }, "nothing"))))) : null,
    whole.map((part, n) => [h("h3", null, capital(part.label)), key({ counts: part.counts }),
      part.spans.length ? h("p", { class: "diff", lang: langOf(one.lang) }, part.spans.map((span, place) => [difference(span, `${n}-${place}`), one.lang === "zh" || span[1] === "\n" ? "" : " "]))
        : h("p", { class: "nothing" }, "No text is expected, and none was read.")]));
};

/* A place of the text: what is printed struck through, what was read behind it. */
const difference = (span, place) => {
  if (!span[0]) return foreign(span[1]);
  const kind = KINDS[span[0]];
  return h("button", { type: "button", class: `word ${kind}`, "data-span": place, title: told(span), click: () => pick(place, "page"), mouseenter: () => lit(place, true), mouseleave: () => lit(place, false), focus: () => lit(place, true), blur: () => lit(place, false) },
    shape(kind), h("span", { class: "unseen" }, `${kind}: `), span[1] ? foreign(span[1], "del") : null, " ", span[2] ? foreign(span[2], "ins") : null);
};

/* Goes to a word: on the page from the text, in the text from the page. */
const pick = (place, where) => {
  const other = document.querySelector(where === "page" ? `.box[data-span="${place}"]` : `.word[data-span="${place}"]`);
  other?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  other?.focus({ preventScroll: true });
};

/* The next word that differs: its box where the page is shown, else the word in the text. */
vtc.nextWord = (step) => {
  const boxes = [...document.querySelectorAll(".box")], all = boxes.length ? boxes : [...document.querySelectorAll(".word")];
  if (!all.length) return;
  const focused = all.indexOf(document.activeElement);
  current = (((focused < 0 ? current : focused) + step) % all.length + all.length) % all.length;
  all[current].scrollIntoView({ block: "center" });
  all[current].focus({ preventScroll: true });
};
}
