"use strict";
/* Where we are: the address behind # says it, so that a link survives copying. */
{
const main = document.getElementById("main"), help = document.getElementById("help"), button = document.getElementById("help-button"), keys = document.getElementById("keys-on");
let first = true;

const where = () => {
  const hash = location.hash.slice(1);
  if (hash.startsWith("case=")) return ["case", decode(hash.slice(5))];
  if (hash === "cases" || hash.startsWith("cases?")) return ["cases", new URLSearchParams(hash.slice(6))];
  return ["overview", null];
};
const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

const route = async () => {
  if (location.hash === "#main") return;
  const [place, detail] = where();
  main.replaceChildren();
  for (const [id, here] of [["to-overview", place === "overview"], ["to-cases", place !== "overview"]]) {
    if (here) document.getElementById(id).setAttribute("aria-current", "page");
    else document.getElementById(id).removeAttribute("aria-current");
  }
  try {
    if (place === "overview") vtc.showOverview(main);
    else if (place === "cases") await vtc.showCases(main, detail);
    else await vtc.showCase(main, detail);
  } catch (problem) {
    main.replaceChildren(h("h1", null, "The report is not whole"), h("p", null, problem.message, ". Copy the folder vtc-html together with index.html."));
  }
  if (!first) { scrollTo(0, 0); main.focus({ preventScroll: true }); }
  first = false;
};

const showHelp = (on) => { help.hidden = !on; button.setAttribute("aria-expanded", String(on)); };
button.addEventListener("click", () => showHelp(help.hidden));

const remember = { get: () => { try { return localStorage.getItem("vtc-keys"); } catch { return null; } }, set: (v) => { try { localStorage.setItem("vtc-keys", v); } catch { /* not allowed here */ } } };
keys.checked = remember.get() !== "off";
keys.addEventListener("change", () => remember.set(keys.checked ? "on" : "off"));

/* Closes the tip of a word, whether the pointer or the focus opened it, and leaves the focus where it is. */
const closeTips = () => {
  for (const open of document.querySelectorAll(".box.lit, .box:hover, .box:focus")) open.classList.add("shut");
};
for (const kind of ["mouseout", "focusout"]) document.addEventListener(kind, (event) => event.target.closest?.(".box")?.classList.remove("shut"));

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    closeTips();
    showHelp(false);
  }
  if (!keys.checked || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const [place, ask] = where();
  const step = { j: 1, k: -1 }[event.key], word = { n: 1, p: -1 }[event.key];
  if (step) {
    const to = place === "case" ? vtc.neighbour(ask, step) : vtc.shown[0] ?? vtc.cases[0];
    if (to) location.hash = caseLink(to.ask);
  } else if (word && place === "case") vtc.nextWord(word);
  else if (event.key === "c") location.hash = vtc.filter ? `cases?${vtc.filter}` : "cases";
  else if (event.key === "o") location.hash = "overview";
  else if (event.key === "?") showHelp(help.hidden);
  else if (event.key === "/") {
    if (place !== "cases") { location.hash = "cases"; setTimeout(() => document.getElementById("q")?.focus(), 100); } else document.getElementById("q")?.focus();
  } else return;
  event.preventDefault();
});

addEventListener("hashchange", route);
addEventListener("beforeprint", () => document.querySelectorAll("main details:not(.numbers)").forEach((part) => { part.open = true; }));
if (vtc.data.overview === undefined) main.replaceChildren(h("h1", null, "The report is not whole"), h("p", null, "vtc-html/data/overview.js cannot be read. Copy the folder vtc-html together with index.html."));
else { route(); setTimeout(() => vtc.listed().catch(() => {}), 50); }
}
