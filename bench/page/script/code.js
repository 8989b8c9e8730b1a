// Source code: coloured words, findings at their lines, and what changed since the attempt before.
const KEYWORDS = new Set(("alignas auto bool break case char class const constexpr continue def default delete do double else enum explicit extern false float for half if import in inline int "
  + "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t bfloat16_t size_t long namespace new nullptr operator private protected public return short signed sizeof static struct switch template this true "
  + "typedef typename union unsigned using virtual void volatile while with __global__ __aicore__ __gm__ __ubuf__ GM_ADDR").split(" "));
const TOKENS = /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(^[ \t]*#[^\n]*)|(\b\d[\w.]*\b)|([A-Za-z_]\w*)/gm;

// The lines of a text, each a list of [class, text].
function coloured(text, python) {
  const lines = [[]];
  const push = (kind, part) => part.split("\n").forEach((piece, i) => { if (i) lines.push([]); if (piece) lines.at(-1).push([kind, piece]); });
  let from = 0;
  for (const m of text.matchAll(TOKENS)) {
    push("", text.slice(from, m.index));
    push(m[1] ? "comment" : m[2] ? "string" : m[3] ? (python ? "comment" : "macro") : m[4] ? "number" : KEYWORDS.has(m[5]) ? "keyword" : /^[A-Z]\w*$/.test(m[5]) ? "name-big" : "", m[0]);
    from = m.index + m[0].length;
  }
  push("", text.slice(from));
  return lines;
}

// Which lines of the new text are kept (with their number in the old), and where old ones went: the longest common subsequence.
function compareLines(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) ++start;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) ++end;
  const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end), out = [];
  for (let i = 0; i < start; ++i) out.push({kind: "same", old: i, now: i});
  if (x.length * y.length > 6e6) { x.forEach((_, i) => out.push({kind: "gone", old: start + i})); y.forEach((_, j) => out.push({kind: "new", now: start + j})); }
  else {
    const wide = y.length + 1, best = new Uint16Array((x.length + 1) * wide);
    for (let i = x.length - 1; i >= 0; --i) for (let j = y.length - 1; j >= 0; --j)
      best[i * wide + j] = x[i] === y[j] ? best[(i + 1) * wide + j + 1] + 1 : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) out.push({kind: "same", old: start + i++, now: start + j++});
      else if (i < x.length && (j >= y.length || best[(i + 1) * wide + j] >= best[i * wide + j + 1])) out.push({kind: "gone", old: start + i++});
      else out.push({kind: "new", now: start + j++});
    }
  }
  for (let k = end; k > 0; --k) out.push({kind: "same", old: a.length - k, now: b.length - k});
  return out;
}

// A listing. `before`: the text it is compared with, or null; `notes`: line -> findings; `all`: unchanged parts too.
function listing(text, {before = null, notes = {}, whole = true, line = null, python = false} = {}) {
  const now = coloured(text, python), old = before === null ? null : coloured(before, python);
  let rows = old === null ? now.map((_, i) => ({kind: "same", now: i})) : compareLines(before, text);
  const near = new Set();
  if (!whole) rows.forEach((row, i) => { if (row.kind !== "same" || notes[row.now + 1]) for (let k = i - 4; k <= i + 4; ++k) near.add(k); });
  let hidden = 0;
  const made = [], fold = () => { if (hidden) made.push(h("tr.fold", {}, h("td", {colspan: 4}, plural(hidden, "unchanged line")))); hidden = 0; };
  rows.forEach((row, i) => {
    if (!whole && !near.has(i)) { ++hidden; return; }
    fold();
    const parts = row.kind === "gone" ? old[row.old] : now[row.now], mine = row.kind === "gone" ? [] : notes[row.now + 1] ?? [];
    const worst = mine.some(f => f.severity === "error") ? ".has-error" : mine.length ? ".has-warning" : "";
    made.push(h("tr." + row.kind + worst + (row.now + 1 === line ? ".target" : ""), row.kind === "gone" ? {} : {"data-line": row.now + 1},
      old === null ? null : h("td.no", {}, row.old === undefined ? "" : row.old + 1), h("td.no", {}, row.now === undefined ? "" : row.now + 1),
      h("td.mark", {}, {gone: "−", new: "+", same: ""}[row.kind]), h("td.src", {}, parts.map(([kind, piece]) => kind ? h("span." + kind, {}, piece) : piece), parts.length ? null : "\u200b")));
    for (const f of mine) made.push(h("tr.note-row", {}, h("td", {colspan: old === null ? 2 : 3}), h("td", {}, h("div.inline." + f.severity, {}, h("code", {}, f.code), " ", f.text, f.remedy ? h("div.remedy", {}, f.remedy) : null))));
  });
  fold();
  return h("div.listing", {}, h("table.code", {}, h("tbody", {}, made)));
}

function notesOf(attempt, file) {
  const notes = {};
  for (const f of attempt?.verdict.findings ?? [])
    if (f.line && f.file && (f.file === file || file.endsWith("/" + f.file) || f.file.endsWith("/" + file))) (notes[f.line] ??= []).push(f);
  return notes;
}
function filesOf(attempt, texts) {
  const found = Object.fromEntries(Object.entries(attempt?.files ?? {}).map(([path, number]) => [path, texts(number)]));
  return attempt?.dsl ? {...found, "tile program": texts(attempt.dsl)} : found;
}
function codeTab({attempt, before, texts}) {
  const now = where(), files = filesOf(attempt, texts), earlier = filesOf(before, texts), names = Object.keys(files).sort(byImportance);
  const faulty = names.find(name => Object.keys(notesOf(attempt, name)).length), changed = name => before && earlier[name] !== files[name];
  const file = names.includes(now.file) ? now.file : faulty ?? names.find(changed) ?? names[0], diff = Boolean(before) && now.diff !== "no";
  const place = listing(files[file], {before: diff ? earlier[file] ?? "" : null, notes: notesOf(attempt, file), whole: !diff || now.diff === "whole", line: Number(now.line) || null, python: file === "tile program"});
  const gone = Object.keys(earlier).filter(name => !(name in files));
  requestAnimationFrame(() => place.querySelector(".target, .has-error")?.scrollIntoView({block: "center"}));
  return [
    h("div.files", {}, names.map(name => h("a" + (name === file ? ".on" : ""), {href: link({file: name, line: null}), "data-file": name}, name,
      Object.keys(notesOf(attempt, name)).length ? h("i.dot.o-trap", {title: "has findings"}) : null, changed(name) ? h("span.changed", {title: "changed since the attempt before"}, "±") : null)),
      before ? h("span.pills", {}, [["", "changes"], ["whole", "changes in the whole file"], ["no", "as it is"]].map(([value, text]) => h("a" + ((now.diff ?? "") === value ? ".on" : ""), {href: link({diff: value})}, text))) : null),
    gone.length ? h("p.note", {}, "gone since the attempt before: " + gone.join(", ")) : null, place,
  ];
}
const importance = path => path.startsWith("op_kernel/") && path.endsWith(".cpp") ? 0 : path.startsWith("op_kernel/") ? 1 : path.startsWith("op_host/") ? 2 : 3;
const byImportance = (a, b) => importance(a) - importance(b) || a.localeCompare(b);
