// Figures of one attempt: where its output differs, and what its pipes did when.
function mismatch(c) {
  const m = c.mismatch, lines = [h("p", {}, c.sentence)];
  if (m.by_axis) lines.push(h("p.note", {}, m.by_axis));
  if (m.heat) lines.push(heatMap(m.heat, m));
  return lines;
}
function heatMap(heat, m) {
  const rows = heat.cells.length, columns = heat.cells[0].length, size = Math.max(7, Math.min(16, Math.floor(860 / columns))), left = 56, top = 20;
  const span = (n, parts, i) => { const a = Math.floor(i * n / parts), b = Math.max(a, Math.floor((i + 1) * n / parts) - 1); return a === b ? `${a}` : `${a} to ${b}`; };
  const cells = heat.cells.flatMap((line, y) => [...line].map((cell, x) => {
    const share = cell === "." ? 0 : (Number(cell) + .5) / 10, told = cell === "." ? "none wrong" : cell === "9" ? "90 % or more wrong" : `${cell === "0" ? "below 10" : cell + "0 to " + (Number(cell) + 1) + "0"} % wrong`;
    return svg("rect" + (cell === "." ? ".cold" : ".hot"), {x: left + x * size, y: top + y * size, width: size - 1, height: size - 1, rx: 1.5, style: cell === "." ? null : `fill-opacity:${.25 + .75 * share}`,
      onmousemove: e => showTip(e, `rows ${span(heat.rows, rows, y)}, columns ${span(heat.columns, columns, x)}`, told), onmouseleave: hideTip});
  }));
  const text = (x, y, anchor, value) => svg("text.axis", {x, y, "text-anchor": anchor}, value);
  return h("div.heat", {}, svg("svg", {width: left + columns * size + 40, height: top + rows * size + 6, role: "img", "aria-label": "Heat map of wrong elements"}, cells,
    text(left, 14, "start", "0"), text(left + columns * size, 14, "end", String(heat.columns - 1)), text(left - 6, top + 11, "end", "0"), rows > 1 ? text(left - 6, top + rows * size - 3, "end", String(heat.rows - 1)) : null),
    h("p.note", {}, `${m.count} of ${m.total} elements are wrong. Across: the last axis, ${heat.columns}; down: all others, ${heat.rows}. The darker, the more of a cell is wrong.`));
}

