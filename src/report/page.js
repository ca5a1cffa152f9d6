// The page of a turn: lines and cells light each other up, keys step through what happened.
'use strict';
for (const turn of document.querySelectorAll('.turn')) {
  const map = turn.querySelector('.map');
  if (!map) continue;
  const boards = [...map.querySelectorAll('svg.board')];
  const lines = [...turn.querySelectorAll('.diary [data-cells]')];
  const moves = JSON.parse(map.querySelector('.moves').textContent);
  const told = map.querySelector('output');
  const storyOf = map.querySelector('.story-of');
  const cellsOf = (line) => (line.dataset.cells || '').split(' ').filter(Boolean);
  const cells = (id) => boards.flatMap((board) => [...board.querySelectorAll(`use[data-cell="${id}"]`)]);

  // Everything that can be stepped to: the events with a line, in order.
  const steps = [...new Set(lines.filter((line) => line.dataset.event).map((line) => Number(line.dataset.event)))];
  let at = steps.length; // -1 is before, steps.length is after

  const light = (ids) => {
    for (const cell of map.querySelectorAll('use.lit')) cell.classList.remove('lit');
    for (const id of ids) for (const cell of cells(id)) cell.classList.add('lit');
  };

  // Where the counters stand once everything up to an event is done.
  const place = (upto) => {
    for (const board of boards) {
      const layer = board.querySelector('g.before');
      if (!layer) continue;
      for (const extra of layer.querySelectorAll('.arrived')) extra.remove();
      for (const counter of layer.querySelectorAll('g.c')) {
        counter.classList.remove('gone');
        counter.dataset.home = counter.dataset.home || counter.getAttribute('transform');
        counter.setAttribute('transform', counter.dataset.home);
      }
      for (const [event, number, units, end] of moves) {
        if (event > upto || boards.indexOf(board) !== boards.findIndex((b) => Number(b.dataset.board) === number)) continue;
        units.forEach((id, place) => {
          let counter = layer.querySelector(`g.c[data-id="${CSS.escape(id)}"]`);
          if (!counter) {
            const later = board.querySelector(`g.after g.c[data-id="${CSS.escape(id)}"]`);
            if (!later || !end) return;
            counter = later.cloneNode(true);
            counter.classList.add('arrived');
            layer.append(counter);
          }
          if (!end) { counter.classList.add('gone'); return; }
          const cell = board.querySelector(`use[data-cell="${end}"]`);
          if (!cell) return;
          const shift = (place % 3 - 1) * 16;
          const x = Number(cell.getAttribute('x')) + shift, y = Number(cell.getAttribute('y')) + Math.floor(place / 3) * 14;
          counter.classList.remove('gone');
          counter.setAttribute('transform', `translate(${x},${y}) scale(.74)`);
          counter.parentNode.append(counter);
        });
      }
    }
  };

  const show = () => {
    const over = at >= steps.length;
    const event = over ? Infinity : at < 0 ? -1 : steps[at];
    for (const board of boards) {
      board.classList.toggle('stepping', !over);
      for (const drawn of board.querySelectorAll('.story > g')) {
        const when = Number(drawn.dataset.event);
        drawn.classList.toggle('past', when < event);
        drawn.classList.toggle('now', when === event);
      }
    }
    if (!over) place(event);
    let shown = null;
    for (const line of lines) {
      const now = !over && Number(line.dataset.event) === event && line.dataset.event !== undefined;
      line.classList.toggle('now', now);
      if (now && !shown) shown = line;
    }
    light(shown ? cellsOf(shown) : []);
    centre(shown ? cellsOf(shown) : []);
    if (shown) shown.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    told.textContent = over ? 'after' : at < 0 ? 'before' : `${at + 1} of ${steps.length}`;
  };

  const go = (where) => { at = Math.max(-1, Math.min(steps.length, where)); show(); };
  turn.step = (by) => go(by === -Infinity ? -1 : by === Infinity ? steps.length : at + by);

  // Near enough to read the counters; where the whole map is too small for that, as much of it as shows where things happened.
  const wholes = new Map(boards.map((board) => [board, board.getAttribute('viewBox').split(' ').map(Number)]));
  const view = (board) => board.getAttribute('viewBox').split(' ').map(Number);
  const look = (board, x, y, wide) => {
    if (!board.clientWidth) return;
    const [left, top, w, h] = wholes.get(board);
    const near = wide < w * .92, high = wide * board.clientHeight / board.clientWidth, within = (at, from, room) => Math.max(from, Math.min(at, from + Math.max(0, room)));
    board.classList.toggle('near', near);
    board.setAttribute('viewBox', (near ? [within(x - wide / 2, left, w - wide), within(y - high / 2, top, h - high), wide, high] : [left, top, w, h]).map(Math.round).join(' '));
  };
  const zoom = (board, factor) => { const [x, y, w, h] = view(board); look(board, x + w / 2, y + h / 2, w * factor); };
  const centre = (ids, middle = (all) => (Math.min(...all) + Math.max(...all)) / 2) => {
    for (const board of boards) {
      const at = ids.map((id) => board.querySelector(`use[data-cell="${id}"]`)).filter(Boolean).map((cell) => [Number(cell.getAttribute('x')), Number(cell.getAttribute('y'))]);
      if (!at.length || !board.classList.contains('near')) continue;
      look(board, middle(at.map((p) => p[0])), middle(at.map((p) => p[1])), view(board)[2]);
    }
  };
  // A board in a page that is not shown yet has no size to fit into: it is fitted when it gets one.
  const fitting = new ResizeObserver((entries) => {
    for (const { target } of entries) if (target.clientWidth) { fitting.unobserve(target); fit(target); }
  });
  const fit = (board) => {
    const [x, y, w, h] = wholes.get(board), touched = lines.flatMap((line) => line.dataset.event === undefined ? [] : cellsOf(line));
    const wide = 3.1 * board.clientWidth;
    board.style.aspectRatio = wide < w * .92 ? `1 / ${Math.min(1, h / w * 1.3)}` : `${w} / ${h}`;
    look(board, x + w / 2, y + h / 2, wide);
    // Where most of it happened.
    centre(touched, (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]);
  };
  for (const board of boards) {
    if (board.clientWidth) fit(board); else fitting.observe(board);
    let hold = null;
    board.addEventListener('pointerdown', (event) => { hold = board.classList.contains('near') ? [event.clientX, event.clientY] : null; });
    board.addEventListener('pointermove', (event) => {
      if (!hold || !event.buttons) return;
      const [left, top, wide, high] = view(board), scale = wide / board.clientWidth;
      look(board, left + wide / 2 - (event.clientX - hold[0]) * scale, top + high / 2 - (event.clientY - hold[1]) * scale, wide);
      hold = [event.clientX, event.clientY];
    });
    board.addEventListener('wheel', (event) => { if (event.ctrlKey) { event.preventDefault(); zoom(board, event.deltaY > 0 ? 1.2 : 1 / 1.2); } }, { passive: false });
    addEventListener('beforeprint', () => { board.style.aspectRatio = wholes.get(board).slice(2).join(' / '); look(board, 0, 0, Infinity); });
    addEventListener('afterprint', () => fit(board));
  }
  // Paper shows how the turn came out.
  addEventListener('beforeprint', () => { light([]); for (const line of lines) line.classList.remove('lit'); go(Infinity); });
  const views = { nearer: 1 / 1.4, farther: 1.4, whole: Infinity };
  for (const button of map.querySelectorAll('[data-view]')) button.addEventListener('click', () => { for (const board of boards) zoom(board, views[button.dataset.view]); });

  const named = { first: -Infinity, back: -1, on: 1, last: Infinity };
  for (const button of map.querySelectorAll('[data-step]')) button.addEventListener('click', () => turn.step(named[button.dataset.step]));

  for (const line of lines) {
    line.addEventListener('mouseenter', () => light(cellsOf(line)));
    line.addEventListener('focus', () => light(cellsOf(line)));
    line.addEventListener('mouseleave', () => light([]));
    line.addEventListener('click', () => { if (line.dataset.event !== undefined) go(steps.indexOf(Number(line.dataset.event))); });
  }
  // A cell tells its story and what stands in it; a counter stands for the cell it lies in.
  const title = (thing) => thing.querySelector('title').textContent;
  const spot = (thing) => thing.matches('.c') ? thing.getAttribute('transform').match(/-?\d+/g).slice(0, 2).map(Number) : [Number(thing.getAttribute('x')), Number(thing.getAttribute('y'))];
  const far = (a, b) => { const [p, q] = [spot(a), spot(b)]; return Math.hypot(p[0] - q[0], p[1] - q[1]); };
  const tell = (board, cell) => {
    const id = cell.dataset.cell;
    const story = lines.filter((line) => cellsOf(line).includes(id));
    const layer = board.querySelector(board.classList.contains('stepping') ? 'g.before' : 'g.after');
    const here = layer ? [...layer.querySelectorAll('.c:not(.gone)')].filter((counter) => far(counter, cell) < 50) : [];
    for (const line of lines) line.classList.toggle('lit', story.includes(line));
    light([id]);
    storyOf.hidden = false;
    storyOf.textContent = [`${title(cell)}. ` +
      (story.length ? `${story.length} line${story.length === 1 ? '' : 's'} of the diary ${story.length === 1 ? 'tells' : 'tell'} of it.` : 'Nothing happened here.'),
      ...here.map(title)].join('\n');
    if (story.length) story[0].scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  };
  for (const board of boards) board.addEventListener('click', ({ target }) => {
    const counter = target.closest('.c'), all = [...board.querySelectorAll('use[data-cell]')];
    const cell = counter ? all.reduce((best, one) => far(one, counter) < far(best, counter) ? one : best) : target.closest('use[data-cell]');
    if (cell) tell(board, cell);
  });
}

