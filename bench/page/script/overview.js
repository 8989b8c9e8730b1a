// All runs: leaderboard, charts, and the tables of one run.
function leaderboard() {
  const order = all.runs.map((run, i) => ({run, i, er: rateOf(run.report.er, 1)})).sort((a, b) => (b.er?.value ?? -1) - (a.er?.value ?? -1));
  const most = Math.max(...all.runs.map(run => run.report.samples));
  const ks = [5, 10, 100].filter(k => all.runs.some(run => rateOf(run.report.er, k)));
  const models = all.runs.some(run => run.report.input_tokens), drawn = all.runs.some(run => run.report.shapes.drawn);
  const rows = order.map(({run, i, er}, place) => {
    const r = run.report, solved = run.tasks.filter(t => t.samples.some(s => s.solved)).length;
    const shares = run.tasks.map(fastest).filter(s => s?.roofline_us).map(s => s.roofline_us / s.us).sort((a, b) => a - b), share = shares.length ? shares[shares.length >> 1] : null;
    return h("tr", {"data-run": i}, h("td.n", {}, place + 1),
      h("td", {}, h("a", {href: link({view: "tasks", run: i}, true)}, h("i.swatch.r" + i % 6), h("b", {}, run.name)), h("div.soft", {}, run.title)),
      h("td", {}, r.model, r.temperature.length ? h("div.soft", {}, `T ${r.temperature.join(", ")} · top-p ${r.top_p.join(", ")}`) : h("div.soft", {}, `seed ${r.seed}`)),
      h("td.n", {}, `${solved} of ${run.tasks.length}`, h("div.soft", {}, most > 1 ? plural(r.samples, "sample") : r.mode)),
      h("td.n", {}, percent(rateOf(r.cr, 1)?.value)), h("td", {}, er ? rateBar(er, i) : ""),
      ks.map(k => h("td.n", {}, percent(rateOf(r.er, k)?.value))),
      drawn && h("td.n", {}, r.shapes.drawn ? percent(r.shapes.drawn.rate.value) : ""),
      h("td.n", {}, share === null ? "" : percent(share, 0)), h("td.n", {}, duration(r.per_solved.seconds)),
      models && h("td.n", {}, r.per_solved.tokens ? count(r.per_solved.tokens) : ""), models && h("td.n", {}, r.per_solved.cost ? few(r.per_solved.cost) : ""),
      h("td.soft.still", {}, place ? verdictOn(order[0], {run, i}) : ""));
  });
  return card("Runs", table(["#", "Run", "Model", "#Tasks solved", "#CR@1", "ER@1, 95 %", ...ks.map(k => `#ER@${k}`), ...(drawn ? ["#Drawn shapes"] : []), "#Of the roofline, median",
    "#Time a solved", ...(models ? ["#Tokens a solved", "#Cost a solved"] : []), order.length > 1 ? "Against the first" : ""], rows, {id: "leaderboard"}));
}
function rateBar(rate, i) {
  const x = share => 150 * share;
  return h("span.rate", {}, svg("svg", {width: 150, height: 16, viewBox: "0 0 150 16"},
    svg("rect", {x: 0, y: 3, width: 150, height: 10, rx: 3, class: "ground"}), svg("rect", {x: 0, y: 3, width: x(rate.value), height: 10, rx: 3, class: "r" + i % 6}),
    svg("path", {d: `M${x(rate.low)} 8H${x(rate.high)}M${x(rate.low)} 4v8M${x(rate.high)} 4v8`, class: "whisker"})),
    h("b", {}, percent(rate.value)), h("span.soft", {}, `${percent(rate.low, 0)} to ${percent(rate.high, 0)}`));
}
function pairOf(a, b) { return all.pairs.find(p => [a, b].includes(p.first) && [a, b].includes(p.second) && p.first !== p.second); }
function verdictOn(best, other) {
  const pair = pairOf(best.run.name, other.run.name);
  if (!pair) return all.pairs[0]?.refused ? "not compared" : "";
  return h("a", {href: link({view: "sides", run: best.i, with: other.i}, true)}, pair.differ ? `differs, ${chance(pair.p)}` : `no difference shown, ${chance(pair.p)}`);
}

