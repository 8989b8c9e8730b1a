// One sample's attempts: verdict, plan, code, timeline, conversation, and the task itself, each on a tab.
const TABS = {verdict: "Verdict", plan: "Plan", code: "Code", timeline: "Timeline", talk: "Prompt and reply", task: "Task"};

function drawAttempts(place, found, sample, now) {
  const attempts = (sample && found.samples[sample.sample]) || [], record = sample && found.records[sample.sample];
  const texts = number => number === null || number === undefined ? "" : found.texts[number];
  const chosen = attempts.find(a => a.number === now.attempt) ?? attempts.findLast(a => a.outcome === "correct") ?? attempts.at(-1);
  const before = chosen ? attempts[attempts.indexOf(chosen) - 1] : undefined;
  const tabs = Object.entries(TABS).filter(([name]) => tabHolds(name, chosen, found));
  const tab = tabs.some(([name]) => name === now.tab) ? now.tab : tabs[0]?.[0] ?? "verdict";
  const draw = {verdict: verdictTab, plan: planTab, code: codeTab, timeline: timelineTab, talk: talkTab, task: taskTab};
  put(place,
    attempts.length ? h("div.attempts", {role: "group", "aria-label": "Attempts"}, attempts.map(a => h("a" + (a === chosen ? ".on" : ""), {href: link({attempt: a.number})},
      h("b", {}, `Attempt ${a.number}`), outcomeOf(a.outcome)))) : null,
    h("div.tabs", {role: "tablist"}, tabs.map(([name, title]) => h("a" + (name === tab ? ".on" : ""), {role: "tab", href: link({tab: name}), "data-tab": name}, title))),
    h("div.tab", {"data-shown": tab}, draw[tab]({attempt: chosen, before, record, found, texts, sample})));
}
function tabHolds(name, attempt, found) {
  return {verdict: true, plan: attempt?.plan, code: attempt && Object.keys(attempt.files).length + (attempt.dsl ? 1 : 0), timeline: attempt?.profile, talk: attempt?.messages.length || attempt?.told !== null && attempt, task: found.task}[name];
}

function verdictTab({attempt, record, found}) {
  const cases = attempt?.verdict.cases.length ? attempt.verdict.cases : record?.cases ?? [], params = Object.fromEntries((found.task?.cases ?? []).map(c => [c.id, c.params]));
  const findings = attempt?.verdict.findings ?? [];
  return [
    attempt ? h("p.why", {}, attempt.why || all.outcomes[attempt.outcome]) : record?.why ? h("p.why", {}, record.why) : null,
    attempt?.decision ? h("p.note", {}, h("b", {}, "Then: "), `${words(attempt.decision.action)}. ${attempt.decision.why}`) : null,
    findings.length ? card("Findings", findings.map(f => finding(f, attempt))) : null,
    ...cases.filter(c => c.mismatch).map(c => card(`Case ${c.id}: where output ${c.mismatch.output} differs`, mismatch(c))),
    cases.length ? card("Cases", table(["Case", "Asked for", "Outcome", "#Time", "#Largest error", "#Relative", "#Of allowed", "Own check", ""], cases.map(c => [
      c.id, h("span.params", {}, Object.entries(params[c.id] ?? (c.dtype ? {dtype: c.dtype} : {})).map(([k, v]) => h("span", {}, h("b", {}, k), " ", Array.isArray(v) ? v.join("×") : String(v)))),
      outcomeOf(c.outcome), h("span", {}, micro(c.time_us), c.device ? h("span.soft", {}, " " + c.device) : null), few(c.max_abs), few(c.max_rel), c.max_used === undefined ? "" : percent(c.max_used), c.own_checker ?? "", h("span.soft", {}, c.sentence ?? c.why ?? "")]))) : null,
    attempt?.verdict.drawn ? h("p.note", {}, attempt.verdict.drawn) : null,
    !attempt && found.records && !cases.length ? h("p.note", {}, "Nothing else was kept of this sample.") : null,
  ];
}
function finding(f, attempt) {
  const place = f.file ? `${f.file}${f.line ? ":" + f.line : ""}` : null;
  return h("div.finding." + f.severity, {}, h("div", {}, h("code", {}, f.code), f.case ? h("span.soft", {}, ` case ${f.case}`) : null, f.core ? h("span.soft", {}, " " + f.core) : null,
    place ? h("a.place", {href: link({tab: "code", file: f.file, line: f.line, attempt: attempt.number})}, place) : null),
    h("p", {}, f.text), f.remedy ? h("p.remedy", {}, f.remedy) : null);
}

