'use strict';
// One page for a run that is kept in a file and for one that a server goes on with. Every text of a model is set as text; no
// markup is ever made from it.
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const live = Boolean(data.live);
const token = new URLSearchParams(location.search).get('token') || '';
const statements = data.source.statements;
const files = new Map(data.source.files.map(file => [file.id, file]));

let run = data.run;
let position = 0;
let values = new Map();
const rank = new Map();
let watches = [];
let branches = data.branches || [];
let branch = data.branch || 0;
let busy = false;

// ---- small helpers

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function svg(tag, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Control characters would vanish or turn the text around; they are shown.
const visible = text => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  c => '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'));
const plural = (count, word) => count + ' ' + word + (count === 1 ? '' : 's');
const colour = pid => pid === null || pid === undefined ? 'var(--dim)' : 'var(--p' + (pid % 8) + ')';
const nameOf = (pid, number) => pid === null ? 'claim ' + statements[number][0] : statements[number] ? statements[number][0] + '(' + pid + ')' : 'process ' + pid;
const base = name => String(name).split(/[\\/]/).pop();

function placeOf(number) {
  const [, , file, line] = statements[number];
  if (!line || !files.has(file)) return '';
  return files.size > 1 ? base(files.get(file).name) + ':' + line : String(line);
}

const last = () => run.steps.length;

// ---- steps of the claim: they only look at the state, and are left out unless asked for. The run then stands where the claim has looked
// already, and what goes next is what processes do behind the one step that the claim has. A step that fails is never left out.

let claims = false;
let stops = [0];
const isClaim = step => !step.trap && step.parts.every(part => part[1] === null);

function findStops() {
  stops = [];
  for (let at = 0; at <= last(); at++) if (claims || at === last() || !isClaim(run.steps[at])) stops.push(at);
}

// The first place to stand that does not lie before this one, by its number among all.
function stopAt(wanted) {
  let low = 0, high = stops.length - 1;
  while (low < high) { const middle = (low + high) >> 1; if (stops[middle] < wanted) low = middle + 1; else high = middle; }
  return low;
}

// The step that led here, as far as it is shown; 0 is none.
function shown() {
  let at = position;
  while (at > 0 && !claims && isClaim(run.steps[at - 1])) at -= 1;
  return at;
}

function moves() {
  const now = position === 0 ? run.start.moves : run.steps[position - 1].moves;
  if (claims || !now.then) return now;
  const waits = ([pid, number]) => now.then.some(choice => choice[0][0] === pid && choice[0][1] === number);
  return Object.assign({}, now, { can: now.then, cannot: now.cannot.filter(row => !waits(row)) });
}

const uncounted = known => claims ? 0 : known.claims;
const uncountedBefore = known => claims ? 0 : known.claimsBefore;

// ---- states: the changes of each step lead from one state to the next, and back

function remember(name) { if (!rank.has(name)) rank.set(name, rank.size); }

function restart() {
  values = new Map(run.start.variables);
  run.start.variables.forEach(([name]) => remember(name));
  position = 0;
}

function apply(changes, side) {
  for (const change of changes || []) {
    remember(change[0]);
    if (change[side] === null) values.delete(change[0]);
    else values.set(change[0], change[side]);
  }
}

function moveTo(wanted) {
  while (position < wanted) apply(run.steps[position++].changes, 2);
  while (position > wanted) {
    const changes = (run.steps[--position].changes || []).slice().reverse();
    apply(changes, 1);
  }
}

function go(wanted) {
  moveTo(stops[stopAt(wanted)]);
  show();
}

const walk = by => go(stops[Math.max(0, Math.min(stops.length - 1, stopAt(position) + by))]);

function showClaims(wanted) {
  claims = wanted;
  $('claims').setAttribute('aria-pressed', String(claims));
  findStops();
  go(position);
  showTree();
}

// ---- source

const KEYWORDS = new Set(('active proctype init never ltl inline typedef mtype chan of byte bit bool int short unsigned pid do od if fi else ' +
  'atomic d_step unless goto break skip assert printf printm run timeout provided hidden show local trace notrace for in select xr xs eval len ' +
  'empty nempty full nfull true false priority').split(' '));
const TOKEN = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*/g;

function paint(text) {
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const word = match[0];
    const kind = word.startsWith('/') ? 'comment' : word.startsWith('"') ? 'string' : KEYWORDS.has(word) ? 'keyword' : '';
    if (!kind) continue;
    if (match.index > at) pieces.push(['', text.slice(at, match.index)]);
    pieces.push([kind, word]);
    at = match.index + word.length;
  }
  pieces.push(['', text.slice(at)]);
  return pieces;
}

