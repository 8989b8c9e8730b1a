// The head of the page, what is drawn for an address, and, where a server gives the data, what is new.
const VIEWS = {runs: ["Runs", () => drawOverview()], tasks: ["Tasks", () => drawTasks()], sides: ["Side by side", () => drawSides()]};
let live = "";

function drawHead() {
  const now = at(), theme = document.documentElement.dataset.theme ?? "";
  const done = all.runs.reduce((n, run) => n + run.tasks.reduce((m, t) => m + t.samples.length, 0), 0), wanted = all.runs.reduce((n, run) => n + run.tasks.length * run.report.samples, 0);
  put(head, h("b.mark", {}, "AKGen"), h("nav", {}, Object.entries(VIEWS).map(([name, [title]]) => h("a" + (now.view === name ? ".on" : ""), {href: link({view: name, run: now.run}, true), "data-view": name}, title))),
    h("span.grow"), served ? h("span.live", {id: "live"}, h("i" + (live ? ".off" : ".pulse")), live || (done < wanted ? `live, ${done} of ${wanted} samples` : `${done} samples`)) : null,
    h("button", {"aria-label": "Light or dark", title: "Light or dark", onclick: () => {
      const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      document.documentElement.dataset.theme = dark ? "light" : "dark"; draw();
    }}, "◐"));
}
function draw() {
  hideTip();
  drawHead();
  document.body.dataset.view = at().view;
  (VIEWS[at().view] ?? VIEWS.runs)[1]();
  document.title = (where().task ? where().task + " · " : "") + all.runs[at().run].title + " · AKGen";
  document.body.dataset.ready = String(Number(document.body.dataset.ready ?? 0) + 1);
}
async function look() {
  const before = live;
  const shown = () => { const now = at(); return JSON.stringify([now.task, all.runs[now.run].tasks.find(t => t.name === now.task)]); };
  try {
    const held = shown(), fresh = await load();
    live = "";
    if (fresh && at().view === "tasks" && held === shown()) { drawHead(); redrawList(); }
    else if (fresh) { const y = scrollY; draw(); scrollTo(0, y); }
    else if (before) drawHead();
  } catch (problem) { live = "the server does not answer"; drawHead(); }
  setTimeout(look, 2000);
}
addEventListener("hashchange", () => { draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all && draw());
load().then(() => { draw(); if (served) setTimeout(look, 2000); }).catch(problem => put(main, h("p.empty", {}, `The data cannot be read: ${problem.message}`)));
