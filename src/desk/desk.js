// The desk: a map to click on, an order file to type into, both kept in step. All rules are asked of the program.
'use strict';
const $ = (id) => document.getElementById(id);
const base = document.body.dataset.base;
let pos = null;           // the position as the program sees it
let known = null;         // the hash of the order file on disk, as far as this page knows
let clean = '';           // the text as it was last saved or begun
let past = [];         // texts to go back to
let chosen = [];          // units that are clicked
let board = 0;            // the map they stand on
let cell = null;          // a cell that is clicked without a unit
let offered = null;       // what can be done with them
let armed = null;         // the one of it a click on a cell will write
let checks = 0;           // the number of the last check, so that late answers are dropped
let asking = 0;           // how many answers are awaited
let acting = false;       // is something being signed or taken? Then the folder is between two positions
let toSign = '';          // the text that is about to be signed
const kept = [];          // texts of moments that have passed

// Talking to the program

async function ask(path, said, raw) {
  asking += 1;
  try {
    const post = said === undefined ? {} : { method: 'POST', body: raw ? said : JSON.stringify(said) };
    const reply = await fetch(base + path, post).catch((error) => {
      notice('The desk does not answer: has `garcia desk` ended? Your text stays in this page; start it again and reload.', true);
      throw error;
    });
    const told = await reply.json().catch(() => ({ error: 'the answer cannot be read', remedy: 'reload the page' }));
    if (!reply.ok) throw Object.assign(new Error(told.error), { told, status: reply.status });
    return told;
  } finally { asking -= 1; }
}

function notice(text, bad) {
  $('notice').textContent = text || '';
  $('notice').hidden = !text;
  $('notice').classList.toggle('bad', Boolean(bad));
}

// Anything that goes wrong is told in words.
const said = (error) => error.told ? `${error.told.error}. ${error.told.remedy || ''}` : String(error.message || error);
const tell = (error) => { if (error.told) notice(said(error), true); };

// A piece of a page: its words are text, never markup.
function make(tag, words, more = {}) {
  const made = Object.assign(document.createElement(tag), more);
  if (words !== undefined) made.textContent = words;
  return made;
}

// The position

const draftName = () => `garcia ${pos.head} ${pos.file}`;
const dirty = () => $('text').value !== clean;

// Shows the position as it is now; `shown` is called when it stands on the page and is still to be checked.
async function load(first, shown = () => {}) {
  const told = await ask('position');
  // What was typed or clicked while the answer was on its way counts too.
  const before = pos, typed = $('text').value, wasDirty = before && dirty();
  pos = told;
  document.title = `${pos.mine ? '● ' : ''}${pos.title}`;
  $('title').textContent = pos.title;
  $('moment').textContent = pos.moment + (pos.view ? ` · as seen by ${pos.view}` : '');
  $('standing').textContent = (pos.verdict || pos.next[0] || '').replaceAll('`', '');
  known = pos['on-disk'];
  // The boxes first: how much of the map is shown depends on the room they leave.
  showBoxes();
  showMap();
  if (!before || before.file !== pos.file || before.head !== pos.head) {
    if (wasDirty) keep(before.file, typed);
    clean = pos.saved ?? pos.template;
    const draft = localStorage.getItem(draftName());
    $('text').value = first && draft !== null ? draft : clean;
    if (first && draft !== null && draft !== clean) notice('What you typed and did not save is back.');
    past = [];
    choose([]);
  } else {
    if (!wasDirty && pos.saved !== null) clean = $('text').value = pos.saved;
    // The map is drawn anew, with what is in hand on it.
    showChosen();
    showOffers();
  }
  showKept();
  $('file').textContent = pos.mine ? `orders/${pos.file}` : 'nothing is due from you';
  for (const id of ['save', 'sign', 'fresh', 'text']) $(id).disabled = !pos.mine;
  $('sign').textContent = pos.verb === 'resolve' ? 'Sign and carry out …' : 'Sign and make the mail …';
  showQuestions();
  showReports();
  showActs();
  $('status').innerHTML = pos.status;
  shown();
  if (pos.mine) await check(); else showFindings({ ok: true, faults: [] });
}