const PIPES = {S: "scalar", MTE2: "copy in", MTE1: "L1 to L0", M: "cube", V: "vector", FIX: "L0C out", MTE3: "copy out"};
function timelineTab({attempt, found, texts}) {
  const p = attempt.profile, t = attempt.timeline, waits = w => w ? [micro(w.data_us), micro(w.buffer_us), micro(w.issue_us)] : ["", "", ""];
  return [
    h("p.facts", {}, h("span", {}, p.summary), h("span", {}, plural(p.cores, "core")), p.own_share ? h("span", {}, `${percent(p.own_share, 0)} of its own traffic's least time`) : null,
      h("span", {}, `read ${count(p.gm_read_bytes)} B, wrote ${count(p.gm_write_bytes)} B`), p.cold_us ? h("span", {}, `first launch ${micro(p.cold_us)}`) : null, p.warm_us ? h("span", {}, `later ones ${micro(p.warm_us)}`) : null, h("span", {}, p.time_source)),
    t ? timeline(t, attempt, texts) : h("p.note", {}, found.left_out.includes("timelines") ? "This file has no room for the timelines; `akgen view` shows them." : "No timeline was kept, or it is too large for this page."),
    card("Pipes", table(["Pipe", "Of the time", "#Busy", "#Stalled", "#Idle", "#Waits: data", "#buffer", "#issue", "#Instructions"], p.pipes.map(pipe => [
      h("span.outcome", {}, h("b", {}, pipe.pipe), h("span.soft", {}, PIPES[pipe.pipe] ?? "")), h("span.stack", {style: "width:150px"}, h("i.p-" + pipe.pipe, {style: `flex:${pipe.busy_us}`, title: "busy"}), h("i.stalled", {style: `flex:${pipe.stalled_us}`, title: "stalled"}), h("i.idle", {style: `flex:${pipe.idle_us}`, title: "idle"})),
      micro(pipe.busy_us), micro(pipe.stalled_us), micro(pipe.idle_us), ...waits(pipe.waits), pipe.instructions]))),
  ];
}
function timeline(t, attempt, texts) {
  const canvas = h("canvas", {tabindex: 0, "aria-label": "Timeline; the wheel zooms, dragging moves"}), cores = [...new Set(t.lanes.map(l => l.core))], GUTTER = 108, TALL = 20, GAP = 6;
  let core = cores[0], from = 0, to = t.duration || 1, held = null;
  const lanes = () => t.lanes.filter(l => l.core === core), x = (time, width) => GUTTER + (time - from) / (to - from) * (width - GUTTER - 8);
  const draw = () => {
    const r = devicePixelRatio || 1, mine = lanes(), width = canvas.clientWidth, height = 26 + mine.length * (TALL + GAP);
    if (!width) return;
    canvas.style.height = height + "px"; canvas.width = width * r; canvas.height = height * r;
    const g = canvas.getContext("2d"); g.scale(r, r); g.font = "12px system-ui, sans-serif"; g.textBaseline = "middle";
    const raw = (to - from) / 8, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(m => m * power >= raw) * power;
    for (let v = Math.ceil(from / step) * step; v <= to; v += step) { g.fillStyle = css("line"); g.fillRect(x(v, width), 18, 1, height); g.fillStyle = css("soft"); g.fillText((v / 1000).toFixed(step < 100 ? 2 : step < 1000 ? 1 : 0) + " µs", x(v, width) + 3, 9); }
    mine.forEach((lane, i) => {
      const y = 22 + i * (TALL + GAP);
      g.fillStyle = css("ink"); g.fillText(lane.pipe, 6, y + TALL / 2); g.fillStyle = css("soft"); g.fillText(PIPES[lane.pipe] ?? "", 44, y + TALL / 2);
      for (const [spans, colour, tall] of [[lane.waits, css("stall"), 5], [lane.spans, css("p-" + lane.pipe), TALL]])
        for (const [start, length, name] of spans) {
          if (start + length < from || start > to) continue;
          const a = Math.max(GUTTER, x(start, width)), b = Math.min(width - 8, x(start + length, width));
          g.fillStyle = colour; g.fillRect(a, y + (TALL - tall) / 2, Math.max(1, b - a - (b - a > 4 ? 1 : 0)), tall);
          if (tall === TALL && b - a > 46) { g.save(); g.beginPath(); g.rect(a, y, b - a - 2, TALL); g.clip(); g.fillStyle = "#fff"; g.fillText(t.texts[name], a + 4, y + TALL / 2 + .5); g.restore(); }
        }
    });
    canvas.dataset.drawn = "yes";
  };
  const spanAt = event => {
    const box = canvas.getBoundingClientRect(), lane = lanes()[Math.floor((event.clientY - box.top - 22) / (TALL + GAP))], time = from + (event.clientX - box.left - GUTTER) / (box.width - GUTTER - 8) * (to - from), slack = (to - from) / box.width * 2;
    return lane?.spans.find(([start, length]) => start - slack <= time && time <= start + length + slack) ?? lane?.waits.find(([start, length]) => start <= time && time <= start + length);
  };
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), pivot = from + (event.clientX - box.left - GUTTER) / (box.width - GUTTER - 8) * (to - from), factor = event.deltaY > 0 ? 1.25 : .8;
    from = Math.max(0, pivot - (pivot - from) * factor); to = Math.min(t.duration || 1, Math.max(from + 20, pivot + (to - pivot) * factor)); draw();
  }, {passive: false});
  canvas.addEventListener("pointerdown", event => { held = {x: event.clientX, from, to}; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", event => {
    const still = held && Math.abs(event.clientX - held.x) < 4, span = still && spanAt(event), place = span && t.texts[span[3]];
    held = null;
    if (place) { const [file, line] = [place.slice(0, place.lastIndexOf(":")), place.slice(place.lastIndexOf(":") + 1)]; go({tab: "code", file, line, diff: "no"}); }
  });
  canvas.addEventListener("pointermove", event => {
    if (held) { const moved = (held.x - event.clientX) / (canvas.clientWidth - GUTTER) * (held.to - held.from), shift = Math.min(Math.max(-held.from, moved), (t.duration || 1) - held.to); from = held.from + shift; to = held.to + shift; draw(); hideTip(); return; }
    const span = spanAt(event);
    if (span) showTip(event, t.texts[span[2]], `${micro(span[1] / 1000)} from ${micro(span[0] / 1000)}`, t.texts[span[3]], t.texts[span[4]]); else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("dblclick", () => { from = 0; to = t.duration || 1; draw(); });
  new ResizeObserver(draw).observe(canvas);
  const pick = cores.length > 1 ? h("select", {"aria-label": "Core", onchange: e => { core = Number(e.target.value); draw(); }}, cores.map(c => h("option", {value: c}, t.cores[c]))) : null;
  return card("Timeline", pick, canvas, h("p.note", {}, "The wheel zooms, dragging moves, a double click shows all; a click on an instruction opens its line. Thin: waits.", t.cores_left_out ? ` ${plural(t.cores_left_out, "core")} left out.` : ""));
}
