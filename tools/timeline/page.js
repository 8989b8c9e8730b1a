// Timelines: all cores in bands, the lanes of one block with waits and arrows. All launches share one time scale.
"use strict";
const root = document.documentElement, tip = document.getElementById("tip");
const GUTTER = 96, RIGHT = 10, LANE = 31, TALL = 20, TOP = 24;
let colours = {}, from = 0, to = 1;
const css = name => getComputedStyle(root).getPropertyValue("--" + name).trim();
const text = number => data.texts[number];
const us = ns => (ns / 1000).toFixed(3) + " µs";

function readColours() {
  colours = {};
  for (const name of ["S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3", "ink", "soft", "line", "grid", "stall", "idle", "card", "on-bar",
    "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"]) colours[name] = css(name);
}
// A canvas of a height in CSS pixels, sharp on any screen.
function prepare(canvas, height) {
  const r = devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px"; canvas.width = Math.round(width * r); canvas.height = Math.round(height * r);
  const g = canvas.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0); g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"; g.textBaseline = "middle";
  return [g, width];
}
const place = (t, width) => GUTTER + (t - from) / (to - from) * (width - GUTTER - RIGHT);
const timeAt = (x, width) => from + (x - GUTTER) / (width - GUTTER - RIGHT) * (to - from);

function axis(g, width, height) {
  const raw = (to - from) / Math.max(3, (width - GUTTER) / 130), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find(m => m * power >= raw) * power, digits = Math.max(0, 3 - Math.floor(Math.log10(step)));
  g.textAlign = "left";
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) {
    const x = place(v, width);
    g.strokeStyle = colours.grid; g.beginPath(); g.moveTo(x, 18); g.lineTo(x, height); g.stroke();
    g.fillStyle = colours.soft;
    if (x < width - 58) g.fillText((v / 1000).toFixed(Math.min(3, digits)) + " µs", x + 4, 10);
  }
}
// As much of a name as there is room for, or nothing.
function fitting(g, name, room) {
  if (room < 24) return "";
  if (g.measureText(name).width <= room) return name;
  let count = Math.min(name.length, Math.floor(room / 6));
  while (count > 3 && g.measureText(name.slice(0, count) + "…").width > room) --count;
  return count > 3 ? name.slice(0, count) + "…" : "";
}
// First of the spans, which lie in time and do not overlap, that ends at `t` or later.
function firstFrom(spans, t) {
  let low = 0, high = spans.length;
  while (low < high) { const mid = (low + high) >> 1; spans[mid][0] + spans[mid][1] < t ? low = mid + 1 : high = mid; }
  return low;
}
function visible(spans, act) {
  for (let i = firstFrom(spans, from); i < spans.length && spans[i][0] <= to; ++i) act(spans[i]);
}

class Run {
  constructor(data, section) {
    Object.assign(this, data);
    this.section = section; this.letter = "ab"[section.dataset.run];
    this.bands = section.querySelector(".cores"); this.canvas = section.querySelector(".lanes");
    this.pick = section.querySelector(".pick"); this.said = section.querySelector(".said");
    this.block = 0; this.pointed = null;
    this.blocks.forEach((cores, i) => this.pick.add(new Option(cores.map(c => this.cores[c]).join(", "), i)));
    this.pick.onchange = () => this.choose(+this.pick.value);
    this.canvas.onmousemove = e => this.point(e);
    this.canvas.onmouseleave = () => { tip.style.display = "none"; this.pointed = null; this.draw(); };
    this.canvas.onclick = e => this.showLine(e);
    this.bands.onclick = e => {
      const core = Math.floor((e.offsetY - TOP) / this.bandHeight());
      const block = this.blocks.findIndex(b => b.includes(core));
      if (block >= 0) { this.pick.value = block; this.choose(block); }
    };
    this.choose(0);
  }
  choose(block) {
    this.block = block;
    const cores = this.blocks[block] || [];
    this.shown = this.lanes.map((l, i) => i).filter(i => cores.includes(this.lanes[i].core));
    this.row = new Map(this.shown.map((lane, row) => [lane, row]));
    this.flags = this.arrows.filter(a => this.row.has(a[0]) && this.row.has(a[2]));
    this.memory = new Memory(this, cores);
    this.draw();
  }
  bandHeight() { return this.cores.length <= 12 ? 12 : this.cores.length <= 30 ? 8 : 6; }
  laneTop(row) { return TOP + row * LANE + this.gaps(row) * 8; }
  // Rows of further cores of a block stand a little apart.
  gaps(row) { return new Set(this.shown.slice(0, row + 1).map(i => this.lanes[i].core)).size - 1; }

