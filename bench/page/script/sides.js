// Two runs side by side: what one alone solves, how times relate, and two attempts beside each other.
function drawSides() {
  const now = at(), a = now.run, b = Number(now.with ?? (a === 0 ? 1 : 0)), first = all.runs[a], second = all.runs[b];
  if (!second || a === b) { put(main, h("div.page", {}, h("div.empty", {}, all.runs.length < 2 ? "One run alone cannot be compared: give several to `akgen bench report` or `akgen view`." : "Choose another run."), all.runs.length > 1 ? sidePick(a, b) : null)); return; }
  const pair = pairOf(first.name, second.name), swapped = pair && pair.first !== first.name, others = new Map(second.tasks.map(t => [t.name, t]));
  // Where both solve a task, times are those of the cases that both have; else of its own cases.
  const common = new Map((pair?.comparison.ratios ?? []).map(r => [r.task, swapped ? [r.second_us, r.first_us] : [r.first_us, r.second_us]]));
  const rows = first.tasks.filter(t => others.has(t.name)).map(t => {
    const other = others.get(t.name), solved = [t, other].map(k => k.samples.some(s => s.solved)), both = common.get(t.name);
    const [x, y] = both ?? [t, other].map(k => fastest(k)?.us);
    return {t, other, ratio: both ? x / y : null, x, y, differs: solved[0] !== solved[1]};
  });
  const table_ = h("div", {}), order = r => r.differs ? 0 : r.ratio === null ? 2 : 1;
  const show = only => put(table_, table(["Task", "First", "Second", "#First", "#Second", "#First over second", ""], rows.filter(r => !only || r.differs).sort((p, q) => order(p) - order(q) || Math.abs(Math.log(q.ratio ?? 1)) - Math.abs(Math.log(p.ratio ?? 1)))
    .map(r => h("tr" + (r.t.name === now.task ? ".on" : ""), {"data-task": r.t.name}, h("td", {}, h("a", {href: link({task: r.t.name})}, r.t.name)), h("td", {}, outcomeOf(outcomeOfTask(r.t))), h("td", {}, outcomeOf(outcomeOfTask(r.other))),
      h("td.n", {}, micro(r.x)), h("td.n", {}, micro(r.y)), h("td.n", {}, r.ratio === null ? "" : r.ratio.toFixed(2)), h("td", {}, r.ratio === null ? "" : ratioBar(r.ratio)))), {id: "sides"}));
  show(false);
  const task = rows.find(r => r.t.name === now.task);
  put(main, h("div.page", {}, sidePick(a, b), pair ? pairFacts(pair, swapped) : h("p.note", {}, all.pairs[0]?.refused ?? ""),
    task ? besides(a, b, task) : h("div.grid.wide", {}, timesChart(rows, first, second)),
    card("Tasks of both", h("label.note", {}, h("input", {type: "checkbox", onchange: e => show(e.target.checked)}), " only those that one run alone solves"), table_)));
}
function sidePick(a, b) {
  const pick = (held, name) => h("select", {"aria-label": name, onchange: e => go({[name]: e.target.value})}, all.runs.map((run, i) => h("option", {value: i, selected: i === held}, run.name)));
  return h("div.sidepick", {}, h("i.swatch.r" + a % 6), pick(a, "run"), h("span.soft", {}, "against"), h("i.swatch.r" + b % 6), pick(b, "with"), where().task ? h("a", {href: link({task: null})}, "all tasks") : null);
}
function pairFacts(pair, swapped) {
  const c = pair.comparison, sign = swapped ? -1 : 1, rate = c.rates[0], alone = swapped ? [c.second_alone, c.first_alone] : [c.first_alone, c.second_alone];
  const ratio = c.mean_ratio === null ? null : swapped ? [1 / c.mean_ratio, 1 / c.high, 1 / c.low] : [c.mean_ratio, c.low, c.high], range = [sign * rate.low, sign * rate.high].sort((x, y) => x - y);
  const tile = (big, small) => h("div.tile", {}, h("b", {}, big), h("span.soft", {}, small)), signed = v => (v > 0 ? "+" : "") + (100 * v).toFixed(1);
  return h("div.tiles", {}, tile(pair.differ ? "They differ" : "No difference shown", `${chance(pair.p)}${all.pairs.length > 1 ? ", corrected for " + all.pairs.length + " pairs" : ""} (permutation, mid-p)`),
    tile(`${signed(sign * rate.difference)} points`, `ER@1, second less first [${range.map(signed).join(", ")}], h ${few(sign * rate.h)}`),
    tile(`${alone[0].length} : ${alone[1].length}`, `solved by the first alone, by the second alone; both ${c.both} of ${c.tasks}; McNemar ${chance(c.p_solved)}, mid-${chance(c.p_solved_mid)}`),
    ratio ? tile(ratio[0].toFixed(2), `times, first over second [${ratio[1].toFixed(2)}, ${ratio[2].toFixed(2)}] over ${plural(c.ratios.length, "task")}, Wilcoxon ${chance(c.p_time)}`) : null);
}
function ratioBar(ratio) {
  const way = Math.max(-1, Math.min(1, Math.log2(ratio) / 2)), wide = Math.abs(way) * 45;
  return svg("svg", {width: 100, height: 12, viewBox: "0 0 100 12"}, svg("path", {d: "M50 0v12", class: "whisker"}), svg("rect", {x: way < 0 ? 50 - wide : 50, y: 2, width: wide, height: 8, rx: 2, class: way < 0 ? "better" : "worse"}));
}
function timesChart(rows, first, second) {
  const timed = rows.filter(r => r.ratio !== null);
  if (!timed.length) return card("Times", h("p.note", {}, "No task is solved by both."));
  const times = timed.flatMap(r => [r.x, r.y]), low = Math.min(...times) / 1.4, high = Math.max(...times) * 1.4;
  return chart("Times of tasks that both solve", "Over the cases that both have. Below the line, the second run's kernels take less time. A click puts the two kernels side by side.", 380, () => ({
    traces: [{x: [low, high], y: [low, high], mode: "lines", hoverinfo: "skip", line: {color: css("soft"), width: 1}},
      {x: timed.map(r => r.x), y: timed.map(r => r.y), mode: "markers", marker: {color: rgba(css("r0"), .8), size: 8}, text: timed.map(r => `${plain(r.t.name)}<br>${micro(r.x)} against ${micro(r.y)}: ${r.ratio.toFixed(2)}`), hovertemplate: "%{text}<extra></extra>"}],
    layout: {showlegend: false, xaxis: logAxis(plain(first.name) + ", µs", low, high), yaxis: logAxis(plain(second.name) + ", µs", low, high)},
    onclick: point => point.curveNumber === 1 && go({task: timed[point.pointNumber].t.name}),
  }));
}
function besides(a, b, row) {
  const place = h("div.besides", {}, h("p.note", {}, "loading")), pick = (found, best) => {
    const attempts = found.samples[best?.sample ?? 0] ?? [];
    return attempts.findLast(x => x.outcome === "correct") ?? attempts.at(-1);
  };
  Promise.all([[a, row.t], [b, row.other]].map(async ([run, task]) => {
    const found = await detail(run, all.runs[run].tasks.indexOf(task)), attempt = pick(found, fastest(task) ?? bestOf(task));
    return {run, task, attempt, files: attempt ? filesOf(attempt, n => found.texts[n]) : {}};
  })).then(sides => {
    const names = [...new Set(sides.flatMap(s => Object.keys(s.files)))].sort(byImportance), file = names.includes(where().file) ? where().file : names[0];
    put(place, h("h1", {}, row.t.name), h("div.columns", {}, sides.map(s => h("div", {}, h("h3", {}, h("i.swatch.r" + s.run % 6), all.runs[s.run].name, " ", s.attempt ? outcomeOf(s.attempt.outcome) : "nothing was kept"),
      s.attempt ? h("p.why", {}, s.attempt.why || s.attempt.profile?.summary || "") : null,
      h("a", {href: link({view: "tasks", run: s.run, task: s.task.name, attempt: s.attempt?.number}, true)}, "open")))),
      h("div.files", {}, names.map(name => h("a" + (name === file ? ".on" : ""), {href: link({file: name})}, name))),
      file ? h("div.columns", {}, sides.map((s, i) => { const mine = s.files[file], other = sides[1 - i].files[file];
        return mine === undefined ? h("p.note", {}, "has no such file") : listing(mine, {notes: notesOf(s.attempt, file), before: i === 1 && other !== undefined ? other : null, python: file === "tile program"}); })) : null);
  }).catch(problem => put(place, h("p.note", {}, `The details cannot be read: ${problem.message}`)));
  return place;
}
