/* The page's own script: links by address, the filter, and what is drawn on canvases once it is looked at. */
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

/** A colour of the style sheet as canvases take it. */
function css(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

// Links: an address that is not on the page leads to the longest part of it that is.

function placeOf(address) {
  for (let id = address; id !== ''; id = id.slice(0, Math.max(id.lastIndexOf(':'), id.lastIndexOf('!'), 0))) {
    const found = document.getElementById(id);
    if (found) return found;
  }
  return null;
}

function follow() {
  let address;
  try {
    address = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  const place = placeOf(address);
  for (const marked of document.querySelectorAll('.target')) marked.classList.remove('target');
  if (!place) return;
  for (let at = place; at; at = at.parentElement) {
    if (at.tagName === 'DETAILS') at.open = true;
    at.hidden = false;
  }
  if (place.tagName !== 'SECTION') place.classList.add('target');
  place.scrollIntoView();
}

addEventListener('hashchange', follow);

// The filter reads addresses as --only does: a part of one, or a whole one where it has a *; a number at its end is whole.

const field = document.getElementById('filter');
const bad = document.getElementById('bad');
const rows = [...document.querySelectorAll('tr[data-a]')];
const blocks = [...document.querySelectorAll('details[data-a]')];

function matcher(filter) {
  const parts = filter.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const text = parts.join('.*');
  const pattern = new RegExp(parts.length > 1 ? `^${text}$` : /\d$/.test(filter) ? `${text}(?!\\d)` : text);
  return (address) => pattern.test(address);
}

/** A row of a kernel shows for a filter that names one of its cases too. */
function shows(addresses, filter, matches) {
  return addresses.split(' ').some((address) => matches(address) || filter.startsWith(address));
}

function select() {
  const filter = field.value.trim();
  const matches = filter === '' ? () => true : matcher(filter);
  let shown = 0;
  for (const row of rows) {
    row.hidden = !shows(row.dataset.a, filter, matches) || (bad.checked && row.dataset.good === '1');
    if (!row.hidden) shown++;
  }
  for (const block of blocks) {
    const own = block.querySelectorAll('tr[data-a]');
    const isShown = own.length > 0 ? [...own].some((row) => !row.hidden) : shows(block.dataset.a, filter, matches);
    const isGood = block.querySelector('summary .badge')?.classList.contains('good') === true;
    block.hidden = !isShown || (bad.checked && isGood && own.length === 0);
  }
  document.getElementById('shown').textContent = filter === '' && !bad.checked ? '' : `${shown} rows`;
  const query = new URLSearchParams();
  if (filter !== '') query.set('q', filter);
  if (bad.checked) query.set('bad', '1');
  const search = query.size > 0 ? `?${query}` : location.pathname;
  try {
    history.replaceState(null, '', search + location.hash);
  } catch {
    // A page in a frame without an origin may not change its address.
  }
}

const asked = new URLSearchParams(location.search);
field.value = asked.get('q') ?? '';
bad.checked = asked.get('bad') === '1';
field.addEventListener('input', select);
bad.addEventListener('change', select);
if (field.value !== '' || bad.checked) select();

// Errors over shapes.

/** The elements of a case's shape: the product of its sizes. */
function elementsOf(label) {
  let product = 1;
  for (const part of label.split(',')) {
    const [name, size] = part.split('=');
    if (/^\d+$/.test(size ?? '') && name !== 'seed' && name !== 'warp') product *= Number(size);
  }
  return product;
}

/** What a case's point is drawn as: its mode, its data, or the lanes of a warp. */
function groupOf(label) {
  const mode = /(?:^|,)mode=([^,]+)/.exec(label)?.[1];
  if (mode !== undefined || label.includes('data=')) return mode ?? 'corners';
  const warp = /(?:^|,)warp=(\d+)/.exec(label)?.[1];
  return warp === undefined ? 'plain' : `${warp} lanes`;
}

/** Where errors past the bound are drawn, whatever they are. */
const PAST = 1.12;
const COLOURS = ['#3b82f6', '#10b981', '#f59e0b', '#a855f7', '#ec4899', '#14b8a6', '#84cc16', '#f97316'];

function draw(box, points) {
  points.sort((a, b) => a.x - b.x);
  const groups = [...new Set(points.map(({ group }) => group))].sort();
  const series = groups.map((group, i) => ({
    label: group,
    stroke: COLOURS[i % COLOURS.length],
    paths: () => null,
    // Rings of falling sizes: equal errors of several groups all show.
    points: { show: true, size: 5 + 3 * (groups.length - 1 - i), width: 1.5, fill: 'transparent' },
  }));
  const columns = groups.map((group) => points.map((point) => (point.group === group ? point.y : null)));
  const axis = { stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 }, ticks: { stroke: css('--line') } };
  const told = document.createElement('div');
  told.className = 'told';
  const options = {
    width: box.clientWidth,
    height: 230,
    legend: { live: false },
    cursor: { x: false, y: false, drag: { x: true, y: false }, points: { show: false } },
    scales: { x: { time: false, distr: 3, log: 10 }, y: { range: [0, 1.2] } },
    axes: [
      { ...axis, label: 'elements', labelSize: 18, size: 34, values: (_, ticks) => ticks.map(short) },
      { ...axis, size: 44, values: (_, ticks) => ticks.map((tick) => (tick > 1.01 ? '' : String(tick))) },
    ],
    series: [{ label: 'elements' }, ...series],
    hooks: { drawAxes: [boundLine], setCursor: [(plot) => tell(plot, points, told)] },
  };
  new uPlot(options, [points.map(({ x }) => x), ...columns], box);
  box.append(told);
}

const short = (value) =>
  value === null ? '' : value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(value);

function boundLine(plot) {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(1, 'y', true);
  ctx.save();
  ctx.strokeStyle = css('--bad');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Names the case that is nearest to the pointer. */
function tell(plot, points, told) {
  const { left, top } = plot.cursor;
  let nearest;
  let least = left < 0 ? 0 : 24 ** 2;
  for (const point of points) {
    const distance = (plot.valToPos(point.x, 'x') - left) ** 2 + (plot.valToPos(point.y, 'y') - top) ** 2;
    if (distance < least) [nearest, least] = [point, distance];
  }
  told.textContent = nearest ? `${nearest.address}: ${shareText(nearest.share)}` : '';
}

/** What is beside the bound says on which side. */
function shareText(share) {
  if (share === null) return 'no number';
  const short = Number(share.toPrecision(7));
  return short === 1 && share !== 1 ? `just ${share > 1 ? 'over' : 'under'} 1` : short;
}

const pointsOf = ({ id, errors }, group) =>
  errors.map(([label, share]) => ({
    x: elementsOf(label),
    y: share === null || share > 1 ? PAST : share,
    share,
    group: group(label),
    address: `${id}:${label}`,
  }));

// Maps of errors.

const rgb = (name) =>
  css(name)
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);

let ramp;
/** The colour of each level: from none to the bound, and past it. */
function colours() {
  if (ramp) return ramp;
  const [least, most, past, worst] = ['--heat-least', '--heat-most', '--heat-past', '--heat-worst'].map(rgb);
  const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
  ramp = [...data.levels].map((_, level) =>
    level <= data.within
      ? mix(least, most, level / data.within)
      : mix(past, worst, (level - data.within - 1) / (data.levels.length - data.within - 2)),
  );
  return ramp;
}

function drawMap(map) {
  const canvas = document.createElement('canvas');
  const across = map.cells[0]?.length ?? 0;
  canvas.width = across;
  canvas.height = map.cells.length;
  canvas.style.aspectRatio = `${Math.max(across, 2)} / ${Math.max(map.cells.length, Math.max(across, 2) / 8)}`;
  const image = canvas.getContext('2d').createImageData(across, map.cells.length);
  map.cells.forEach((row, y) => {
    [...row].forEach((character, x) => {
      const level = data.levels.indexOf(character);
      if (level >= 0) image.data.set([...colours()[level], 255], 4 * (y * across + x));
    });
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}

const sizes = ([rows, columns]) =>
  rows === null ? `${columns} columns` : columns === null ? `${rows} rows` : `${rows} x ${columns}`;

function mapFigure(label, share, map) {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const tile = map.tile.some((size) => size !== null) ? `, a tile ${sizes(map.tile)}` : '';
  caption.textContent = `${map.output} of ${label}: ${shareText(share)} of bound at worst. ${sizes([map.rows, map.columns])} elements, a cell ${sizes(map.cell)}${tile}.`;
  figure.append(drawMap(map), caption);
  return figure;
}

function scale() {
  const box = document.createElement('div');
  box.className = 'scale';
  box.append('0', drawMap({ cells: [data.levels.slice(0, data.within + 1)] }), '1, the bound');
  box.append(drawMap({ cells: [data.levels.slice(data.within + 1)] }), 'past it; striped: not judged');
  return box;
}

function drawMaps(box, { errors }) {
  box.append(scale());
  for (const [label, share, maps] of errors) for (const map of maps ?? []) box.append(mapFigure(label, share, map));
}

// What is drawn, is drawn when it comes into view; anew where the colours or the width are others.

const gates = new Map(data.gates.map((gate) => [gate.id, gate]));
const drawn = new Map();

function paint(box) {
  box.replaceChildren();
  if (box.id === 'overview')
    draw(
      box,
      data.gates.flatMap((gate) => pointsOf(gate, () => gate.dialect)),
    );
  else if (box.dataset.plot) draw(box, pointsOf(gates.get(box.dataset.plot), groupOf));
  else drawMaps(box, gates.get(box.dataset.maps));
}

function show(box) {
  if (drawn.get(box) === box.clientWidth) return;
  drawn.set(box, box.clientWidth);
  paint(box);
}

const boxes = document.querySelectorAll('.plot, .maps');
const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) show(target);
});
for (const box of boxes) watcher.observe(box);
// On paper all is in view.
addEventListener('beforeprint', () => {
  for (const box of boxes) if (box.checkVisibility()) show(box);
});

function repaint() {
  ramp = undefined;
  for (const box of drawn.keys()) {
    watcher.unobserve(box);
    drawn.delete(box);
    watcher.observe(box);
  }
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
let resized;
addEventListener('resize', () => {
  clearTimeout(resized);
  resized = setTimeout(repaint, 150);
});

follow();
