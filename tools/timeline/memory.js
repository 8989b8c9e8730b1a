// What is in use of each on-chip memory over time, by buffer; then the start of it all, and moving about in time.
const kib = bytes => bytes && bytes < 1024 ? bytes + " B" : (bytes / 1024).toFixed(bytes % 1024 && bytes < 102400 ? 1 : 0) + " KiB";
// A round number of bytes at or above, for the end of an axis.
const roundUp = bytes => { const p = 2 ** Math.floor(Math.log2(Math.max(32, bytes))); return [1, 1.25, 1.5, 1.75, 2].find(m => m * p >= bytes) * p; };

const tops = {}; // ends of the axes, by memory: the same for all launches

// The bytes that a group of buffers holds, as steps: [time, bytes] from there on.
function steps(uses) {
  const changes = uses.flatMap(([begin, end, bytes]) => [[begin, bytes], [end, -bytes]]).sort((a, b) => a[0] - b[0]);
  const out = [];
  let sum = 0;
  for (const [time, by] of changes) {
    sum += by;
    if (out.length && out[out.length - 1][0] === time) out[out.length - 1][1] = sum; else out.push([time, sum]);
  }
  return out;
}

class Memory {
  constructor(run, cores) {
    this.run = run; this.box = document.querySelector(`[data-memory="${run.section.dataset.run}"] .memories`) || run.section.querySelector(".memories"); this.box.textContent = ""; this.charts = [];
    for (const core of cores) for (const memory of Object.keys(run.memories)) {
      const mine = run.buffers.filter(b => b.core === core && b.memory === memory);
      if (mine.length) this.add(core, memory, mine);
    }
  }
  add(core, memory, buffers) {
    const all = steps(buffers.flatMap(b => b.uses)), size = this.run.memories[memory];
    const most = Math.min(size, Math.max(0, ...all.map(s => s[1])));
    const keys = document.createElement("div"), canvas = document.createElement("canvas");
    keys.className = "keys";
    const say = (words, colour) => {
      const part = keys.appendChild(document.createElement("span"));
      if (colour) { const key = part.appendChild(document.createElement("span")); key.className = "key"; key.style.background = `var(--${colour})`; }
      part.append(words);
    };
    say(`${this.run.cores[core]}, ${memory}: at most ${kib(most)} of ${kib(size)} in use (${Math.round(100 * most / size)} %)`);
    buffers.forEach((b, i) => say(`${b.name}, ${b.count > 1 ? b.count + " × " : ""}${kib(b.bytes)}`, "b" + i % 8));
    this.box.append(keys, canvas);
    tops[memory] = Math.max(tops[memory] || 0, Math.min(size, roundUp(most)));
    this.charts.push({canvas, memory, areas: buffers.map(b => steps(b.uses))});
  }
  draw() { for (const chart of this.charts) this.drawChart(chart); }
  drawChart({canvas, memory, areas}) {
    const top = tops[memory];
    const height = this.charts.length > 2 ? 60 : 92, [g, width] = prepare(canvas, height), low = height - 4, high = 8, right = width - RIGHT;
    const y = bytes => low - bytes / top * (low - high), x = t => Math.max(GUTTER, Math.min(right, place(t, width)));
    g.strokeStyle = colours.grid;
    for (const part of [0, 0.5, 1]) {
      g.beginPath(); g.moveTo(GUTTER, y(top * part)); g.lineTo(right, y(top * part)); g.stroke();
    }
    g.fillStyle = colours.soft; g.textAlign = "right";
    g.fillText(kib(top), GUTTER - 10, y(top) + 4); g.fillText("0", GUTTER - 10, low - 4);
    g.fillStyle = colours.ink; g.textAlign = "left"; g.fillText(memory, 2, (low + high) / 2);
    // Stacked: each area stands on the sum of those before it.
    const times = [...new Set(areas.flatMap(a => a.map(s => s[0])))].sort((a, b) => a - b);
    const at = areas.map(() => 0), now = areas.map(() => 0);
    let last = null;
    const fill = (begin, end) => {
      if (end < from || begin > to) return;
      const a = x(begin), b = x(end);
      let sum = 0;
      now.forEach((bytes, i) => {
        if (bytes > 0) { g.fillStyle = colours["b" + i % 8]; g.fillRect(a, y(sum + bytes), Math.max(0.6, b - a), y(sum) - y(sum + bytes)); }
        sum += bytes;
      });
    };
    for (const time of times) {
      if (last !== null) fill(last, time);
      areas.forEach((area, i) => { while (at[i] < area.length && area[at[i]][0] <= time) now[i] = area[at[i]++][1]; });
      last = time;
    }
  }
}

const longest = Math.max(1, ...data.runs.map(r => r.duration));
let runs = [], dragged = null, moved = false;
const drawAll = () => runs.forEach(run => run.draw());
function whole() { from = -longest * 0.002; to = longest * 1.01; drawAll(); }
function zoom(by, middle = (from + to) / 2) {
  const wide = Math.min(longest * 1.2, Math.max(5, (to - from) * by)), share = (middle - from) / (to - from);
  from = middle - share * wide; to = from + wide; drawAll();
}
function move(by) { from += by; to += by; drawAll(); }
readColours(); from = -longest * 0.002; to = longest * 1.01;
runs = data.runs.map((run, i) => new Run(run, document.querySelector(`[data-run="${i}"]`)));
for (const run of runs) for (const canvas of [run.canvas, run.bands]) {
  canvas.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.metaKey && !e.shiftKey) return; // else the page scrolls
    e.preventDefault(); zoom((e.deltaY || e.deltaX) > 0 ? 1.25 : 0.8, timeAt(e.offsetX, canvas.clientWidth));
  }, {passive: false});
}
for (const run of runs) run.canvas.addEventListener("mousedown", e => { dragged = [e.clientX, from, to]; moved = false; });
addEventListener("mouseup", () => dragged = null);
addEventListener("mousemove", e => {
  if (!dragged) return;
  const by = (e.clientX - dragged[0]) / (runs[0].canvas.clientWidth - GUTTER - RIGHT) * (dragged[2] - dragged[1]);
  moved = moved || Math.abs(e.clientX - dragged[0]) > 3;
  from = dragged[1] - by; to = dragged[2] - by; drawAll();
});
addEventListener("keydown", e => {
  if (e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const act = {w: () => zoom(0.7), s: () => zoom(1.4), a: () => move((from - to) / 5), d: () => move((to - from) / 5)}[e.key];
  if (act) act();
});
document.getElementById("in").onclick = () => zoom(0.6);
document.getElementById("out").onclick = () => zoom(1.6);
document.getElementById("all").onclick = whole;
document.getElementById("arrows").onchange = drawAll;
addEventListener("resize", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); drawAll(); });