function planTab({attempt, texts}) {
  const plan = attempt.plan, tiling = plan.tiling, bytes = n => n >= 1024 ? (n / 1024).toFixed(n % 1024 ? 1 : 0) + " KB" : n + " B";
  const used = {};
  for (const b of tiling?.buffers ?? []) used[b.space] = (used[b.space] ?? 0) + b.size_bytes * b.copies;
  return [
    h("p.facts", {}, h("span", {}, words(plan.category)), h("span", {}, "by " + plan.origin), h("span", {}, "route " + plan.route)),
    texts(plan.thought) ? card("Thought", h("pre.text", {}, texts(plan.thought))) : null,
    tiling ? card("Tiling", h("p.facts", {}, h("span", {}, plural(tiling.block_dim, "core")), h("span", {}, `tiles of ${tiling.tile_length}`), h("span", {}, tiling.double_buffer ? "double buffers" : "single buffers"), tiling.split ? h("span", {}, "cut by " + tiling.split) : null),
      tiling.tail ? h("p", {}, tiling.tail) : null,
      Object.entries(used).map(([space, n]) => h("p.note", {}, `${space}: ${bytes(n)}`)), tiling.buffers.length ? bufferBar(tiling.buffers) : null,
      tiling.buffers.length ? table(["Buffer", "Memory", "Role", "Type", "#Size", "#Copies"], tiling.buffers.map(b => [b.name, b.space, b.role, b.dtype, bytes(b.size_bytes), b.copies])) : null) : null,
    plan.apis.length ? card("Interfaces", h("p.chips", {}, plan.apis.map(a => h("code", {}, a)))) : null,
    plan.risks.length ? card("Risks", h("ul", {}, plan.risks.map(r => h("li", {}, r)))) : null,
  ];
}
function bufferBar(buffers) {
  const total = buffers.reduce((a, b) => a + b.size_bytes * b.copies, 0);
  return h("span.stack.tall", {}, buffers.map((b, i) => h("i.r" + i % 6, {style: `flex:${b.size_bytes * b.copies / total}`, title: `${b.name}: ${b.size_bytes} × ${b.copies}`})));
}

function talkTab({attempt, found, texts}) {
  const left = found.left_out.includes("conversations") ? h("p.note", {}, "This file has no room for the conversations; `akgen view` shows them.") : null;
  const told = attempt.told !== null ? card("What the critic told the coder", h("pre.text", {}, texts(attempt.told))) : null;
  return [left, told, attempt.messages.map(m => {
    const whole = texts(m.text), thought = /^<think>([\s\S]*?)(?:<\/think>|$)/.exec(whole);
    return h("section.message.by-" + (["system", "user", "assistant"].includes(m.role) ? m.role : "other"), {}, h("h3", {}, m.role === "assistant" ? `the ${m.to}'s reply` : `${m.role}, to the ${m.to}`, h("span.soft", {}, `${count(whole.length)} characters`)),
      thought ? h("details", {open: true}, h("summary", {}, "Thought"), h("pre.text.thought", {}, thought[1])) : null, h("pre.text", {}, thought ? whole.slice(thought[0].length).trimStart() : whole));
  })];
}
function taskTab({found, texts}) {
  const t = found.task;
  return [h("p.facts", {}, h("span", {}, t.op_type), h("span", {}, "kernel ", h("code", {}, t.kernel)), h("span", {}, t.mode + " shapes"), h("span", {}, t.reference)),
    card("Description", h("pre.text", {}, texts(t.description) || "none")),
    card("Cases", table(["Case", "Asked for"], t.cases.map(c => [c.id, h("code", {}, JSON.stringify(c.params))])))];
}