function keep(file, text) {
  kept.unshift({ file, text });
  notice(`The game has gone on. What you had typed for ${file} is kept at the foot of this page.`);
}

function showKept() {
  $('kept-of').hidden = kept.length === 0;
  $('kept').replaceChildren(...kept.map(({ file, text }) => {
    const held = make('div', undefined, { className: 'keep' });
    held.append(make('p', file), make('textarea', undefined, { value: text, rows: 8, readOnly: true }));
    return held;
  }));
}

// Has the folder changed? What is typed is never touched.
async function pulse() {
  if (!pos || document.hidden || $('final').open || acting) return;
  const now = await ask('pulse').catch((error) => { tell(error); return null; });
  if (!now || $('final').open || acting) return;
  if (now.stamp !== pos.stamp) { await load().catch(tell); return; }
  if (now['on-disk'] === known) return;
  if (dirty()) {
    notice(`orders/${pos.file} was changed outside this page. Your text is kept; Save will ask which of the two counts.`);
  } else {
    await load().catch(tell);
    notice(`orders/${pos.file} was changed outside this page and is shown anew.`);
  }
}

// The map

const boards = () => [...document.querySelectorAll('svg.board')];
const svgOf = (number) => boards().find((svg) => Number(svg.dataset.board) === number);
const cellOf = (number, id) => svgOf(number)?.querySelector(`.cells use[data-cell="${CSS.escape(id)}"]`);
const unitOf = (id) => pos.units.find((unit) => unit.id === id) || pos.boxes.flatMap((box) => box.units).find((unit) => unit.id === id);
const nameOf = (number, id) => cellOf(number, id)?.querySelector('title')?.textContent.split(':')[0] || id;

function showMap() {
  const views = boards().map((svg) => svg.getAttribute('viewBox'));
  $('map').innerHTML = pos.map;
  $('map').classList.toggle('several', boards().length > 1);
  boards().forEach((svg, number) => {
    svg.dataset.whole = svg.getAttribute('viewBox');
    if (views[number]) svg.setAttribute('viewBox', views[number]); else if (boards().length === 1) comeNear(svg);
  });
  for (const unit of pos.units) if (unit.own && unit.ready && pos.mine) for (const drawn of drawnOf(unit.id)) drawn.classList.add('ready');
}

// At first as much of the map as leaves the counters large enough to be read, around those that may act.
function comeNear(svg) {
  const [left, top, w, h] = svg.dataset.whole.split(' ').map(Number);
  const wide = 3.1 * svg.clientWidth, high = wide * svg.clientHeight / svg.clientWidth;
  if (!wide || wide > w * .92) return;
  const own = pos.units.filter((unit) => unit.own), able = own.filter((unit) => unit.ready);
  const stand = (able.length ? able : own.length ? own : pos.units).map((unit) => unit.cell && cellOf(0, unit.cell)).filter(Boolean);
  const middle = (of) => stand.map((at) => Number(at.getAttribute(of))).sort((a, b) => a - b)[Math.floor(stand.length / 2)];
  const within = (at, from, room) => Math.max(from, Math.min(at, from + Math.max(0, room)));
  const x = within((middle('x') ?? left + w / 2) - wide / 2, left, w - wide), y = within((middle('y') ?? top + h / 2) - high / 2, top, h - high);
  svg.setAttribute('viewBox', [x, y, wide, high].map(Math.round).join(' '));
}

const drawnOf = (id) => [...document.querySelectorAll(`#map .c[data-id="${CSS.escape(id)}"], #boxes .c[data-id="${CSS.escape(id)}"]`)];

function piece(unit) {
  const button = make('button', undefined, { className: 'piece', title: unit.title });
  button.dataset.id = unit.id;
  button.setAttribute('aria-label', unit.title);
  button.innerHTML = unit.picture;
  button.classList.toggle('chosen', chosen.includes(unit.id));
  button.classList.toggle('idle', !unit.own);
  button.onclick = () => toggle(unit.id, unit.board ?? board);
  return button;
}