  draw() {
    if (this.cores.length > 1) this.drawBands(); else this.bands.style.display = "none";
    this.drawLanes();
    this.memory.draw();
  }
  // One band for each core: at each time the colour of the pipe that works most, as strong as it works.
  drawBands() {
    const high = this.bandHeight(), [g, width] = prepare(this.bands, TOP + high * this.cores.length + 6);
    axis(g, width, TOP + high * this.cores.length);
    const left = GUTTER, columns = Math.max(1, Math.floor(width - GUTTER - RIGHT)), step = (to - from) / columns;
    const chosen = this.blocks[this.block] || [];
    this.cores.forEach((name, core) => {
      const y = TOP + core * high, works = {};
      for (const lane of this.lanes.filter(l => l.core === core)) {
        const sums = works[lane.pipe] = new Float32Array(columns);
        visible(lane.spans, s => {
          const a = (s[0] - from) / step, b = Math.min(columns, (s[0] + s[1] - from) / step);
          for (let c = Math.max(0, Math.floor(a)); c < b; ++c) sums[c] += Math.min(b, c + 1) - Math.max(a, c);
        });
      }
      const cut = this.cuts[core] === null ? columns : Math.max(0, Math.min(columns, Math.floor((this.cuts[core] - from) / step)));
      g.fillStyle = colours.idle; g.fillRect(left, y, cut, high - 1);
      for (let c = 0; c < cut; ++c) {
        let best = null, most = 0.02;
        for (const pipe in works) if (works[pipe][c] > most && pipe !== "S") { most = works[pipe][c]; best = pipe; }
        if (!best && works.S && works.S[c] > 0.02) { best = "S"; most = works.S[c]; }
        if (best) { g.globalAlpha = 0.25 + 0.75 * Math.min(1, most); g.fillStyle = colours[best] || colours.soft; g.fillRect(left + c, y, 1, high - 1); }
      }
      g.globalAlpha = 1; g.textAlign = "right";
      const every = Math.ceil(13 / high);
      const mine = chosen.includes(core);
      if (mine) { g.fillStyle = colours.ink; g.fillRect(GUTTER - 7, y, 3, high - 1); }
      if (mine && chosen[0] === core || (core % every === 0 && !chosen.some(c => Math.abs(c - core) < every))) {
        g.fillStyle = mine ? colours.ink : colours.soft; g.fillText(name, GUTTER - 12, y + high / 2);
      }
    });
  }
  drawLanes() {
    const rows = this.shown.length, height = rows ? this.laneTop(rows - 1) + LANE + 2 : 40;
    const [g, width] = prepare(this.canvas, height), edge = width - RIGHT;
    axis(g, width, height);
    this.shown.forEach((number, row) => {
      const lane = this.lanes[number], y = this.laneTop(row), tall = TALL;
      g.textAlign = "right"; g.fillStyle = colours[lane.pipe] || colours.ink; g.font = "600 12px system-ui, sans-serif";
      g.fillText(lane.pipe, GUTTER - 10, y + tall / 2); g.font = "12px system-ui, -apple-system, 'DejaVu Sans', sans-serif";
      const head = row === 0 || this.lanes[this.shown[row - 1]].core !== lane.core;
      if (head) { g.textAlign = "left"; g.fillStyle = colours.soft; g.fillText(this.cores[lane.core], 2, y + tall / 2); }
      g.textAlign = "left";
      visible(lane.waits, s => {
        const a = Math.max(GUTTER, place(s[0], width)), b = Math.min(edge, place(s[0] + s[1], width));
        g.fillStyle = colours.stall; g.globalAlpha = 0.42; g.fillRect(a, y + tall / 2 - 3, Math.max(0.5, b - a), 6); g.globalAlpha = 1;
      });
      let reached = 0;
      visible(lane.spans, s => {
        const a = Math.max(GUTTER, place(s[0], width)), b = Math.min(edge, place(s[0] + s[1], width));
        if (b < GUTTER || b < reached) return; // narrower than what is there already
        const wide = Math.max(0.7, b - a); reached = a + wide * 0.5;
        g.fillStyle = colours[lane.pipe] || colours.soft; g.fillRect(a, y, wide > 4 ? wide - 0.7 : wide, tall);
        const name = fitting(g, text(s[2]), wide - 10);
        if (name) { g.fillStyle = colours["on-bar"]; g.fillText(name, a + 5, y + tall / 2 + 0.5); }
      });
    });
    const cuts = (this.blocks[this.block] || []).map(c => this.cuts[c]).filter(cut => cut !== null);
    if (cuts.length) {
      const cut = Math.max(GUTTER, place(Math.min(...cuts), width)), whole = Math.min(edge, place(this.duration, width));
      if (whole > cut) {
        g.fillStyle = colours.idle; g.globalAlpha = 0.6; g.fillRect(cut, TOP, whole - cut, height - TOP); g.globalAlpha = 1;
        g.fillStyle = colours.soft;
        if (whole - cut > 120) g.fillText("from here on not all is in the trace", cut + 10, TOP + (height - TOP) / 2);
      }
    }
    this.drawArrows(g, width);
  }
  drawArrows(g, width) {
    const mode = document.getElementById("arrows").value;
    const inView = this.flags.filter(a => a[3] >= from && a[1] <= to);
    const room = inView.length <= width / 7;
    const mine = this.pointed ? inView.filter(a => this.touches(a)) : [];
    const drawn = mode === "all" || (mode === "some" && room) ? inView : mine;
    this.say(inView.length, drawn.length, mode);
    g.save(); g.beginPath(); g.rect(GUTTER, 0, width - GUTTER - RIGHT, 1e5); g.clip();
    for (const arrow of drawn) this.drawArrow(g, width, arrow, mine.includes(arrow));
    g.restore();
  }
  say(count, drawn, mode) {
    const cores = (this.blocks[this.block] || []).map(c => this.cores[c]).join(", ");
    this.said.textContent = `${cores ? cores + ": " : ""}${count} arrows in view` +
      (mode === "some" && count > drawn ? ", drawn when you zoom in or point at an instruction" : "");
  }
  touches(arrow) {
    const [lane, span] = this.pointed, begin = span[0] - 2, end = span[0] + span[1] + 2;
    return (arrow[0] === lane && arrow[1] >= begin && arrow[1] <= end) || (arrow[2] === lane && arrow[3] >= begin && arrow[3] <= end);
  }
  drawArrow(g, width, [source, left, target, reached, cause], strong) {
    const down = this.row.get(target) > this.row.get(source), tall = TALL;
    const x1 = place(left, width), x2 = place(reached, width);
    const y1 = this.laneTop(this.row.get(source)) + (down ? tall : 0), thin = this.lanes[target].pipe === "S" ? tall / 2 - 4 : 0; // what waits there is drawn thin
    const y2 = this.laneTop(this.row.get(target)) + (down ? thin : tall - thin);
    const bend = Math.max(8, Math.abs(y2 - y1) / 2) * (down ? 1 : -1);
    g.strokeStyle = g.fillStyle = cause === "buffer" ? colours.stall : cause === "cores" ? colours.FIX : colours.ink;
    g.globalAlpha = strong ? 1 : 0.62; g.lineWidth = strong ? 2 : 1.1;
    const tipY = y2 - (down ? 5 : -5);
    g.beginPath(); g.moveTo(x1, y1); g.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, tipY); g.stroke();
    g.beginPath(); g.moveTo(x2, y2); g.lineTo(x2 - 3.2, tipY); g.lineTo(x2 + 3.2, tipY); g.fill();
    g.globalAlpha = 1; g.lineWidth = 1;
  }
  // The instruction or wait below the pointer, with the number of its lane.
  at(e) {
    const row = this.shown.findIndex((_, r) => e.offsetY >= this.laneTop(r) && e.offsetY < this.laneTop(r) + LANE);
    if (row < 0 || e.offsetX < GUTTER) return null;
    const width = this.canvas.clientWidth, t = timeAt(e.offsetX, width), near = (to - from) / width * 1.5;
    for (const spans of [this.lanes[this.shown[row]].spans, this.lanes[this.shown[row]].waits]) {
      const i = firstFrom(spans, t - near);
      if (i < spans.length && spans[i][0] - near <= t) return [this.shown[row], spans[i]];
    }
    return null;
  }
  point(e) {
    if (dragged) return;
    const found = this.at(e), before = this.pointed && this.pointed[1];
    this.pointed = found;
    tip.style.display = found ? "block" : "none";
    if (found) {
      const [lane, s] = found, l = this.lanes[lane];
      tip.textContent = `${text(s[2])} on ${l.pipe} of ${this.cores[l.core]}\nat ${us(s[0])}, for ${us(s[1])}` +
        (s[3] ? `\n${text(s[3])}` : "") + (s[4] ? `\n${text(s[4])}` : "");
      tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
      tip.style.top = Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
    }
    if ((found && found[1]) !== before) this.drawLanes();
  }
  showLine(e) {
    const found = this.at(e);
    if (!found || moved) return;
    document.querySelectorAll("tr.at").forEach(row => row.classList.remove("at"));
    const where = text(found[1][3]);
    const row = [...document.querySelectorAll("tr[data-" + this.letter + "]")].find(r => r.dataset[this.letter] === where);
    if (row) { row.classList.add("at"); row.scrollIntoView({block: "center", behavior: "smooth"}); }
  }
}