const lines = new Map();

function buildSource() {
  for (const file of data.source.files) {
    if (data.source.files.length > 1) $('files').append(element('p', 'file', visible(file.name)));
    let number = 0, code = null;
    const open = () => {
      number += 1;
      const line = element('div', 'line');
      line.append(element('span', 'number', String(number)), code = element('span', 'text'));
      lines.set(file.id + ':' + number, line);
      $('files').append(line);
    };
    open();
    for (const [kind, text] of paint(file.text.replace(/\r\n?/g, '\n'))) {
      text.split('\n').forEach((part, index) => {
        if (index) open();
        if (part) code.append(element('span', kind, visible(part)));
      });
    }
    if (!code.hasChildNodes() && number > 1) code.parentElement.remove();
  }
}

const lineOf = number => statements[number] && lines.get(statements[number][2] + ':' + statements[number][3]);
let marked = [];

function mark(number, kind) {
  const line = lineOf(number);
  if (line) { line.classList.add(kind); marked.push(line); }
  return line;
}

function showSource() {
  for (const line of marked) {
    line.classList.remove('can', 'cannot', 'done');
    line.querySelectorAll('.tag').forEach(tag => tag.remove());
  }
  marked = [];
  const tags = new Map();
  const note = (pid, number, kind) => {
    const line = mark(number, kind);
    if (!line) return;
    const key = pid + ' ' + statements[number][3];
    const old = tags.get(key);
    if (old && (old.kind === 'can' || kind !== 'can')) return;
    if (old) old.tag.remove();
    const tag = element('span', kind === 'can' ? 'tag' : 'tag off', nameOf(pid, number));
    tag.style.setProperty('--who', colour(pid));
    tag.title = kind === 'can' ? 'can go' : 'blocked';
    line.append(tag);
    tags.set(key, { kind, tag });
  };
  const now = moves();
  for (const [pid, number] of now.cannot) note(pid, number, 'cannot');
  for (const choice of now.can) for (const [pid, number] of choice) note(pid, number, 'can');
  let first = null;
  if (shown() > 0) for (const part of run.steps[shown() - 1].parts) first = mark(part[2], 'done') || first;
  if (!first && now.can.length) first = lineOf(now.can[0][0][1]);
  if (first) intoView($('files'), first);
}