function showBoxes() {
  $('boxes').replaceChildren(...pos.boxes.filter((box) => box.units.length).map((box) => {
    const shown = make('details', undefined, { open: box.units.some((unit) => unit.own) });
    const lots = make('div', undefined, { className: 'lots' });
    lots.append(...box.units.map(piece));
    shown.append(make('summary', `${box.name} (${box.units.length})`), lots);
    return shown;
  }));
}

function zoom(factor, at) {
  for (const svg of boards()) {
    const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
    const whole = svg.dataset.whole.split(' ').map(Number);
    const wide = Math.min(whole[2], w * factor), high = wide * h / w;
    const [cx, cy] = at && at.svg === svg ? [at.x, at.y] : [x + w / 2, y + h / 2];
    svg.setAttribute('viewBox', wide >= whole[2] ? svg.dataset.whole : [cx - (cx - x) * wide / w, cy - (cy - y) * high / h, wide, high].map(Math.round).join(' '));
  }
}

function pan(svg, dx, dy) {
  const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
  const scale = Math.max(w / svg.clientWidth, h / svg.clientHeight);
  svg.setAttribute('viewBox', [x - dx * scale, y - dy * scale, w, h].map(Math.round).join(' '));
}

const place = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());

function light(ids) {
  for (const lit of document.querySelectorAll('.cells use.lit')) lit.classList.remove('lit');
  for (const id of ids) for (const svg of boards()) svg.querySelector(`.cells use[data-cell="${CSS.escape(id)}"]`)?.classList.add('lit');
}

// Choosing units, and what they may do

