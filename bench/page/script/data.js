// The data: a summary of all runs, and each task's details when it is opened; and what the address says is shown.
const embedded = document.getElementById("data").textContent;
const served = !embedded;
const token = new URLSearchParams(location.search).get("token");
let all = null, version = "";
const details = new Map();

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function load() {
  if (!served) { all = JSON.parse(await unpacked(embedded)); return true; }
  const answer = await fetch(`overview?${new URLSearchParams({token, have: version})}`);
  if (answer.status === 204) return false;
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  const found = await answer.json();
  version = found.version; all = found.overview;
  details.clear();
  return true;
}
// A task's details of a run, by its place in the run's list.
function detail(run, place) {
  const key = `task-${run}-${place}`;
  if (!details.has(key)) details.set(key, served
    ? fetch(`task?${new URLSearchParams({token, run, task: all.runs[run].tasks[place].name})}`).then(answer => answer.json())
    : unpacked(document.getElementById(key).textContent).then(JSON.parse));
  return details.get(key);
}

// #view=…&run=0&task=NAME&sample=0&attempt=1&tab=code&with=1
const where = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
function link(changes, fresh = false) {
  const to = {...(fresh ? {} : where()), ...changes};
  const kept = Object.entries(to).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return "#" + new URLSearchParams(kept);
}
const go = (changes, fresh) => { location.hash = link(changes, fresh); };
function at() {
  const w = where(), run = Math.min(Math.max(0, Number(w.run) || 0), all.runs.length - 1);
  const view = w.view ?? (w.task ? "tasks" : "runs");
  return {...w, run, view, sample: Number(w.sample) || 0, attempt: w.attempt ? Number(w.attempt) : null, tab: w.tab ?? "verdict"};
}
const rank = Object.fromEntries(["correct", "wrong", "trap", "timeout", "cheat", "tiling_error", "compile_error", "plan_rejected",
  "no_code", "unsupported", "budget", "error", "not_run"].map((name, i) => [name, i]));
const bestOf = task => task.samples.reduce((best, s) => best && rank[best.outcome] <= rank[s.outcome] ? best : s, null);
const outcomeOfTask = task => bestOf(task)?.outcome ?? "not_run";
const fastest = task => task.samples.filter(s => s.solved && s.us).sort((a, b) => a.us - b.us)[0] ?? null;
const rateOf = (rates, k) => rates.find(r => r.k === k);
