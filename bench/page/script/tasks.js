// One run's tasks: the list with its filters at the left, the chosen task's samples and attempts at the right.
let sieve = {text: "", outcome: "", by: "suite"};

function taskList(run, now) {
  const list = h("nav.list", {"aria-label": "Tasks"});
  const draw = () => {
    const text = sieve.text.toLowerCase();
    const fits = t => (!sieve.outcome || (t.samples.length ? t.samples.some(s => s.outcome === sieve.outcome) : sieve.outcome === "not_run"))
      && (!text || t.name.toLowerCase().includes(text) || t.category.toLowerCase().includes(text) || t.samples.some(s => (s.why ?? "").toLowerCase().includes(text) || (s.codes ?? []).join(" ").toLowerCase().includes(text)));
    const kept = run.tasks.filter(fits);
    if (sieve.by === "rate") kept.sort((a, b) => share(a) - share(b));
    if (sieve.by === "time") kept.sort((a, b) => slow(b) - slow(a));
    let group = null;
    put(list, kept.map(t => {
      const name = `Level ${t.level} · ${words(t.category) || "not run"}`, title = sieve.by === "suite" && name !== group ? h("h3", {}, name) : null;
      group = name;
      return [title, taskRow(t, now)];
    }), kept.length ? null : h("p.note", {}, "No task fits."));
  };
  const share = t => t.samples.filter(s => s.solved).length / Math.max(1, t.samples.length);
  const slow = t => { const best = fastest(t); return best?.roofline_us ? best.us / best.roofline_us : 0; };
  const option = (value, text, held) => h("option", {value, selected: value === held}, text);
  const outcomes = [...new Set(run.tasks.flatMap(t => t.samples.length ? t.samples.map(s => s.outcome) : ["not_run"]))].sort((a, b) => rank[a] - rank[b]);
  const tools = h("div.tools", {},
    h("input", {id: "find", type: "search", value: sieve.text, placeholder: "Filter by task, reason or code", "aria-label": "Filter by task, reason or code", oninput: e => { sieve.text = e.target.value; draw(); }}),
    h("select", {id: "kind", "aria-label": "Outcome", onchange: e => { sieve.outcome = e.target.value; draw(); }}, option("", "all outcomes", sieve.outcome), outcomes.map(o => option(o, words(o), sieve.outcome))),
    h("select", {"aria-label": "Order", onchange: e => { sieve.by = e.target.value; draw(); }}, option("suite", "by category", sieve.by), option("rate", "least solved first", sieve.by), option("time", "furthest from the roofline first", sieve.by)));
  draw();
  return h("aside.side", {}, tools, list);
}
// New results beside a task that is being read: the list alone is drawn anew, and a filter keeps its focus.
function redrawList() {
  const old = main.querySelector(".side"), list = old.querySelector(".list").scrollTop, typed = document.activeElement?.id === "find", now = at();
  const fresh = taskList(all.runs[now.run], now);
  old.replaceWith(fresh);
  fresh.querySelector(".list").scrollTop = list;
  if (typed) fresh.querySelector("#find").focus();
}
function taskRow(task, now) {
  const best = fastest(task), n = task.samples.length, good = task.samples.filter(s => s.solved).length;
  return h("a.row" + (task.name === now.task ? ".on" : ""), {href: link({view: "tasks", run: now.run, task: task.name}, true), "data-task": task.name, "data-outcome": outcomeOfTask(task)},
    n > 1 ? stack(task.samples.map(s => s.outcome), 34) : dot(outcomeOfTask(task)), h("span.name", {}, task.name),
    h("span.soft", {}, n > 1 ? `${good}/${n}` : best ? micro(best.us) : n ? words(task.samples[0].outcome) : "not run"));
}

function drawTasks() {
  const now = at(), run = all.runs[now.run], task = run.tasks.find(t => t.name === now.task);
  const held = main.querySelector(".list")?.scrollTop ?? 0;
  const right = h("section.task", {}, task ? null : h("div.empty", {}, run.tasks.length ? "Choose a task." : "No task has been judged yet."));
  put(main, h("div.split", {}, taskList(run, now), right));
  main.querySelector(".list").scrollTop = held;
  const chosen = main.querySelector(".row.on");
  if (chosen && (chosen.offsetTop < held || chosen.offsetTop > held + main.querySelector(".list").clientHeight)) chosen.scrollIntoView({block: "center"});
  if (task) drawTask(right, run, task, now);
}
function sampleStrip(task, now) {
  if (task.samples.length < 2) return null;
  return h("div.samples", {role: "group", "aria-label": "Samples"}, task.samples.map(s => h("a.o-" + s.outcome + (s.sample === now.sample ? ".on" : ""),
    {href: link({sample: s.sample, attempt: null}), title: `sample ${s.sample}: ${words(s.outcome)}`}, String(s.sample))));
}
function drawTask(place, run, task, now) {
  const sample = task.samples.find(s => s.sample === now.sample) ?? task.samples[0];
  const facts = sample ? [outcomeOf(sample.outcome), sample.judged ? `${sample.right ?? 0}/${sample.judged} cases` : null, sample.us ? `${micro(sample.us)} ${sample.source ?? ""}` : null,
    sample.roofline_us ? percent(sample.roofline_us / sample.us, 0) + " of the roofline" : null, sample.attempts > 1 ? plural(sample.attempts, "attempt") : null,
    sample.tokens ? count(sample.tokens) + " tokens" : null, sample.compile_s ? "kernel compiled in " + duration(sample.compile_s) : null, sample.seconds ? duration(sample.seconds) + " of work" : null] : ["not run yet"];
  const body = h("div.body", {}, h("p.note", {}, "loading"));
  put(place, h("div.title", {}, h("h1", {}, task.name), h("span.soft", {}, `level ${task.level}` + (task.category ? ` · ${words(task.category)}` : "")),
    all.runs.length > 1 ? h("span.pills", {}, all.runs.map((other, i) => other.tasks.some(t => t.name === task.name) ? h("a" + (i === now.run ? ".on" : ""), {href: link({run: i, attempt: null})}, other.name) : null)) : null),
    h("p.facts", {}, facts.filter(Boolean).map(f => h("span", {}, f))), sample?.why ? h("p.why", {}, sample.why) : null, sampleStrip(task, {...now, sample: sample?.sample}), body);
  detail(now.run, run.tasks.indexOf(task)).then(found => drawAttempts(body, found, sample, now)).catch(problem => put(body, h("p.note", {}, `The details cannot be read: ${problem.message}`)));
}