function intoView(box, inner) {
  const top = inner.offsetTop - box.offsetTop * (inner.offsetParent === box ? 0 : 1);
  if (top < box.scrollTop + 30 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
}

// ---- what has happened, what can go

function showStep() {
  const box = $('said');
  box.textContent = '';
  if (shown() === 0) {
    $('now-title').textContent = run.start.n ? 'After step ' + run.start.n : 'The initial state';
    box.append(element('p', '', run.start.n ? 'Earlier steps are not shown.' : 'Nothing has happened yet.'));
    return;
  }
  const step = run.steps[shown() - 1], number = stopAt(position);
  const end = step.n + step.parts.length - 1;
  const counted = step.parts.length > 1 ? step.n + '–' + end : String(step.n);
  $('now-title').textContent = 'Step ' + number + (counted === String(number) ? '' : ' (' + counted + ' in pv replay)');
  step.parts.forEach(([who, pid, number], index) => {
    const line = element('p');
    const name = element('span', 'who', visible(who));
    name.style.setProperty('--who', colour(pid));
    line.append(name, ' ', element('span', 'code', visible(statements[number][1])));
    const place = placeOf(number);
    const call = statements[number][4] ? ' in ' + visible(statements[number][4]) : '';
    if (place) line.append(' ', element('span', 'where', (files.size > 1 ? '' : 'line ') + place + (index ? ', takes it' : '') + call));
    box.append(line);
  });
  for (const text of step.printed || []) box.append(element('p', 'printed code', visible(text.replace(/\n$/, ''))));
  if (step.cut) box.append(element('p', 'cut', visible(step.cut)));
  if (step.trap) box.append(element('p', 'trap', visible(step.trap)));
  if (position === last() && run.error && run.error.message !== step.trap) box.append(element('p', 'trap', visible(run.error.message)));
}

const same = (choice, parts) => choice.length === parts.length && choice.every(([pid, number], i) => parts[i][1] === pid && parts[i][2] === number);

function moveRow(number, kind, clickable) {
  const row = element(clickable ? 'button' : 'div', 'move ' + kind);
  if (clickable) row.type = 'button';
  row.append(element('span', 'dot', kind === 'can' ? '●' : '○'), element('span', 'aloud', kind === 'can' ? 'can go: ' : 'blocked: '));
  row.append(element('span', 'place', placeOf(number)), element('span', 'code', visible(statements[number][1])));
  if (statements[number][4]) row.append(element('span', 'call', 'in ' + visible(statements[number][4])));
  return row;
}

function showMoves() {
  const box = $('choices');
  box.textContent = '';
  const now = moves();
  const next = position < last() ? run.steps[position] : null;
  const groups = new Map();
  const groupOf = (pid, number) => {
    if (!groups.has(pid)) {
      const group = element('div', 'process');
      const head = element('h3', '', nameOf(pid, number));
      group.style.setProperty('--who', colour(pid));
      group.append(head);
      groups.set(pid, group);
    }
    return groups.get(pid);
  };
  now.can.forEach((choice, index) => {
    const taken = next && same(choice, next.parts);
    const row = moveRow(choice[0][1], 'can', live || taken);
    for (const [pid, number] of choice.slice(1)) {
      row.append(element('span', 'why', '→ ' + nameOf(pid, number) + ' line ' + placeOf(number) + ': ' + visible(statements[number][1])));
    }
    if (taken) row.append(element('span', 'next', live ? 'next in this run' : 'taken next'));
    else if (choice[0][2]) row.append(element('span', 'next', 'by timeout'));
    row.dataset.choice = index;
    if (live || taken) {
      row.title = index < 9 ? 'Key ' + (index + 1) : '';
      row.addEventListener('click', () => choose(index));
    }
    groupOf(choice[0][0], choice[0][1]).append(row);
  });
  for (const [pid, number, reason] of now.cannot) {
    const row = moveRow(number, 'cannot', false);
    row.append(element('span', 'why', visible(reason)));
    groupOf(pid, number).append(row);
  }
  if (now.end !== undefined) {
    const who = now.can.length ? 'No process can move' : 'Nothing can move';
    const ended = now.end ? who + ': a valid end' : who + ': an invalid end state';
    box.append(element('p', now.end ? 'ended' : 'ended bad', ended + (now.can.length ? '; the claim goes on alone.' : '.')));
  }
  if (now.claim === 'out') box.append(element('p', 'ended', 'The claim has no step any more: whatever follows, this way does not break the property.'));
  if (now.claim === 'ended') box.append(element('p', 'ended bad', 'The claim has reached its end: the property is broken.'));
  const order = pid => pid === null ? -1 : pid;
  [...groups.keys()].sort((a, b) => order(a) - order(b)).forEach(pid => box.append(groups.get(pid)));
}

// ---- state

function showState() {
  const box = $('variables');
  box.textContent = '';
  const changed = new Map();
  if (shown() > 0) for (const [name, old] of run.steps[shown() - 1].changes || []) if (!changed.has(name)) changed.set(name, old);
  const groups = new Map();
  const names = [...values.keys()].sort((a, b) => rank.get(a) - rank.get(b));
  for (const name of names) {
    const cut = /^([^:]*\((\d+)\)):(.*)$/.exec(name);
    const key = cut ? cut[1] : '';
    if (!groups.has(key)) groups.set(key, { pid: cut ? Number(cut[2]) : null, rows: [] });
    groups.get(key).rows.push([cut ? cut[3] : name, name]);
  }
  for (const [key, group] of [...groups].sort((a, b) => (a[1].pid === null ? -1 : a[1].pid) - (b[1].pid === null ? -1 : b[1].pid))) {
    const part = element('div');
    const head = element('h3', '', key ? visible(key) : 'Global');
    if (key) head.style.setProperty('--who', colour(group.pid));
    const table = element('table');
    for (const [short, name] of group.rows) {
      const row = element('tr');
      const first = element('th');
      first.scope = 'row';
      {
        const button = element('button', '', visible(short));
        button.type = 'button';
        button.title = 'Watch';
        button.addEventListener('click', () => addWatch(name.replace(/^(\w+)\((\d+)\):/, '$1[$2]:')));
        first.append(button);
      }
      const cell = element('td');
      if (changed.has(name)) {
        row.className = 'changed';
        const old = changed.get(name);
        cell.append(element('span', 'old', old === null ? 'new' : visible(old)), visible(values.get(name)));
      } else cell.textContent = visible(values.get(name));
      row.append(first, cell);
      table.append(row);
    }
    part.append(head, table);
    box.append(part);
  }
  if (!names.length) box.append(element('p', 'empty', 'There are no variables.'));
}

// ---- chart: every event has a row; only the rows that can be seen are drawn

// At the left, where it stays when the chart is scrolled, every step has its number and its line.
const ROW = 24, TOP = 10;
const lastLine = statements.reduce((most, statement) => Math.max(most, statement[3]), 0);
let chart = null;

function layOut() {
  findStops();
  const made = { lines: [], marks: [], rows: [0], height: 0, spacing: 96 };
  const sent = new Map();
  let row = 0;
  const line = process => made.lines[process] || (made.lines[process] = { name: 'process ' + process, born: 0, died: null });
  const add = (step, mark) => { mark.step = step; made.marks.push(mark); return mark; };
  const take = (step, events) => {
    for (const event of events) {
      const kind = event[0];
      if (kind === 'start') {
        line(event[1]).name = event[2];
        if (event[3] !== null) { row += 1; line(event[1]).born = row; line(event[3]); add(step, { kind, from: event[3], to: event[1], row }); }
      } else {
        row += 1;
        line(event[1]);
        if (kind === 'end') { line(event[1]).died = row; add(step, { kind, from: event[1], row }); }
        else if (kind === 'send') sent.set(event[2], add(step, { kind, from: event[1], row, to: null, end: null, label: event[3] }));
        else if (kind === 'receive') {
          const open = sent.get(event[2]);
          if (open) { open.to = event[1]; open.end = row; open.seen = step; sent.delete(event[2]); }
          else add(step, { kind: 'found', from: event[1], row, label: event[3] });
        } else if (kind === 'meet') { line(event[2]); add(step, { kind: 'send', from: event[1], to: event[2], row, end: row, seen: step, label: event[3] }); }
        else add(step, { kind: 'local', from: event[1], row, label: step && run.steps[step - 1].parts.length === 1 ? statements[run.steps[step - 1].parts[0][2]][1] : event[2] });
      }
    }
    made.rows[step] = row;
  };
  take(0, run.start.events);
  run.steps.forEach((step, index) => {
    // Room for the words beside the bracket.
    if (index === run.cycle) made.rows[index] = row += 1;
    take(index + 1, step.events);
  });
  for (let process = 0; process < made.lines.length; process++) line(process);
  const wide = Math.max(0, ...made.lines.map(l => l.name.length * 7.2 + 24), ...made.marks.slice(0, 5000).map(m => m.label ? m.label.length * 7.3 + 18 : 0));
  made.spacing = Math.max(100, Math.min(190, wide));
  made.gutter = (run.cycle === null || run.cycle === undefined ? 12 : 26) + 6.7 * (String(last()).length + String(lastLine).length + 5);
  made.end = row;
  made.height = TOP + (row + 2.5) * ROW;
  chart = made;
  const heads = element('div', 'heads'), rows = element('div', 'rows'), drawing = svg('svg', { 'aria-hidden': 'true' });
  made.lines.forEach((l, process) => {
    const head = element('div', 'head', visible(l.name));
    const pid = /\((\d+)\)$/.exec(l.name);
    head.style.setProperty('--who', colour(pid ? Number(pid[1]) : process));
    const width = made.spacing - 10;
    head.style.left = column(process) - width / 2 + 'px';
    head.style.width = width + 'px';
    head.title = visible(l.name);
    heads.append(head);
  });
  const right = made.marks.map(m => m.kind === 'local' ? column(m.from) + 24 + Math.min(m.label.length * 7.3, made.spacing - 16) : 0);
  const width = Math.max(made.gutter + made.spacing * made.lines.length + 20, right.reduce((a, b) => Math.max(a, b), 0), $('lanes').clientWidth - 16);
  heads.style.width = rows.style.width = width + 'px';
  rows.style.height = made.height + 'px';
  drawing.setAttribute('width', width);
  rows.append(drawing);
  $('lanes').replaceChildren(heads, rows);
  chart.drawing = drawing;
  chart.width = width;
}

const column = process => chart.gutter + (process + 0.5) * chart.spacing;
const height = row => TOP + row * ROW;
const rowsOf = step => step === 0 ? [0, chart.rows[0]] : [chart.rows[step - 1], chart.rows[step]];
const cut = (text, room) => { const fits = Math.max(3, Math.floor(room / 7.3)); return text.length > fits ? text.slice(0, fits - 1) + '…' : text; };

// On paper nothing can be scrolled: there all rows are drawn, up to what a reader would turn pages for.
const MOST_PRINTED = 3000;
let printing = false;

function drawChart() {
  const box = $('lanes'), drawing = chart.drawing;
  const top = printing ? 0 : Math.max(0, Math.floor((box.scrollTop - TOP) / ROW) - 8);
  const bottom = printing ? MOST_PRINTED : Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 8;
  const left = printing ? 0 : box.scrollLeft;
  const from = height(top), to = Math.min(chart.height, height(bottom));
  drawing.replaceChildren();
  drawing.setAttribute('height', Math.max(0, to - from));
  drawing.style.top = from + 'px';
  drawing.setAttribute('viewBox', '0 ' + from + ' ' + chart.width + ' ' + Math.max(1, to - from));
  const put = (tag, attributes, text) => { const made = svg(tag, attributes, text); drawing.append(made); return made; };
  const seen = (a, b) => b >= top && a <= bottom;
  const [start, end] = rowsOf(shown());
  if (shown() > 0 && end > start && seen(start, end)) put('rect', { class: 'band', x: 0, width: chart.width, y: height(start) + ROW / 2, height: (end - start) * ROW });
  chart.lines.forEach((line, process) => {
    const stop = line.died === null ? chart.end + 1 : line.died;
    if (seen(line.born, stop)) put('line', { class: 'life', x1: column(process), x2: column(process), y1: Math.max(height(line.born), from), y2: Math.min(height(stop), to) });
  });
  for (const mark of chart.marks) {
    const foot = mark.end === null || mark.end === undefined ? mark.row : mark.end;
    if (!seen(mark.row, foot)) continue;
    const x = column(mark.from), y = height(mark.row), later = mark.step > position ? ' later' : '';
    const group = put('g', { class: later.trim() });
    const draw = (tag, attributes, text) => group.append(svg(tag, attributes, text));
    if (mark.kind === 'local') {
      draw('circle', { class: 'dot', cx: x, cy: y, r: 3 });
      draw('text', { class: 'quiet', x: x + 8, y: y + 4 }, visible(cut(mark.label, chart.spacing - 16)));
    } else if (mark.kind === 'start') {
      draw('path', { class: 'birth', d: 'M' + x + ' ' + y + 'H' + column(mark.to) });
      draw('circle', { class: 'dot', cx: column(mark.to), cy: y, r: 4 });
    } else if (mark.kind === 'end') {
      draw('path', { class: 'death', d: 'M' + (x - 5) + ' ' + (y - 5) + 'l10 10m0 -10l-10 10' });
    } else if (mark.kind === 'found') {
      arrow(draw, x - chart.spacing / 2, y, x, y, mark.label);
    } else if (mark.to === null || mark.seen > position && mark.step <= position && position < last()) {
      // On its way: in the channel at this moment, or for good.
      draw('path', { class: 'arrow open', d: 'M' + x + ' ' + y + 'h' + (chart.spacing / 2 - 8) });
      draw('circle', { class: 'tip', cx: x + chart.spacing / 2 - 8, cy: y, r: 3 });
      draw('text', { x: x + 8, y: y - 5 }, visible(cut(mark.label, chart.spacing - 12)));
    } else {
      arrow(draw, x, y, column(mark.to), height(mark.end), mark.label);
    }
  }
  if (run.error && run.cycle === null && seen(chart.end, chart.end + 2)) {
    put('text', { class: 'bad', x: 14, y: height(chart.end + 1.5) }, '✕ ' + visible(cut(run.error.message, Math.max(chart.width, box.clientWidth) - 40)));
  }
  if (left > 0) put('rect', { class: 'gutter', x: left, width: chart.gutter, y: from, height: Math.max(0, to - from) });
  if (run.cycle !== null && run.cycle !== undefined) {
    const y = height(chart.rows[run.cycle]), foot = height(chart.end) + ROW / 2;
    put('path', { class: 'cycle', d: 'M' + (left + 14) + ' ' + y + 'H' + (left + 6) + 'V' + foot + 'h8' });
    put('text', { class: 'cycleword', x: left + 18, y: y + 4 }, '↻ repeats for ever from here');
  }
  for (let step = stepAt(top); step <= last(); step++) {
    const [a, b] = rowsOf(step);
    if (a > bottom) break;
    if (!step || b === a) continue;
    const line = statements[run.steps[step - 1].parts[0][2]][3];
    put('text', { class: 'quiet stepno' + (step > position ? ' later' : ''), x: left + chart.gutter - 6, y: height(a + 1) + 4, 'text-anchor': 'end' }, stopAt(step) + (line ? ' · l.' + line : ''));
    const hit = put('rect', { class: 'hit', x: 0, width: chart.width, y: height(a) + ROW / 2, height: (b - a) * ROW });
    hit.addEventListener('click', () => go(step));
    hit.append(svg('title', {}, 'step ' + stopAt(step)));
  }
}

function arrow(draw, x1, y1, x2, y2, label) {
  const text = visible(cut(label, Math.max(chart.spacing, Math.abs(x2 - x1)) - 18));
  if (x1 === x2) {
    draw('path', { class: 'arrow', d: 'M' + x1 + ' ' + y1 + 'h22V' + y2 + 'h-14' });
    draw('path', { class: 'tip', d: 'M' + x2 + ' ' + y2 + 'l8 -4v8z' });
    draw('text', { x: x1 + 28, y: (y1 + y2) / 2 + 4 }, text);
    return;
  }
  const side = Math.sign(x2 - x1), length = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  draw('path', { class: 'arrow', d: 'M' + x1 + ' ' + y1 + 'L' + (x2 - ux * 7) + ' ' + (y2 - uy * 7) });
  draw('path', { class: 'tip', d: 'M' + x2 + ' ' + y2 + 'L' + (x2 - ux * 9 - uy * 4) + ' ' + (y2 - uy * 9 + ux * 4) + 'L' + (x2 - ux * 9 + uy * 4) + ' ' + (y2 - uy * 9 - ux * 4) + 'Z' });
  draw('text', { x: x1 + side * 10, y: y1 - 5, 'text-anchor': side > 0 ? 'start' : 'end' }, text);
}

// The first step whose rows reach this row.
function stepAt(row) {
  let low = 0, high = last();
  while (low < high) { const middle = (low + high) >> 1; if (chart.rows[middle] < row) low = middle + 1; else high = middle; }
  return low;
}

function showChart() {
  const box = $('lanes'), y = height(chart.rows[position] || 0);
  if (y < box.scrollTop + 50 || y > box.scrollTop + box.clientHeight - 40) box.scrollTop = Math.max(0, y - box.clientHeight / 2);
  const now = shown() > 0 && chart.marks.find(mark => mark.row > rowsOf(shown())[0]);
  if (now) {
    const x = column(now.from);
    if (x < box.scrollLeft + chart.gutter || x > box.scrollLeft + box.clientWidth - 90) box.scrollLeft = Math.max(0, x - box.clientWidth / 2);
  }
  drawChart();
}

// ---- all of it

function show() {
  const number = stopAt(position), total = stops.length - 1;
  $('slider').max = total;
  $('slider').value = number;
  const inCycle = run.cycle !== null && run.cycle !== undefined && position >= run.cycle;
  $('position').textContent = (total ? number + ' of ' + total : 'start') + (inCycle ? ' ↻' : '');
  $('slider').setAttribute('aria-valuetext', 'step ' + number + ' of ' + total + (inCycle ? ', in the cycle' : ''));
  $('first').disabled = $('back').disabled = number === 0;
  $('next').disabled = $('last').disabled = number === total;
  $('undo').disabled = busy || !canUndo();
  showStep();
  showMoves();
  showSource();
  showState();
  showChart();
  showWatches();
}

function openRun(fresh, at) {
  run = fresh;
  restart();
  layOut();
  $('tocycle').hidden = run.cycle === null || run.cycle === undefined;
  const verdict = $('verdict');
  verdict.className = run.error ? 'bad' : '';
  verdict.textContent = run.error ? visible(run.error.message) + (run.property && !run.error.message.includes('property ') ? ', property ' + visible(run.property) : '') + (run.error.line ? ' (line ' + run.error.line + ')' : '')
    : live ? 'exploration' : '';
  go(at);
}

function say(text, good) {
  $('notice').hidden = !text;
  $('notice').className = good ? 'good' : '';
  $('notice').textContent = visible(text || '');
}

// ---- with a server

async function ask(path, body) {
  if (busy) return null;
  busy = true;
  document.body.setAttribute('aria-busy', 'true');
  // Who waits for a second may want to stop.
  const patience = setTimeout(() => { $('enough').hidden = false; }, 700);
  try {
    const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Pv-Token': token }, body: JSON.stringify(body) });
    const found = await answer.json();
    if (!answer.ok) { say(found.error || 'The server refused.'); return null; }
    say(found.notice || '', true);
    return found;
  } catch (error) {
    say('pv does not answer any more; is it still running?');
    return null;
  } finally {
    clearTimeout(patience);
    $('enough').hidden = true;
    busy = false;
    document.body.removeAttribute('aria-busy');
  }
}

// What came of a step: the run up to `from` stays, the new steps stand behind it.
async function adopt(found, at) {
  if (!found) { show(); return; }
  branches = found.branches || branches;
  if (found.run) { branch = found.branch; openRun(found.run, at === undefined ? found.at : at); }
  else if (found.steps) {
    const elsewhere = found.branch !== branch;
    branch = found.branch;
    moveTo(Math.min(position, found.from));
    const steps = run.steps.slice(0, found.from).concat(found.steps);
    run = Object.assign({}, run, elsewhere ? { error: null, cycle: null } : {}, { steps });
    const here = run.steps.length;
    const keep = position;
    const known = run;
    restart();
    run = known;
    moveTo(keep);
    layOut();
    $('tocycle').hidden = run.cycle === null || run.cycle === undefined;
    if (elsewhere) { $('verdict').className = ''; $('verdict').textContent = 'exploration'; }
    go(here);
  }
  showTree();
  await refreshWatches();
}

function choose(index) {
  const choice = moves().can[index];
  if (!choice) return;
  if (position < last() && same(choice, run.steps[position].parts)) { go(position + 1); return; }
  if (live) ask('take', { branch, at: position, choice: index, whole: !claims }).then(found => adopt(found));
}

const own = () => branches.find(known => known.id === branch);
const canUndo = () => live && own() && !own().sealed && own().own > uncounted(own()) && !branches.some(child => child.parent === branch && child.at >= own().length);
const undo = () => ask('undo', { branch, whole: !claims }).then(found => adopt(found));
const random = count => ask('run', { branch, at: position, steps: count, whole: !claims }).then(found => adopt(found));
const runUntil = () => ask('run', { branch, at: position, until: $('condition').value }).then(found => adopt(found));

async function find() {
  const found = await ask('watch', { branch, expression: $('condition').value, condition: true });
  if (!found) return;
  const holds = index => found.values[index] !== '0' && found.values[index] !== null;
  for (let index = position + 1; index <= last(); index++) if (holds(index)) { go(index); return; }
  say('It holds in no later state of this run.', true);
}

async function addWatch(text) {
  const expression = text.trim();
  if (!expression || watches.some(known => known.expression === expression)) return;
  const found = live ? await ask('watch', { branch, expression }) : kept(expression);
  if (!found) return;
  watches.push({ expression, values: found.values });
  $('expression').value = '';
  showWatches();
}

// Without a server: the values of a variable, from the changes of all steps.
function kept(expression) {
  const name = expression.replace(/^(\w+)\[(\d+)\]:/, '$1($2):').replace(/\s+/g, '');
  let value = null, known = false;
  const note = (found, to) => { if (found === name) { value = to; known = true; } };
  for (const [found, to] of run.start.variables) note(found, to);
  const values = [value];
  for (const step of run.steps) {
    for (const [found, , to] of step.changes || []) note(found, to);
    values.push(value);
  }
  say(known ? '' : 'This page knows the variables as they stand in the state, and the expressions that pv replay --watch was given.');
  return known ? { values } : null;
}

async function refreshWatches() {
  for (const watch of watches) {
    const found = await ask('watch', { branch, expression: watch.expression });
    if (found) watch.values = found.values;
  }
  show();
}

function showWatches() {
  $('watched').textContent = '';
  for (const watch of watches) {
    const row = element('li'), value = watch.values[position];
    const number = stopAt(position), moved = number > 0 && watch.values[stops[number - 1]] !== value;
    const drop = element('button', '', '✕');
    drop.type = 'button';
    drop.setAttribute('aria-label', 'Do not watch ' + watch.expression);
    drop.addEventListener('click', () => { watches = watches.filter(known => known !== watch); showWatches(); });
    row.append(element('span', 'code', visible(watch.expression)),
      element('span', 'value code' + (moved ? ' moved' : ''), value === null || value === undefined ? 'no value here' : visible(value)), drop);
    $('watched').append(row);
  }
}

function showTree() {
  const below = parent => {
    const list = element('ul');
    for (const known of branches.filter(one => one.parent === parent)) {
      const item = element('li'), row = element('div');
      const text = visible(known.name) + ' · ' + (parent === null ? '' : 'from step ' + (known.at - uncountedBefore(known)) + ' · ') + plural(known.own - uncounted(known), 'step');
      const pick = element('button', 'pick', text);
      pick.type = 'button';
      pick.setAttribute('aria-current', String(known.id === branch));
      pick.addEventListener('click', () => ask('open', { branch: known.id }).then(found => adopt(found, known.length)));
      row.append(pick);
      const children = branches.some(one => one.parent === known.id);
      if (parent !== null && !children) {
        const drop = element('button', 'drop', '✕');
        drop.type = 'button';
        drop.setAttribute('aria-label', 'Drop ' + known.name);
        drop.addEventListener('click', () => ask('drop', { branch: known.id, current: branch }).then(found => adopt(found)));
        row.append(drop);
      }
      item.append(row);
      if (children) item.append(below(known.id));
      list.append(item);
    }
    return list;
  };
  if (live) $('branches').replaceChildren(below(null));
}

// ---- keys

const KEYS = [['← →', 'one step back, forth'], ['Page ↑ ↓', 'ten steps'], ['Home End', 'start, end of the run'], ['1 … 9', live ? 'take this step; elsewhere than at the end it starts a branch' : 'forth, if this step is taken'],
  ['c', 'to the start of the cycle'], ['w', live ? 'watch an expression' : 'watch a variable'], ['?', 'these keys']].concat(data.source.claim ? [['p', 'show or hide the steps of the claim']] : []).concat(live ? [['u', 'undo: take the last step of this branch back'], ['r', 'a step by chance'], ['/', 'until: a condition or a label']] : []);

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  const at = event.target;
  if (at.tagName === 'INPUT' && at.type === 'text') { if (event.key === 'Escape') at.blur(); return; }
  const slides = at === $('slider');
  const act = {
    ArrowLeft: () => walk(-1), ArrowRight: () => walk(1), PageUp: () => walk(-10), PageDown: () => walk(10),
    Home: () => go(0), End: () => go(last()), c: () => run.cycle !== null && run.cycle !== undefined && go(run.cycle), w: () => $('expression').focus(), '?': () => $('keys').showModal(),
  };
  if (data.source.claim) act.p = () => showClaims(!claims);
  if (live) Object.assign(act, { u: () => canUndo() && undo(), r: () => random(1), '/': () => $('condition').focus() });
  if (/^[1-9]$/.test(event.key)) act[event.key] = () => choose(Number(event.key) - 1);
  const known = act[event.key];
  // The slider knows its own keys.
  if (!known || slides && /^(Arrow|Page|Home|End)/.test(event.key)) return;
  event.preventDefault();
  known();
});

