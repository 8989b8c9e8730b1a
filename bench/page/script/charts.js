// Charts: plotly, unpacked when the first one is drawn. Labels are escaped, as plotly reads some markup in them.
let plotly = null;
function loadPlotly() {
  return plotly ??= unpacked(document.getElementById("plotly").textContent).then(text => new Promise((done, fail) => {
    const address = URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    document.head.append(h("script", {src: address, onload: () => { URL.revokeObjectURL(address); done(window.Plotly); }, onerror: fail}));
  }));
}
const plain = text => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const shade = i => css("r" + i % 6);

function chart(name, note, height, draw) {
  const place = h("div.chart", {style: `height:${height}px`});
  const made = card(name, place, note ? h("p.note", {}, note) : null);
  loadPlotly().then(Plotly => {
    const {traces, layout = {}, onclick} = draw();
    const axis = {gridcolor: css("line"), zerolinecolor: css("line"), linecolor: css("line"), automargin: true, exponentformat: "power"};
    const whole = {
      margin: {l: 8, r: 14, t: 8, b: 34, pad: 4}, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: traces.length > 1,
      font: {family: "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif", size: 12.5, color: css("ink")}, hoverlabel: {align: "left"},
      legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0}, ...layout,
      xaxis: {...axis, ...layout.xaxis}, yaxis: {...axis, ...layout.yaxis},
    };
    Plotly.newPlot(place, traces, whole, {displayModeBar: false, responsive: true, doubleClick: "reset"});
    if (onclick) place.on("plotly_click", event => onclick(event.points[0]));
    place.classList.add("drawn");
  });
  return made;
}
function rgba(colour, alpha) { // plotly reads no color-mix
  const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

// Shares of groups of each run, with intervals: categories, dtypes, shape classes.
function groupsChart(name, note, of) {
  const names = [...new Set(all.runs.flatMap(run => Object.keys(of(run))))].sort().reverse();
  if (!names.length) return null;
  const several = all.runs.length, height = 74 + names.length * Math.max(24, 13 * several + 8);
  return chart(name, note, height, () => ({
    traces: all.runs.map((run, i) => {
      const mine = names.map(n => of(run)[n]);
      return {
        type: "bar", orientation: "h", name: plain(run.name), y: names.map(n => plain(words(n) || "no category")), x: mine.map(g => g ? 100 * g.rate.value : null),
        marker: {color: shade(i)}, hovertemplate: "%{customdata}<extra></extra>",
        customdata: mine.map((g, j) => g ? `${plain(words(names[j]))}: ${percent(g.rate.value)} [${percent(g.rate.low)}, ${percent(g.rate.high)}]<br>${g.good} of ${g.total}, ${plural(g.tasks, "task")}` : ""),
        error_x: {type: "data", symmetric: false, array: mine.map(g => g ? 100 * (g.rate.high - g.rate.value) : 0),
          arrayminus: mine.map(g => g ? 100 * (g.rate.value - g.rate.low) : 0), color: css("ink"), thickness: 1, width: 3},
      };
    }),
    layout: {barmode: "group", bargap: .28, xaxis: {range: [0, 104], dtick: 25, ticksuffix: " %"}},
    onclick: null,
  }));
}

function failureChart(run) {
  const tree = run.report.failures, classes = Object.keys(tree), sum = codes => Object.values(codes).reduce((a, b) => a + b, 0);
  if (!classes.length) return card("Failures by class", h("p.note", {}, "No sample failed."));
  const ids = ["all"], labels = ["not solved"], parents = [""], values = [classes.reduce((a, c) => a + sum(tree[c]), 0)], tips = ["samples that are not solved"], colours = [css("line")];
  classes.forEach((name, i) => {
    ids.push(name); labels.push(plain(words(name))); parents.push("all"); values.push(sum(tree[name])); tips.push(plain(all.classes[name] ?? "")); colours.push(css("f" + i % 8));
    for (const [code, n] of Object.entries(tree[name])) {
      ids.push(`${name}/${code}`); labels.push(plain(code === code.toUpperCase() ? code : words(code))); parents.push(name); values.push(n);
      tips.push(plain(all.meanings[code] ?? all.outcomes[code] ?? "")); colours.push(rgba(css("f" + i % 8), .75));
    }
  });
  return chart("Failures by class and code", "Samples by their first finding; of wrong numbers, by the cause that the judge names.", 340, () => ({
    traces: [{type: "icicle", ids, labels, parents, values, customdata: tips, branchvalues: "total", marker: {colors: colours, line: {color: css("panel"), width: 1.5}},
      tiling: {orientation: "h"}, texttemplate: "%{label}  %{value}", textfont: {color: ids.map(id => id === "all" || id.includes("/") ? css("ink") : "#fff")}, hovertemplate: "<b>%{label}</b>  %{value}<br>%{customdata}<extra></extra>", pathbar: {visible: false}}],
    layout: {margin: {l: 2, r: 2, t: 4, b: 4}, showlegend: false},
  }));
}

function repairChart() {
  const most = Math.max(...all.runs.map(run => run.report.solved_by.length));
  if (most < 2) return card("Solved by attempt", h("p.note", {}, "One attempt each: nothing was repaired."));
  return chart("Solved by attempt", "Share of samples solved with so many attempts; bands are 95 % over tasks.", 300, () => ({
    traces: all.runs.flatMap((run, i) => {
      const rates = run.report.solved_by, x = rates.map(r => r.k);
      return [
        {x: [...x, ...[...x].reverse()], y: [...rates.map(r => 100 * r.high), ...rates.map(r => 100 * r.low).reverse()], fill: "toself",
          fillcolor: rgba(shade(i), .16), line: {width: 0}, mode: "lines", hoverinfo: "skip", showlegend: false},
        {x, y: rates.map(r => 100 * r.value), name: plain(run.name), mode: "lines+markers", line: {color: shade(i), width: 2}, marker: {size: 7},
          hovertemplate: "attempt %{x}: %{y:.1f} %<extra></extra>"},
      ];
    }),
    layout: {xaxis: {dtick: 1, title: {text: "attempts", font: {size: 12.5}}, range: [.7, most + .3]}, yaxis: {ticksuffix: " %", rangemode: "tozero"}, showlegend: all.runs.length > 1},
  }));
}

// Labels at 1, 2 and 5, or at powers of ten where there are many.
const logAxis = (name, low, high) => ({type: "log", title: {text: name, font: {size: 12.5}}, range: [low, high].map(Math.log10), dtick: high / low > 1e4 ? 1 : "D2"});
function rooflineChart() {
  const points = all.runs.map(run => run.tasks.map(t => ({task: t.name, best: fastest(t)})).filter(p => p.best?.roofline_us));
  const flat = points.flat().map(p => p.best);
  if (!flat.length) return card("Time against the roofline", h("p.note", {}, "No solved sample holds its least time."));
  const range = (times, above) => [Math.min(...times) / 1.6, Math.max(...times) * above], [low, high] = range(flat.map(s => s.roofline_us), 1.6), tall = range(flat.map(s => s.us), 3);
  return chart("Time against the roofline", "Each task's fastest solved kernel. Lines: the whole roofline, a half, a tenth of it. A click opens the task.", 340, () => ({
    traces: [
      ...[1, .5, .1].map(share => ({x: [low, high], y: [low / share, high / share], mode: "lines", hoverinfo: "skip", showlegend: false, line: {color: css("soft"), width: 1, dash: share === 1 ? "solid" : "dot"}})),
      ...points.map((mine, i) => ({
        x: mine.map(p => p.best.roofline_us), y: mine.map(p => p.best.us), mode: "markers", name: plain(all.runs[i].name), marker: {color: rgba(shade(i), .8), size: 7},
        text: mine.map(p => `${plain(p.task)}<br>${micro(p.best.us)}, least ${micro(p.best.roofline_us)}: ${percent(p.best.roofline_us / p.best.us, 0)}`), hovertemplate: "%{text}<extra></extra>", meta: i,
      })),
    ],
    layout: {xaxis: logAxis("least time, µs", low, high), yaxis: logAxis("time, µs", ...tall), showlegend: all.runs.length > 1},
    onclick: point => point.data.meta !== undefined && go({view: "tasks", run: point.data.meta, task: points[point.data.meta][point.pointNumber].task}, true),
  }));
}

function costChart() {
  const paid = all.runs.some(run => run.report.per_solved.cost), asked = all.runs.some(run => run.report.per_solved.tokens);
  const [of, unit] = paid ? ["cost", "cost"] : asked ? ["tokens", "tokens"] : ["seconds", "seconds of work"];
  const shown = all.runs.map((run, i) => ({run, i, spent: run.report.per_solved[of], rate: rateOf(run.report.er, 1)})).filter(p => p.spent && p.rate);
  if (!shown.length) return card("What a solved sample costs", h("p.note", {}, "None was solved."));
  return chart("What a solved sample costs", `${unit[0].toUpperCase() + unit.slice(1)} for each solved sample, failures included, against ER@1.`, 300, () => ({
    traces: shown.map(p => ({x: [p.spent], y: [100 * p.rate.value], mode: "markers", name: plain(p.run.name), marker: {color: shade(p.i), size: 12},
      error_y: {type: "data", symmetric: false, array: [100 * (p.rate.high - p.rate.value)], arrayminus: [100 * (p.rate.value - p.rate.low)], color: css("soft"), thickness: 1},
      hovertemplate: `${few(p.spent)} ${unit}, ${percent(p.rate.value)}<extra></extra>`})),
    layout: {xaxis: {type: shown.length > 1 ? "log" : "linear", title: {text: unit, font: {size: 12.5}}, rangemode: "tozero"}, yaxis: {ticksuffix: " %", range: [0, 105]}, showlegend: shown.length > 1},
  }));
}
