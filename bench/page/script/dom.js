// Elements are made here alone. Texts become text nodes: nothing that a task or a model wrote is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";
const main = document.getElementById("main"), head = document.getElementById("head"), tip = document.getElementById("tip");

// h("td.n", {title: "…", onclick: f}, "text", element, …): nothing for null and false.
function h(tag, given, ...children) { return filled(document.createElement(tag.split(".")[0]), tag, given, children); }
function svg(tag, given, ...children) { return filled(document.createElementNS(SVG, tag.split(".")[0]), tag, given, children); }
function filled(made, tag, given, children) {
  const classes = tag.split(".").slice(1);
  if (classes.length) made.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  add(made, children);
  return made;
}
function add(place, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) place.append(child instanceof Node ? child : String(child));
  return place;
}
function put(place, ...children) { place.replaceChildren(); return add(place, children); }

function table(heads, rows, given) {
  const cell = (kind, value, name) => value instanceof Element && value.tagName === kind.toUpperCase() ? value
    : h(kind + (name?.startsWith("#") ? ".n" : ""), {}, value);
  return h("div.scroll", {}, h("table", given,
    h("thead", {}, h("tr", {}, heads.map(name => cell("th", name.replace(/^#/, ""), name)))),
    h("tbody", {}, rows.map(row => row instanceof Element ? row : h("tr", {}, row.map((value, i) => cell("td", value, heads[i])))))));
}
const card = (name, ...children) => h("section.card", {}, name ? h("h2", {}, name) : null, children);
const words = name => String(name).replaceAll("_", " ");
const dot = outcome => h("i.dot.o-" + outcome, {title: words(outcome)});
const outcomeOf = outcome => h("span.outcome", {}, dot(outcome), words(outcome));

const percent = (share, digits = 1) => {
  if (share === null || share === undefined) return "";
  const whole = 100 * share, least = 10 ** -(digits + 1); // a small share is not shown as none
  return share > 0 && whole < least ? `< ${least} %` : whole.toFixed(share > 0 && whole < .5 * 10 ** -digits ? digits + 1 : digits) + " %";
};
const few = value => value === null || value === undefined ? "" : typeof value !== "number" ? String(value)
  : value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(2) : String(+value.toPrecision(3));
const chance = p => p < .001 ? "p < 0.001" : "p = " + p.toPrecision(2);
const micro = us => us === null || us === undefined ? "" : us === 0 ? "0" : us >= 1000 ? (us / 1000).toPrecision(3) + " ms" : us.toPrecision(3) + " µs";
const duration = s => s === null || s === undefined ? "" : s < 90 ? few(s) + " s" : s < 5400 ? Math.round(s / 60) + " min" : (s / 3600).toFixed(1) + " h";
const count = n => n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n >= 1e4 ? Math.round(n / 1e3) + " k" : String(Math.round(n));
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function showTip(event, ...lines) {
  put(tip, lines.map(line => h("div", {}, line)));
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - width - 8) + "px";
  tip.style.top = Math.max(8, event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