// Keys step through the turn somebody points at, or the first in sight; n and p go to the next turn and the one before.
let inHand = null;
for (const turn of document.querySelectorAll('.turn')) for (const kind of ['pointerdown', 'pointermove', 'focusin']) turn.addEventListener(kind, () => { inHand = turn; });
addEventListener('keydown', (key) => {
  if (key.altKey || key.ctrlKey || key.metaKey) return;
  const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key.key], to = { n: 1, p: -1 }[key.key];
  const all = [...document.querySelectorAll('.turn')].filter((turn) => turn.step);
  const far = (turn) => { const { left, top } = turn.getBoundingClientRect(); return Math.abs(left) + Math.abs(top); };
  const seen = ({ left, right, top, bottom }) => right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  const turn = inHand?.step && seen(inHand.getBoundingClientRect()) ? inHand : all.sort((a, b) => far(a) - far(b))[0];
  if (!turn) return;
  if (by !== undefined) { key.preventDefault(); turn.step(by); }
  const beside = to === undefined ? null : to > 0 ? turn.nextElementSibling : turn.previousElementSibling;
  if (beside) { inHand = beside; beside.scrollIntoView({ block: 'start', inline: 'start', behavior: 'smooth' }); }
});
// Paper folds nothing.
addEventListener('beforeprint', () => { for (const sum of document.querySelectorAll('details')) sum.open = true; });