function toggle(id, on) {
  const unit = unitOf(id);
  if (!unit) return;
  if (on !== board) chosen = [];
  board = on ?? 0;
  choose(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
}

async function choose(units, at = null) {
  chosen = units;
  cell = at;
  offered = armed = null;
  showChosen();
  showOffers();
  if (!pos.mine || !(units.length || at)) return;
  const mine = units.every((id) => unitOf(id)?.own);
  if (!mine) return;
  try {
    // An answer at once, and where that was too short to try every hex, all of it a little later.
    for (const patient of [false, true]) {
      const told = await ask('offers', { text: $('text').value, units, board, cell: at, patient });
      if (chosen !== units || cell !== at) return;
      const before = armed?.deed;
      offered = told;
      armed = told.deeds.find((deed) => deed.deed === before) || told.deeds.find((deed) => deed.cells.length) || null;
      showOffers();
      if (!told.deeds.some((deed) => deed.untried)) return;
    }
  } catch (error) { tell(error); }
}

function showChosen() {
  for (const drawn of document.querySelectorAll('.c.chosen')) drawn.classList.remove('chosen');
  for (const id of chosen) for (const drawn of drawnOf(id)) drawn.classList.add('chosen');
  for (const button of document.querySelectorAll('.piece')) button.classList.toggle('chosen', chosen.includes(button.dataset.id));
  const words = [], lots = make('div', undefined, { className: 'lots' });
  const first = chosen.length ? unitOf(chosen[0]) : null;
  const where = first?.cell ?? cell;
  const stack = where ? pos.units.filter((unit) => unit.cell === where && unit.board === board) : [];
  if (where) words.push(make('p', `${nameOf(board, where)}${stack.length ? ': click to choose, again to leave out' : ''}`, { className: 'hint' }));
  const shown = stack.length ? stack : chosen.map(unitOf).filter(Boolean);
  if (shown.length) {
    lots.append(...shown.map(piece));
    words.push(lots, ...chosen.map((id) => make('p', unitOf(id)?.title)));
  } else if (pos.mine && !where) {
    const ready = pos.units.filter((unit) => unit.own && unit.ready);
    const some = make('details');
    lots.append(...ready.map(piece));
    some.append(make('summary', ready.length ? `Units that may act (${ready.length})` : 'Units'), lots);
    words.push(make('p', 'Click a unit on the map or in a box; then a hex.', { className: 'hint' }));
    if (ready.length) words.push(some);
  }
  $('chosen').replaceChildren(...words);
}

// Where a click will write something: the cells of the armed deed, and those of the template's lines.
function targets() {
  const cells = new Map();
  for (const reached of armed?.cells || []) cells.set(reached.cell, { reached });
  if (!armed) for (const proposal of offered?.proposals || []) if (proposal.cell) {
    const there = cells.get(proposal.cell) || { proposals: [] };
    there.proposals.push(proposal);
    cells.set(proposal.cell, there);
  }
  return cells;
}

function showOffers() {
  for (const could of document.querySelectorAll('.could')) could.replaceChildren();
  const parts = [], cells = targets();
  if (offered?.barred && !offered.deeds.length) parts.push(make('p', offered.barred, { className: 'hint' }));
  for (const deed of offered?.deeds || []) {
    const button = make('button', deed.label, { className: 'deed', title: deed.about });
    button.setAttribute('aria-pressed', String(deed === armed));
    button.classList.toggle('armed', deed === armed);
    button.onclick = () => {
      if (!deed.place) { write({ deed: deed.deed, units: chosen }); return; }
      if (cell && deed.cells.length) { write({ deed: deed.deed, units: [], cell }); return; }
      armed = deed === armed ? null : deed;
      showOffers();
    };
    parts.push(button);
  }
  if (armed) {
    parts.push(make('p', armed.about, { className: 'hint' }));
    if (armed.untried) parts.push(make('p', 'Not every hex was tried in the time of a click: you may click any, and the check will tell.', { className: 'hint' }));
    const where = make('div', undefined, { className: 'where' });
    for (const reached of armed.cells) {
      const price = [reached.cost && `${reached.cost} MP`, reached.dice, reached.note].filter(Boolean).join(', ');
      const button = make('button', `${nameOf(board, reached.cell)}${price ? ` · ${price}` : ''}`);
      button.dataset.to = reached.cell;
      button.onclick = () => write({ deed: armed.deed, units: chosen, cell: reached.cell });
      button.onmouseenter = button.onfocus = () => light([...(reached.path || []), reached.cell]);
      where.append(button);
    }
    parts.push(where);
  }
  const list = make('ul');
  for (const proposal of offered?.proposals || []) {
    const button = make('button'), entry = make('li');
    button.append(make('code', proposal.text), make('span', proposal.remark ? `  ${proposal.remark}` : ''));
    button.onclick = () => write({ proposal: proposal.proposal });
    if (proposal.cell) button.onmouseenter = button.onfocus = () => light([proposal.cell]);
    entry.append(button);
    list.append(entry);
  }
  if (list.childElementCount) parts.push(list);
  if (chosen.length && offered && !parts.length) parts.push(make('p', 'Nothing can be ordered of it now.', { className: 'hint' }));
  // The second answer takes no hex out of the hands of somebody who chooses by keys.
  const held = $('offers').contains(document.activeElement) && document.activeElement.dataset.to;
  $('offers').replaceChildren(...parts);
  if (held) $('offers').querySelector(`[data-to="${CSS.escape(held)}"]`)?.focus();
  const svg = svgOf(board), could = svg?.querySelector('.could');
  for (const [id, { reached }] of cells) {
    const at = cellOf(board, id);
    if (!at || !could) continue;
    const spot = at.cloneNode();
    could.append(spot);
    if (!reached?.cost) continue;
    const cost = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    cost.setAttribute('class', 'cost');
    cost.setAttribute('x', at.getAttribute('x'));
    cost.setAttribute('y', Number(at.getAttribute('y')) + 6);
    cost.textContent = reached.cost + (reached.dice ? ' ⚄' : '');
    could.append(cost);
  }
}

// Clicks on the map: an offered cell means the order, a unit means the unit.
function clicked(event) {
  const svg = event.target.closest('svg.board');
  if (!svg) return;
  const number = Number(svg.dataset.board), counter = event.target.closest('.c');
  const ghost = event.target.closest('.ghosts');
  const unit = counter ? unitOf(counter.dataset.id) : null;
  const at = event.target.closest('use[data-cell]')?.dataset.cell ?? (ghost ? counter?.dataset.at : unit?.cell) ?? null;
  const there = number === board && at ? targets().get(at) : null;
  const more = event.shiftKey || event.ctrlKey || event.metaKey;
  if (there && !more) {
    if (there.reached) { write({ deed: armed.deed, units: chosen, cell: at }); return; }
    if (there.proposals.length === 1) { write({ proposal: there.proposals[0].proposal }); return; }
    offered = { ...offered, deeds: [], proposals: there.proposals };
    showOffers();
    return;
  }
  if (unit) {
    if (more) { toggle(unit.id, number); return; }
    board = number;
    choose([unit.id]);
    return;
  }
  if (armed?.untried && at && number === board) { write({ deed: armed.deed, units: chosen, cell: at }); return; }
  board = number;
  choose([], at);
}

// The order file

// Has the program write something into the text. A second click before the answer is there is the same click; a choice
// that was laid down meanwhile waits for its turn.
let writing = null;
async function write(wanted) {
  if (writing && wanted.value === undefined) return;
  while (writing) await writing;
  writing = written(wanted);
  await writing;
}

async function written(wanted) {
  try {
    let text, told;
    // Whatever is typed meanwhile stays: then it is written into that.
    do {
      text = $('text').value;
      told = await ask('edit', { text, ...wanted });
    } while (text !== $('text').value);
    setText(told.text);
    choose([]);
  } catch (error) { tell(error); return; } finally { writing = null; }
  await check().catch(tell);
}

function setText(text) {
  if (text === $('text').value) return;
  past.push($('text').value);
  $('text').value = text;
  typed();
}

function typed() {
  if (dirty()) localStorage.setItem(draftName(), $('text').value); else localStorage.removeItem(draftName());
  $('undo').disabled = past.length === 0;
  $('saved').textContent = dirty() ? 'not saved' : known ? 'saved' : 'the template, as it is: legal, and not saved yet';
  numberLines([]);
}

let later = 0;
function typing() {
  typed();
  clearTimeout(later);
  later = setTimeout(() => check().catch(tell), 250);
}

function undo() {
  const text = past.pop();
  if (text === undefined) return;
  $('text').value = text;
  typed();
  check().catch(tell);
}

async function check() {
  const number = ++checks;
  typed();
  const told = await ask('check', { text: $('text').value });
  if (number === checks) showFindings(told);
  return told;
}

let found = { ok: true, faults: [] };
function showFindings(told) {
  found = told;
  numberLines(told.faults);
  const parts = told.faults.map((fault) => {
    const shown = make('div', undefined, { className: `fault ${fault.severity}` });
    const line = make('button', `line ${fault.line}`), what = make('p');
    line.onclick = () => goTo(fault.line, fault.column);
    what.append(line, ` ${fault.what}`);
    if (fault.clause) what.append(make('span', ` §${fault.clause}`, { className: 'clause' }));
    shown.append(what, make('p', fault.remedy, { className: 'remedy' }));
    return shown;
  });
  if (pos.mine && told.ok) parts.unshift(make('p', 'No faults.', { className: 'fine' }));
  const orders = make('ul', undefined, { id: 'entries' });
  for (const entry of told.entries || []) {
    const less = make('button', '×', { title: 'take this order out' }), line = make('li');
    less.onclick = () => write({ remove: entry.path });
    line.append(less, ' ', make('code', `${entry.path.slice(1, -1).join(' ')}: ${entry.text}`));
    orders.append(line);
  }
  if (orders.childElementCount) parts.push(orders);
  $('faults').replaceChildren(...parts);
  $('sign').disabled = !pos.mine || !told.ok;
  $('outlook').innerHTML = told.outlook || '';
  $('outlook-of').hidden = !told.outlook;
  $('odds').replaceChildren();
  for (const kind of document.querySelectorAll('.question[data-kind]')) {
    const laid = (told.laid || []).find((laid) => laid.kind === kind.dataset.kind && laid.path === kind.dataset.path);
    if (laid) kind.querySelector('.now').textContent = `now: ${laid.said} (${laid.from})`;
  }
  boards().forEach((svg, number) => { svg.querySelector('.planned').innerHTML = told.story?.[number] || ''; });
  showGhosts(told.moves || []);
}

// Units where the orders will bring them, if all goes well.
function showGhosts(moves) {
  for (const drawn of document.querySelectorAll('.c.leaves')) drawn.classList.remove('leaves');
  for (const ghosts of document.querySelectorAll('.ghosts')) ghosts.replaceChildren();
  const ends = new Map();
  for (const [, number, units, end] of moves) for (const id of units) ends.set(id, { number, end });
  const stacks = new Map();
  for (const [id, { number, end }] of ends) {
    const unit = unitOf(id);
    if (unit && unit.cell === end && unit.board === number) continue;
    for (const drawn of drawnOf(id)) drawn.classList.add('leaves');
    if (!end) continue;
    const key = `${number} ${end}`;
    stacks.set(key, [...(stacks.get(key) || []), id]);
  }
  for (const [key, ids] of stacks) {
    const [number, end] = key.split(' '), svg = svgOf(Number(number)), at = cellOf(Number(number), end);
    if (!at) continue;
    const across = Math.ceil(Math.sqrt(ids.length)), size = Math.min(44, 86 / across);
    ids.forEach((id, n) => {
      const drawn = drawnOf(id)[0];
      if (!drawn) return;
      const ghost = drawn.cloneNode(true);
      ghost.classList.remove('leaves', 'chosen');
      ghost.dataset.at = end;
      const rows = Math.ceil(ids.length / across);
      const x = Number(at.getAttribute('x')) + (n % across - (across - 1) / 2) * size;
      const y = Number(at.getAttribute('y')) + (Math.floor(n / across) - (rows - 1) / 2) * size;
      ghost.setAttribute('transform', `translate(${x.toFixed(1)},${y.toFixed(1)}) scale(${(size / 56).toFixed(3)})`);
      svg.querySelector('.ghosts').append(ghost);
    });
  }
}

function numberLines(faults) {
  const worst = new Map();
  for (const fault of faults) if (worst.get(fault.line) !== 'fault') worst.set(fault.line, fault.severity);
  const count = $('text').value.split('\n').length, rows = [];
  for (let line = 1; line <= count; line += 1) {
    rows.push(make(worst.has(line) ? 'b' : 'i', String(line), { className: worst.get(line) || '' }));
  }
  $('lines').replaceChildren(...rows);
  $('lines').scrollTop = $('text').scrollTop;
}

function goTo(line, column) {
  const lines = $('text').value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  $('text').focus();
  $('text').setSelectionRange(start, start + 1);
  $('text').scrollTop = Math.max(0, (line - 5) * 18.2);
}

// Saving and signing

async function save(over) {
  if (acting) return false;
  const text = $('text').value;
  acting = true;
  try {
    const told = await ask('save', { text, stamp: pos.stamp, 'on-disk': over ?? known });
    known = told['on-disk'];
    clean = text;
    localStorage.removeItem(draftName());
    notice('');
    typed();
    return true;
  } catch (error) {
    tell(error);
    if (error.told?.theirs !== undefined) disagree(error.told);
    else if (error.status === 409) await load().catch(tell);
    return false;
  } finally { acting = false; }
}

// Two texts for one file: the player says which counts, and the other is kept.
function disagree(told) {
  const mine = make('button', 'Mine counts'), theirs = make('button', 'Take theirs');
  mine.onclick = async () => { kept.unshift({ file: `${pos.file}, as it was on disk`, text: told.theirs }); showKept(); await save(told['on-disk']); };
  theirs.onclick = () => {
    kept.unshift({ file: `${pos.file}, as you had typed it`, text: $('text').value });
    showKept();
    setText(told.theirs);
    clean = told.theirs;
    known = told['on-disk'];
    notice('');
    check().catch(tell);
  };
  $('notice').append(' ', mine, ' ', theirs);
}

async function sign() {
  const text = $('text').value, told = await check();
  // What is signed is what was checked and is shown.
  if (!told.ok || text !== $('text').value || $('final').open) return;
  toSign = text;
  $('final-what').textContent = pos.verb === 'resolve' ? 'Sign and carry out?' : 'Sign and make the mail?';
  $('final-packet').textContent = told.signed || '';
  $('final-eml').hidden = !pos.mails;
  $('final').returnValue = 'no';
  $('final').showModal();
}

async function signed() {
  if ($('final').returnValue !== 'yes' || acting) return;
  acting = true;
  try {
    const told = await ask('sign', { text: toSign, stamp: pos.stamp, 'on-disk': known, eml: $('eml').checked });
    localStorage.removeItem(draftName());
    clean = toSign;
    $('answer').textContent = told.told;
    const before = pos.reports[0]?.record;
    await load(false, () => {
      tab(pos.reports[0]?.record !== before && !pos.mails ? 'reports' : 'ledger');
      notice(pos.next[0] || '');
    });
  } catch (error) {
    tell(error);
    if (error.told?.theirs !== undefined) disagree(error.told);
    else if (error.status === 409) await load().catch(tell);
  } finally { acting = false; }
}

// Does what needs no orders; its words stand in the ledger's page.
async function act(path, said, raw, done = () => {}) {
  if (acting) return;
  acting = true;
  tab('ledger');
  try {
    const told = await ask(path, said, raw);
    $('answer').textContent = told.told;
    done();
    await load();
  } catch (error) { tell(error); } finally { acting = false; }
}

const receive = (mail) => act('receive', mail, true, () => { $('mail').value = ''; });

// Questions, reports, ledger

function showQuestions() {
  const field = (about, options, path, key) => {
    const shown = make('div', undefined, { className: 'question' }), input = make('input', undefined, { type: 'text' });
    const list = make('datalist', undefined, { id: `list-${path}-${key}` });
    list.append(...options.map((value) => make('option', undefined, { value })));
    input.setAttribute('list', list.id);
    input.setAttribute('aria-label', key);
    input.placeholder = options.join('   ');
    const pick = make('span');
    for (const value of options.slice(0, 14)) {
      const button = make('button', value);
      button.onclick = () => write({ path: [path], key, value });
      pick.append(button, ' ');
    }
    input.onchange = () => { if (input.value.trim()) write({ path: [path], key, value: input.value.trim() }); };
    const head = make('p');
    head.append(make('b', key), make('span', ` ${about.clause} `, { className: 'clause' }), make('span', about.text));
    shown.append(head, make('p', `default: ${about.default}`, { className: 'hint' }), pick, input, list, make('p', '', { className: 'now hint' }));
    shown.dataset.kind = key;
    shown.dataset.path = path;
    return shown;
  };
  const asked = pos.questions.map((question) => field(question, ['default', ...question.options], 'answers', question.key));
  const parts = [];
  if (asked.length) parts.push(make('h3', 'You are asked'), ...asked);
  for (const [path, words] of [['policies', 'While your own orders are carried out'], ['standing', "While your opponent's orders are carried out"]]) {
    const kinds = pos.kinds.filter((kind) => kind.path === path);
    if (kinds.length) parts.push(make('h3', words), ...kinds.map((kind) => field(kind, ['default', ...(kind.ask ? ['ask'] : []), ...kind.forms], path, kind.kind)));
  }
  if (!parts.length) parts.push(make('p', 'Nothing can be laid down at this moment.'));
  $('questions').replaceChildren(...parts);
  document.querySelector('[data-tab=questions]').textContent = asked.length ? `Questions (${asked.length})` : 'Questions';
}

function showReports() {
  const before = $('report').value, newest = $('report').options[0]?.value;
  $('report').replaceChildren(...pos.reports.map(({ record, label }) => make('option', label, { value: record })));
  if (before && newest === $('report').options[0]?.value) $('report').value = before;
  $('told').removeAttribute('src');
  if (!document.querySelector('[data-page=reports]').hidden) showReport();
}

function showReport() {
  const wanted = `${base}report/${$('report').value}`;
  if (!$('report').value || $('told').getAttribute('src') === wanted) return;
  $('told').src = wanted;
  $('apart').href = wanted;
}

function showActs() {
  $('acts').replaceChildren(...pos.next.map((line) => make('p', line)), ...pos.acts.map(({ act: name, label, after }) => {
    const button = make('button', label);
    button.onclick = () => act('act', { act: name, after, eml: $('eml').checked });
    return button;
  }));
}

function tab(name) {
  for (const button of document.querySelectorAll('[data-tab]')) button.setAttribute('aria-selected', String(button.dataset.tab === name));
  for (const page of document.querySelectorAll('[data-page]')) page.hidden = page.dataset.page !== name;
  if (name === 'reports') showReport();
}

// Hands

for (const button of document.querySelectorAll('[data-tab]')) button.onclick = () => tab(button.dataset.tab);
let hold = null;
$('map').onpointerdown = (event) => {
  const svg = event.target.closest('svg.board');
  hold = svg && { svg, x: event.clientX, y: event.clientY, far: 0 };
};
window.onpointermove = (event) => {
  const over = event.target.closest?.('#map') ? event.target.closest('use, .c')?.querySelector('title')?.textContent : '';
  if (over) $('under').textContent = over;
  if (!hold || !event.buttons) return;
  const dx = event.clientX - hold.x, dy = event.clientY - hold.y;
  hold.far += Math.abs(dx) + Math.abs(dy);
  if (hold.far > 6 && !$('map').classList.contains('several')) pan(hold.svg, dx, dy);
  Object.assign(hold, { x: event.clientX, y: event.clientY });
};
$('map').onclick = (event) => { if (!hold || hold.far <= 6) clicked(event); hold = null; };
$('map').addEventListener('wheel', (event) => {
  const svg = event.target.closest('svg.board');
  if (!svg || ($('map').classList.contains('several') && !event.ctrlKey)) return;
  event.preventDefault();
  const { x, y } = place(svg, event);
  zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, { svg, x, y });
}, { passive: false });
$('map').onkeydown = (event) => {
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (step) { for (const svg of boards()) pan(svg, ...step); event.preventDefault(); }
  if (event.key === '+' || event.key === '=') zoom(1 / 1.3);
  if (event.key === '-') zoom(1.3);
  if (event.key === '0') zoom(1e6);
};
$('nearer').onclick = () => zoom(1 / 1.3);
$('farther').onclick = () => zoom(1.3);
$('whole').onclick = () => zoom(1e6);
$('planned').onchange = () => $('map').classList.toggle('hide-plan', !$('planned').checked);
$('outlook').onmouseover = (event) => light(event.target.closest('p, tr')?.textContent.match(/\b\d{4}\b/g) || []);
$('text').oninput = () => { typing(); };
$('text').onscroll = () => { $('lines').scrollTop = $('text').scrollTop; };
$('text').onfocus = () => { $('text').dataset.before = $('text').value; };
$('text').onchange = () => { if ($('text').dataset.before !== $('text').value) past.push($('text').dataset.before); typed(); };
$('undo').onclick = undo;
$('fresh').onclick = () => { setText(pos.template); check().catch(tell); };
$('save').onclick = () => save();
$('sign').onclick = () => sign().catch(tell);
$('final').onclose = signed;
$('odds-go').onclick = async () => {
  $('odds').textContent = 'Counting …';
  try { $('odds').innerHTML = (await ask('odds', { text: $('text').value })).odds; } catch (error) { $('odds').textContent = said(error); }
};
$('report').onchange = showReport;
$('take').onclick = () => receive($('mail').value);
$('mail-file').onchange = () => { if ($('mail-file').files[0]) receive($('mail-file').files[0]); };
document.ondragover = (event) => { event.preventDefault(); $('drop').classList.add('over'); };
document.ondragleave = () => $('drop').classList.remove('over');
document.ondrop = (event) => {
  event.preventDefault();
  $('drop').classList.remove('over');
  const mail = event.dataTransfer.files[0] ?? event.dataTransfer.getData('text');
  if (mail) receive(mail);
};
window.onkeydown = (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); if (pos?.mine) save(); }
  if ((event.ctrlKey || event.metaKey) && event.key === 'z' && event.target !== $('text')) { event.preventDefault(); undo(); }
  if (event.key === 'Escape') { light([]); choose([]); }
};
window.onbeforeunload = () => { if (pos && dirty()) localStorage.setItem(draftName(), $('text').value); };
load(true).catch(tell);
setInterval(() => pulse().catch(() => {}), 2500);
