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
    if (shown) shown.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    told.textContent = over ? 'after' : at < 0 ? 'before' : `${at + 1} of ${steps.length}`;
  };

  const go = (where) => { at = Math.max(-1, Math.min(steps.length, where)); show(); };
  turn.step = (by) => go(by === -Infinity ? -1 : by === Infinity ? steps.length : at + by);
  const named = { first: -Infinity, back: -1, on: 1, last: Infinity };
  for (const button of map.querySelectorAll('[data-step]')) button.addEventListener('click', () => turn.step(named[button.dataset.step]));

  for (const line of lines) {
    line.addEventListener('mouseenter', () => light(cellsOf(line)));
    line.addEventListener('focus', () => light(cellsOf(line)));
    line.addEventListener('mouseleave', () => light([]));
    line.addEventListener('click', () => { if (line.dataset.event !== undefined) go(steps.indexOf(Number(line.dataset.event))); });
  }
  for (const cell of map.querySelectorAll('use[data-cell]')) cell.addEventListener('click', () => {
    const id = cell.dataset.cell;
    const story = lines.filter((line) => cellsOf(line).includes(id));
    for (const line of lines) line.classList.toggle('lit', story.includes(line));
    light([id]);
    storyOf.hidden = false;
    storyOf.textContent = `${cell.querySelector('title').textContent}. ` +
      (story.length ? `${story.length} line${story.length === 1 ? '' : 's'} of the diary ${story.length === 1 ? 'tells' : 'tell'} of it.` : 'Nothing happened here.');
    if (story.length) story[0].scrollIntoView({ block: 'center', behavior: 'smooth' });
  });
}

// Keys step through the turn that is in sight.
addEventListener('keydown', (key) => {
  const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key.key];
  if (by === undefined || key.altKey || key.ctrlKey || key.metaKey) return;
  const inSight = [...document.querySelectorAll('.turn')].filter((turn) => turn.step)
    .sort((a, b) => Math.abs(a.getBoundingClientRect().top) - Math.abs(b.getBoundingClientRect().top))[0];
  if (inSight) { key.preventDefault(); inSight.step(by); }
});
// Paper folds nothing.
addEventListener('beforeprint', () => { for (const sum of document.querySelectorAll('details')) sum.open = true; });