// ---- start

document.title = visible(base(data.model)) + ' · pv';
$('title').textContent = visible(base(data.model));
for (const [key, what] of KEYS) $('keylist').append(element('dt', '', key), element('dd', '', what));
buildSource();
watches = data.watches || [];
if (!live) $('expression').placeholder = 'a variable of the state';
if (live) {
  document.querySelectorAll('.live').forEach(part => { part.hidden = false; });
  document.querySelector('main').classList.add('living');
}
$('slider').addEventListener('input', event => go(stops[Number(event.target.value)]));
$('first').addEventListener('click', () => go(0));
$('back').addEventListener('click', () => walk(-1));
$('next').addEventListener('click', () => walk(1));
$('last').addEventListener('click', () => go(last()));
$('tocycle').addEventListener('click', () => go(run.cycle));
$('claims').hidden = !data.source.claim;
$('claims').addEventListener('click', () => showClaims(!claims));
$('help').addEventListener('click', () => $('keys').showModal());
$('undo').addEventListener('click', undo);
$('enough').addEventListener('click', () => fetch('stop', { method: 'POST', headers: { 'X-Pv-Token': token } }));
$('random').addEventListener('click', () => random(1));
$('rununtil').addEventListener('click', runUntil);
$('until').addEventListener('submit', event => { event.preventDefault(); find(); });
$('watch').addEventListener('submit', event => { event.preventDefault(); addWatch($('expression').value); });
$('lanes').addEventListener('scroll', drawChart, { passive: true });
// Panels of another size: what is spoken of stays in view.
window.addEventListener('resize', () => { showSource(); showChart(); });
// On paper the chart is as wide as the page, about 680 points of a screen.
window.addEventListener('beforeprint', () => { printing = true; $('lanes').style.zoom = Math.min(1, 680 / chart.width); drawChart(); });
window.addEventListener('afterprint', () => { printing = false; $('lanes').style.zoom = ''; drawChart(); });
openRun(run, data.at === undefined ? last() : data.at);
showTree();
})();