function runFacts(run) {
  const r = run.report, fact = (name, value) => value ? h("span", {}, h("b", {}, name), " ", value) : null;
  return h("p.facts", {}, h("span", {}, r.toolchain), h("span", {}, r.mode + " shapes"), h("span", {}, `${plural(r.samples, "sample")} a task, ${plural(r.attempts, "attempt")}`),
    r.max_mb !== null ? h("span", {}, `cases up to ${r.max_mb} MB`) : null, fact("seed", String(r.seed)), fact("temperature", r.temperature.join(", ")),
    h("span", {}, duration(r.wall_s) + " of work"), r.sandbox_missing.length ? h("span", {}, "sandbox without " + r.sandbox_missing.join(", ")) : null);
}
function levels(run) {
  const rate = r => r ? [h("b", {}, percent(r.value)), h("span.soft", {}, ` ${percent(r.low)} to ${percent(r.high)}`)] : "";
  const rows = Object.entries(run.report.levels).map(([number, level]) => {
    const mine = run.tasks.filter(t => String(t.level) === number);
    return [number, h("span", {}, `${level.solved} of ${level.tasks}`), h("span", {}, stack(mine.map(outcomeOfTask), 220)), `${level.compiled} of ${level.tasks}`, `${level.cases_correct} of ${level.cases}`,
      h("span", {}, rate(level.cr.find(r => r.k === 1))), h("span", {}, rate(level.er.find(r => r.k === 1))), level.er.filter(r => r.k > 1).map(r => `ER@${r.k} ${percent(r.value)}`).join(", ")];
  });
  const score = run.report.score === null ? null : h("p.note", {}, h("b", {}, "Score " + run.report.score.toFixed(3)), " of 1, levels weighted 0.2, 0.3, 0.5.");
  return card("Levels", table(["Level", "#Solved", "Tasks by best outcome", "#Compiled", "#Cases correct", "CR@1", "ER@1", ""], rows), score, legend(run));
}
function stack(outcomes, width) {
  const counts = Object.keys(rank).map(name => [name, outcomes.filter(o => o === name).length]).filter(([, n]) => n);
  return h("span.stack", {style: `width:${width}px`}, counts.map(([name, n]) => h("i.o-" + name, {style: `flex:${n}`, title: `${words(name)}: ${n}`})));
}
function legend(run) {
  const outcomes = run.tasks.flatMap(t => t.samples.length ? t.samples.map(s => s.outcome) : ["not_run"]);
  return h("ul.legend", {}, Object.keys(rank).filter(o => outcomes.includes(o)).map(o => h("li", {}, dot(o), `${words(o)} ${outcomes.filter(x => x === o).length}`)));
}
function codeTables(run) {
  const r = run.report, rows = Object.entries;
  return [
    rows(r.codes).length ? card("Findings by code", table(["Code", "#Samples", "Meaning"], rows(r.codes).map(([code, n]) => [h("code", {}, code), n, h("span.soft", {}, all.meanings[code] ?? "")]))) : null,
    rows(r.repairs).length ? card("Repair by code", table(["Attempt failed with", "#Times", "#Gone in the next attempt", "#Correct in the next attempt", "Meaning"],
      rows(r.repairs).map(([code, f]) => [h("code", {}, code), f.met, `${f.gone} (${percent(f.gone / f.met)})`, `${f.solved} (${percent(f.solved / f.met)})`, h("span.soft", {}, all.meanings[code] ?? "")]))) : null,
    rows(r.tuning).length ? card("Tuning by kind of change", table(["Change", "#Tried", "#Broke the kernel", "#Predicted saving", "#Saving", "#Off by"],
      rows(r.tuning).map(([kind, f]) => [words(kind), f.tried, f.broke, percent(f.predicted), percent(f.actual), percent(f.off)]))) : null,
    r.errors.length ? card("Not judged: errors of the machine or of AKGen", table(["Task", "Why"], r.errors.map(e => [e.task, e.why]))) : null,
  ];
}
function drawOverview() {
  const run = all.runs[at().run], pick = all.runs.length > 1
    ? h("div.pills", {}, all.runs.map((other, i) => h("a" + (i === at().run ? ".on" : ""), {href: link({view: "runs", run: i}, true)}, h("i.swatch.r" + i % 6), other.name))) : null;
  put(main, h("div.page", {}, leaderboard(), h("div.grid", {}, h("div.column", {}, groupsChart("Solved by category", "ER@1; whiskers are 95 % over tasks.", r => r.report.categories),
    groupsChart("Solved by family", "ER@1. Held out: families that no model of ours is trained on.", r => r.report.families ?? {})),
    h("div.column", {}, repairChart(), costChart()), h("div.column.across", {}, rooflineChart(),
      groupsChart("Cases by dtype and shape class", "Correct among judged cases. Listed: the task's own shapes; drawn: shapes that no task lists.", r => ({...r.report.dtypes, ...r.report.shapes})))),
    h("div.run", {}, pick, h("h1", {}, run.title), runFacts(run), levels(run), h("div.grid.wide", {}, failureChart(run)), codeTables(run)),
    h("footer", {}, "Solved: every judged case is correct and no check fired. Kernel times are the geometric mean over a task's cases, ",
      run.report.toolchain.startsWith("twin") ? "predicted by the twin." : "as measured.")));
}
