'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const COLOURS = ['#3b7dd8', '#c4622d', '#3a9b62', '#9362c0', '#c9473c', '#1f97a3', '#a8861b', '#d0579c', '#6d7a90', '#76a02b'];
const WEIGHTS = { callsPerSecond: 'calls/s', applicationBytesPerSecond: 'application B/s', wireBytesPerSecond: 'wire B/s', hopBytesPerSecond: 'hop B/s', latency: 'calls x p90, us/s' };
const ACTIONS = { apply: 'Apply', keep: 'Keep what runs', undecided: 'Undecided', none: 'No plan' };
const LABELLED = 24;
const byId = id => document.getElementById(id);
let data, chosen = null;

function element(name, attributes, text, parent) {
  const made = parent instanceof SVGElement || name === 'svg' ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const key in attributes) if (attributes[key] !== null) made.setAttribute(key, attributes[key]);
  if (text !== undefined && text !== null) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
const number = value => { const a = Math.abs(value); return a >= 1e9 ? (value / 1e9).toPrecision(3) + ' G' : a >= 1e6 ? (value / 1e6).toPrecision(3) + ' M'
  : a >= 1e4 ? (value / 1e3).toPrecision(3) + ' k' : a >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString(); };
const millis = micros => number(micros / 1000);
const percent = share => (100 * share).toFixed(1) + '\u00a0%';
const count = (n, what) => n + ' ' + what + (n === 1 ? '' : 's');
const weightOf = (edge, name) => name === 'latency' ? (edge.callsPerSecond != null && edge.p90LatencyMicros != null ? edge.callsPerSecond * edge.p90LatencyMicros : null) : (edge[name] == null ? null : edge[name]);
const planOf = side => { const it = data.recommendation; return side === 'after' ? (it && it.after ? it.after.plan : {}) : (it && it.before ? it.before.plan : data.model.current || {}); };
const total = on => Object.values(on || {}).reduce((sum, n) => sum + n, 0);
const where = on => { const hosts = Object.keys(on || {}); return hosts.length ? hosts.map(host => host + (on[host] > 1 ? ' x' + on[host] : '')).join(', ') : 'not known'; };
const same = (a, b) => JSON.stringify(Object.entries(a || {}).sort()) === JSON.stringify(Object.entries(b || {}).sort());
/* Between two names that are written from right to left, an arrow would point the wrong way. */
const apart = name => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? '\u2068' + name + '\u2069' : name;
const hasBefore = () => Object.keys(planOf('before')).length > 0;
const moved = name => hasBefore() && !same(planOf('before')[name], planOf('after')[name]);
const colour = host => { const i = data.model.hosts.findIndex(one => one.name === host); return i < 0 ? '#8a93a3' : COLOURS[i % COLOURS.length]; };

/* The part of an edge that stays on a host, by the routing of the model. */
function localShare(edge, side) {
  const from = planOf(side)[edge.from], to = planOf(side)[edge.to], callers = total(from), called = total(to);
  if (!callers || !called) return null;
  return Object.keys(from).reduce((sum, host) => { const x = from[host] / callers, y = (to[host] || 0) / called; return sum + (data.model.objective.routing === 'local' ? Math.min(x, y) : x * y); }, 0);
}

/* Now: the path that was seen. Recommended: the path that the plan leads to. */
function pathOf(edge, side) {
  const local = localShare(edge, side);
  if (side === 'before') {
    const seen = data.paths.find(path => path.from === edge.from && path.to === edge.to);
    if (seen) return seen.path;
  } else {
    const seen = data.paths.find(path => path.from === edge.from && path.to === edge.to);
    if (seen && local !== null && local === localShare(edge, 'before')) return seen.path;
  }
  if (local === null) return '';
  const costs = data.model.pathCosts, near = costs.sameHost.path, far = costs.otherHost.path;
  return local > .999 ? near : local < .001 ? far : Math.round(100 * local) + ' % ' + near + ', rest ' + far;
}

function fill(list, lines, most) {
  lines.slice(0, most || 50).forEach(line => element('li', {}, line, list));
  if (lines.length > (most || 50)) element('li', {}, `and ${lines.length - (most || 50)} more`, list);
}

function summary() {
  const it = data.recommendation, verdict = byId('verdict'), figures = byId('figures');
  const figure = (name, value, more) => { const box = element('div', {}, null, figures); element('dt', {}, name, box); const dd = element('dd', {}, value, box); if (more) element('small', {}, more, dd); };
  if (!it) {
    element('span', { class: 'badge keep' }, 'Off', verdict);
    element('span', {}, 'This is what was observed; nothing is recommended.', verdict);
  } else {
    element('span', { class: 'badge ' + it.action }, ACTIONS[it.action] || it.action, verdict);
    element('span', {}, it.reason.charAt(0).toUpperCase() + it.reason.slice(1) + '.', verdict);
    const given = it.givenUp || [];
    byId('given-up').hidden = !given.length;
    fill(byId('given-up').querySelector('ul'), given);
    const unmeasured = it.after.unmeasuredEdges >= data.model.edges.length;
    figure(`Traffic between hosts, of ${it.after.edgeWeight}`, unmeasured ? 'not known' : it.before ? `${percent(it.before.crossHostShare)} → ${percent(it.after.crossHostShare)}` : percent(it.after.crossHostShare), unmeasured ? 'nothing was measured' : 'routing ' + it.after.routing);
    const gain = it.gain;
    if (gain) {
      figure('Waiting saved', `${number(gain.latencyMicrosPerSecond / 1000)} ms/s`, `± ${number(gain.latencyErrorMicrosPerSecond / 1000)} ms/s, over ${number(gain.callsPerSecond)} calls/s`);
      const saved = it.savings, money = saved && saved.currency;
      figure('Cores saved', number(gain.cpuMicrosPerSecond / 1e6), '± ' + number(gain.cpuErrorMicrosPerSecond / 1e6) + (money ? `; ${number(saved.coresPerMonth)} ${saved.currency} a month if given back` : ''));
      if (saved && saved.mergedMib) figure('Shared JVMs save', `${number(saved.mergedMib)} MiB`, `about; and ${number(saved.mergedCores)} cores, if they are made`);
      if (saved && saved.freedHosts) figure(saved.freedHosts > 0 ? 'Hosts freed' : 'Hosts more in use', String(Math.abs(saved.freedHosts)), money ? `${number(Math.abs(saved.hostsPerMonth))} ${saved.currency} a month` : '');
      const timed = (it.routes || []).filter(route => route.expectedP99Micros != null).sort((a, b) => Math.abs(b.afterMicros - b.beforeMicros) - Math.abs(a.afterMicros - a.beforeMicros))[0];
      if (timed) figure('p99 of ' + timed.name, `${millis(timed.p99Micros)} → ${millis(timed.expectedP99Micros)} ms`, 'the request that changes most');
    }
    figure('Moves needed', String(it.moves.length), it.moves.length ? `${it.worthwhileMoves} worth making` : '');
    if ((data.model.preferences || []).length) { const met = side => percent(1 - side.objective.preferences); figure('Preferences met', it.before ? `${met(it.before)} → ${met(it.after)}` : met(it.after), count(data.model.preferences.length, 'preference') + ', by weight'); }
    figure('Redundancy', given.length ? 'given up: ' + count(given.length, 'service') : 'kept', 'hosts and zones of each service');
    figure('Hosts used', `${it.before ? it.before.objective.usedHosts + ' → ' : ''}${it.after.objective.usedHosts} of ${data.model.hosts.length}`, unmeasured || it.search.relativeGap > .995 ? 'how far from the best is not known' : it.search.relativeGap === 0 ? 'proven: no plan is better' : it.search.relativeGap != null ? 'optimal within ' + (it.search.relativeGap < .01 ? number(100 * it.search.relativeGap) + '\u00a0%' : percent(it.search.relativeGap)) + (it.search.lowerBoundFrom ? ', by ' + it.search.lowerBoundFrom : '') : `searched ${it.search.timeMillis} ms, seed ${it.search.seed}`);
  }
  const missing = [...new Set((it ? it.notSeen : []).concat(data.notSeen))], assumed = it ? it.assumed || [] : [], box = byId('doubts');
  box.hidden = !missing.length && !assumed.length;
  if (assumed.length) { element('h2', {}, 'Assumed', box); fill(element('ul', {}, null, box), assumed); }
  if (missing.length) {
    const more = element('details', missing.length <= 6 ? { open: '' } : {}, null, box);
    element('summary', {}, `Not known (${missing.length})`, more);
    fill(element('ul', {}, null, more), missing, 100);
  }
}

function row(table, cells, attributes, head) {
  /* A phone shows rows as blocks, which would take their roles from them. */
  const line = element('tr', { role: 'row', ...(head ? { class: 'head' } : {}), ...(attributes || {}) }, null, table);
  table.setAttribute('role', 'table');
  if (head) table.labels = cells.map(cell => cell !== null && typeof cell === 'object' ? cell.text : cell);
  cells.forEach((cell, i) => { const it = cell !== null && typeof cell === 'object' ? cell : { text: cell }; const made = element(head ? 'th' : 'td', { role: head ? 'columnheader' : 'cell', 'data-label': head ? null : (table.labels || [])[i] || null, class: it.number ? 'number' : !head && String(it.text || '').length > 34 ? 'wide' : null, scope: head ? 'col' : null }, it.node ? null : it.text, line); if (it.node) made.append(...it.node); });
}
const right = text => ({ text, number: true });

function moves() {
  const it = data.recommendation;
  if (!it || !it.moves.length) return;
  byId('moves').hidden = false;
  const worth = it.worthwhileMoves, all = it.moves.reduce((sum, move) => sum + move.latencyMicrosPerSecond, 0);
  byId('worth').textContent = worth === 0 ? 'No first moves save more than they cost.' : worth < it.moves.length ? `The first ${count(worth, 'move')} are worth making; the others cost more than they save.` : 'All of them are worth making.';
  if (worth === 1 && it.moves.length > 1) byId('worth').textContent = 'The first move is worth making; the others cost more than they save.';
  /* Many moves would push the graph out of sight. */
  const [first, others] = byId('moves').querySelectorAll('table'), shown = it.moves.length > 15 ? 10 : it.moves.length, later = byId('moves').querySelector('details');
  later.hidden = shown === it.moves.length;
  later.querySelector('summary').textContent = `Show the other ${count(it.moves.length - shown, 'move')}`;
  for (const table of [first, others]) row(table, [right('#'), 'Service', 'From', 'To', right('Saves, ms/s'), right('Of the gain'), 'Note'], {}, true);
  let sum = 0;
  it.moves.forEach((move, i) => {
    sum += move.latencyMicrosPerSecond;
    row(i < shown ? first : others, [right(i + 1), move.service, move.from || '(new)', move.to || '(gone)', right(number(move.latencyMicrosPerSecond / 1000)), right(all > 0 ? percent(sum / all) : ''),
      [move.temporary ? 'for the time being' : '', move.fits ? '' : 'does not fit until later moves are made'].filter(Boolean).join('; ')],
    { class: i + 1 === worth && worth < it.moves.length ? 'cut' : i >= worth ? 'later' : null });
  });
  const some = byId('some');
  if (worth > 0 && worth < it.moves.length) element('option', { value: worth }, `the ${count(worth, 'move')} worth making`, some);
  element('option', { value: it.moves.length }, it.moves.length === 1 ? 'the only move' : `all ${it.moves.length} moves`, some);
  byId('override').textContent = override();
  if (it.action !== 'apply') byId('copy').textContent = 'Copy compose override, though it is not recommended';
}

/* What runs after the first moves. */
function planAfter(made) {
  if (!hasBefore()) return planOf('after');
  const plan = JSON.parse(JSON.stringify(planOf('before')));
  for (const move of data.recommendation.moves.slice(0, made)) {
    const on = plan[move.service] || (plan[move.service] = {});
    if (move.to) on[move.to] = (on[move.to] || 0) + 1;
    if (move.from && on[move.from] > 1) on[move.from]--; else delete on[move.from];
  }
  return plan;
}

/* The names are written as JSON texts, which are YAML, too. A service of several hosts is kept off the others, and gets a maximum per host. */
function override() {
  /* The model may have left out a host that is to be drained. */
  const known = [...new Set([...data.model.hosts.map(host => host.name), ...Object.values(planOf('before')).flatMap(on => Object.keys(on))])];
  const all = data.recommendation.moves.length, made = Number(byId('some').value || all), plan = planAfter(made), uneven = [], services = [], quoted = text => JSON.stringify(text);
  for (const service of data.model.services) {
    const on = plan[service.name] || {}, hosts = Object.keys(on), most = Math.max(...Object.values(on));
    const constraints = hosts.length === 1 ? ['node.hostname == ' + hosts[0]] : hosts.length ? known.filter(host => !on[host]).map(host => 'node.hostname != ' + host) : [];
    const limited = hosts.length > 1 && (service.maxPerHost == null || most < service.maxPerHost);
    if (hosts.some(host => on[host] !== most)) uneven.push(service.name + ' (' + where(on) + ')');
    if (!constraints.length && !limited) continue;
    services.push(`  ${quoted(service.name)}:`, '    deploy:', '      placement:');
    if (constraints.length) services.push('        constraints:', ...constraints.map(one => `        - ${quoted(one)}`));
    if (limited) services.push(`        max_replicas_per_node: ${most}`);
  }
  return ['# docker stack deploy -c FILE -c THIS', ...(made < all ? [`# The first ${made} of ${all} moves`] : []), ...(data.recommendation.action === 'apply' ? [] : ['# Not recommended: ' + data.recommendation.reason.replace(/\s+/g, ' ')]), ...uneven.map(one => '# Swarm decides which of its hosts run more: ' + one.replace(/[\r\n]/g, ' ')), services.length ? 'services:' : 'services: {}', ...services].join('\n') + '\n';
}

async function copy() {
  try {
    await navigator.clipboard.writeText(override());
    byId('copied').textContent = 'Copied.';
  } catch (error) {
    // Without TLS a page has no clipboard.
    const details = byId('override').parentElement;
    details.open = true;
    getSelection().selectAllChildren(byId('override'));
    byId('copied').textContent = document.execCommand && document.execCommand('copy') ? 'Copied.' : 'Selected below; copy it from there.';
  }
}

/* From roomy to narrow: the widest service, and the gap between two columns. The last one goes down instead of right, which suits long chains. */
const SHAPES = [[260, 84, 'LR'], [220, 64, 'LR'], [180, 64, 'LR'], [140, 64, 'LR'], [140, 32, 'LR'], [180, 44, 'TB']];
/* Below this scale names cannot be read. */
const SMALLEST = .72;
/* A phone shows a graph that does not fit as an overview first, which grows where it is touched. */
const PHONE = 640;
/* The scale that the reader has chosen, null to fit. */
let zoom = null;
function scaleOf(size, box) {
  const fit = Math.max(280, box.clientWidth) / size.width;
  return zoom !== null ? zoom : Math.min(1.15, innerWidth > PHONE ? Math.max(SMALLEST, fit) : fit);
}

/* Draws at another scale, with a point of the layout in the middle; without one, what is in the middle stays there. */
function zoomed(to, x, y) {
  const boxes = [...document.querySelectorAll('.drawing')];
  if (!boxes.length) return;
  const svgOf = box => box.querySelector('svg'), sizeOf = box => svgOf(box).viewBox.baseVal, was = svgOf(boxes[0]).clientWidth / sizeOf(boxes[0]).width;
  if (x === undefined) { x = (boxes[0].scrollLeft + boxes[0].clientWidth / 2) / was; y = (boxes[0].scrollTop + boxes[0].clientHeight / 2) / was; }
  zoom = to === null ? null : Math.min(2, Math.max(.1, to));
  boxes.forEach(box => { const scale = scaleOf(sizeOf(box), box); svgOf(box).setAttribute('width', Math.floor(sizeOf(box).width * scale)); svgOf(box).setAttribute('height', Math.floor(sizeOf(box).height * scale)); });
  boxes.forEach(box => { const scale = svgOf(box).clientWidth / sizeOf(box).width; box.scrollTo(x * scale - box.clientWidth / 2, y * scale - box.clientHeight / 2); });
}
const scaleNow = () => { const svg = document.querySelector('.drawing svg'); return svg ? svg.clientWidth / svg.viewBox.baseVal.width : 1; };
/* Widths are whole numbers, so a scale is met nearly. */
const unreadable = () => scaleNow() < SMALLEST - .01;
const layouts = [];
/* Above these numbers, of all and by service, lines that cross everywhere show nothing. Then fewer are drawn, until the drawing fits. */
const READABLE = 150, EACH = [2.5, 1.5, 1];
let shown = [], laidOut = '', graphNow = null;

/* Lays out the edges that are drawn: of a dense graph the heaviest one of each service, and the heaviest of the others. */
function arranged(room, half) {
  const edges = data.model.edges, services = data.model.services.length, most = Math.max(READABLE, Math.ceil(EACH[0] * services)), name = byId('weight').value;
  byId('density').hidden = edges.length <= most;
  const use = (some, key) => { shown = some; if (key !== laidOut) layouts.length = 0; laidOut = key; return fitting(room, half); };
  if (edges.length <= most || byId('drawn').value === 'all') return use(edges, 'all');
  const sorted = edges.slice().sort((a, b) => (weightOf(b, name) || 0) - (weightOf(a, name) || 0)), linked = new Set();
  const first = new Set(sorted.filter(edge => { const links = !linked.has(edge.from) || !linked.has(edge.to); linked.add(edge.from).add(edge.to); return links; }));
  const all = [...first, ...sorted.filter(edge => !first.has(edge))];
  let fitted;
  for (const each of EACH) {
    const number = each === EACH[0] ? most : Math.ceil(each * services);
    fitted = use(all.slice(0, number), name + number);
    if (fitted[0].graph().width * SMALLEST <= room) break;
  }
  return fitted;
}

function leftOut() {
  const all = data.model.edges, name = byId('weight').value, sum = edges => edges.reduce((total, edge) => total + (weightOf(edge, name) || 0), 0), whole = sum(all);
  byId('left-out').hidden = shown.length === all.length;
  byId('left-out').textContent = `${shown.length} of ${all.length} edges are drawn, the heaviest${whole > 0 ? ': ' + percent(sum(shown) / whole) + ' of all ' + WEIGHTS[name] : ''}. Choose a service to read all of its edges.`;
}

/* The layout keeps nodes as members of an object, of which every object has some: __proto__, constructor. */
const nodeOf = name => '.' + name;

/* One layout for both sides, so that nothing moves but what is meant to. */
function layout(shape) {
  if (layouts[shape]) return layouts[shape];
  const [widest, gap, rankdir] = SHAPES[shape], many = data.model.services.length > 40;
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir, nodesep: many ? 12 : 22, ranksep: Math.min(gap, many ? 60 : 84), edgesep: 8, marginx: 16, marginy: 16, ranker: data.model.services.length > 300 ? 'longest-path' : 'network-simplex' });
  graph.setDefaultEdgeLabel(() => ({}));
  const second = name => { const a = where(planOf('before')[name]), b = where(planOf('after')[name]); return Math.max(a.length, b.length, data.recommendation && a !== b ? Math.min(34, a.length + b.length + 3) : 0); };
  data.model.services.forEach(service => { const width = Math.min(widest, Math.max(90, 7.4 * service.name.length + 28, 6.2 * Math.min(38, second(service.name)) + 28)); graph.setNode(nodeOf(service.name), { width, height: 27 + 15 * named(service.name, width).length }); });
  shown.forEach(edge => { if (edge.from !== edge.to) graph.setEdge(nodeOf(edge.from), nodeOf(edge.to)); });
  dagre.layout(graph);
  enclose(graph);
  return layouts[shape] = graph;
}

/* The layout's size is that of its nodes: lines, and labels in their middle, may lie outside. */
function enclose(graph) {
  const size = graph.graph(), lines = graph.edges().map(edge => graph.edge(edge).points), margin = 16, halfLabel = 40;
  let left = 0, top = 0, right = size.width, bottom = size.height;
  for (const line of lines) line.forEach((at, i) => {
    const beside = i === Math.floor(line.length / 2) ? halfLabel : margin;
    [left, right] = [Math.min(left, at.x - beside), Math.max(right, at.x + beside)];
    [top, bottom] = [Math.min(top, at.y - margin), Math.max(bottom, at.y + margin)];
  });
  for (const one of new Set([...lines.flat(), ...graph.nodes().map(name => graph.node(name))])) { one.x -= left; one.y -= top; }
  Object.assign(size, { width: right - left, height: bottom - top });
}

/* The roomiest layout that fits beside its like, else below it; the narrowest where none fits. A large graph takes long to lay out: it is drawn once. */
function fitting(room, half) {
  const shapes = data.model.services.length > 300 ? [4] : SHAPES.map((_, shape) => shape), width = shape => layout(shape).graph().width * SMALLEST;
  for (const space of half ? [half, room] : [room]) for (const shape of shapes) if (width(shape) <= space) return [layout(shape), space === half];
  return [layout(shapes.reduce((best, shape) => width(shape) < width(best) ? shape : best)), false];
}
/* A name in one line or two, broken after a separator unless its end, which often tells it from others, fits only otherwise. */
function named(name, width) {
  const most = Math.floor((width - 22) / 7.6), after = Math.max(...['-', '.', '_', '/'].map(one => name.lastIndexOf(one, most - 1))) + 1, cut = after && (name.length - after <= most || name.length > 2 * most) ? after : most;
  return name.length <= most ? [name] : [name.slice(0, whole(name, cut)), short(name.slice(whole(name, cut)), most)];
}
const short = (text, width) => { const most = Math.floor(width); return text.length > most ? text.slice(0, whole(text, most - 1)) + '…' : text; };
/* Where to cut without parting the two halves of a character. */
const whole = (text, at) => /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;

function draw(graph, side, panel) {
  const name = byId('weight').value, size = graph.graph(), id = side + '-';
  element('h3', { id: id + 'title' }, side === 'before' ? 'Now' : 'Recommended', panel);
  const box = element('div', { class: 'drawing', tabindex: 0, role: 'region', 'aria-labelledby': id + 'title' }, null, panel);
  const scale = scaleOf(size, box);
  const svg = element('svg', { width: Math.floor(size.width * scale), height: Math.floor(size.height * scale), viewBox: `0 0 ${size.width} ${size.height}`, role: 'group', 'aria-label': `${side === 'before' ? 'Now' : 'Recommended'}: ${count(data.model.services.length, 'service')}, ${shown.length < data.model.edges.length ? shown.length + ' of ' : ''}${count(data.model.edges.length, 'edge')}; the same is in the tables below` }, null, box);
  const defs = element('defs', {}, null, svg);
  for (const kind of ['near', 'far', 'changed']) {
    const marker = element('marker', { id: id + kind, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse' }, null, defs);
    element('path', { d: 'M0 0L10 5L0 10z', class: kind + '-arrow' }, null, marker);
  }
  /* Where columns are close to each other, services would hide the path; it is in the list of a service, and in the table. */
  const roomy = size.rankdir === 'TB' || size.ranksep > 50;
  const lines = element('g', {}, null, svg), labels = element('g', {}, null, svg), nodes = element('g', {}, null, svg);
  const most = Math.max(...data.model.edges.map(edge => weightOf(edge, name) || 0), 1e-300);
  const heavy = new Set(data.model.edges.slice().sort((a, b) => (weightOf(b, name) || 0) - (weightOf(a, name) || 0)).slice(0, LABELLED));
  shown.slice().sort((a, b) => (weightOf(a, name) || 0) - (weightOf(b, name) || 0)).forEach(edge => {
    const known = graph.edge(nodeOf(edge.from), nodeOf(edge.to));
    if (!known) return;
    const value = weightOf(edge, name), local = localShare(edge, side), path = pathOf(edge, side);
    const changes = side === 'after' && hasBefore() && Math.abs((local || 0) - (localShare(edge, 'before') || 0)) > .001;
    const kind = changes ? 'changed' : local !== null && local < .999 ? 'far' : 'near';
    const points = known.points.map(p => [p.x, p.y]);
    let d = `M${points[0].map(v => v.toFixed(1)).join(' ')}`;
    for (let i = 1; i < points.length - 1; i++) { const mid = i === points.length - 2 ? points[i + 1] : [(points[i][0] + points[i + 1][0]) / 2, (points[i][1] + points[i + 1][1]) / 2]; d += `Q${points[i].map(v => v.toFixed(1)).join(' ')} ${mid.map(v => v.toFixed(1)).join(' ')}`; }
    if (points.length === 2) d += 'L' + points[1].map(v => v.toFixed(1)).join(' ');
    const line = element('path', { d, class: 'edge ' + kind, 'data-from': edge.from, 'data-to': edge.to, 'stroke-width': (1 + 6 * Math.sqrt(value === null ? 0 : value / most)).toFixed(2), 'stroke-opacity': .75, 'marker-end': `url(#${id}${kind})`, 'stroke-dasharray': value === null ? '2 4' : null }, null, lines);
    element('title', {}, `${apart(edge.from)} → ${apart(edge.to)}: ${value === null ? 'not measured' : number(value) + ' ' + WEIGHTS[name]}${path ? ', ' + (side === 'after' ? 'expected ' : '') + path : ''}`, line);
    if ((heavy.has(edge) || value === null) && (value !== null || shown.length <= LABELLED)) {
      const mid = points[Math.floor(points.length / 2)];
      const label = element('text', { x: mid[0], y: mid[1] - 4, 'font-size': 11, 'text-anchor': 'middle', class: 'label', 'data-from': edge.from, 'data-to': edge.to }, `${value === null ? '?' : number(value) + '/s'}${path && roomy ? ' ' + path.split(',')[0] : ''}`, labels);
      label.setAttribute('aria-hidden', 'true');
    }
  });
  box.addEventListener('click', event => { if (unreadable()) { const at = svg.getBoundingClientRect(), now = scaleNow(); zoomed(SMALLEST, (event.clientX - at.left) / now, (event.clientY - at.top) / now); } });
  /* A drawing that is larger than its box begins where most traffic is. */
  const busiest = [...heavy][0];
  if (busiest && graph.node(nodeOf(busiest.from))) { const at = graph.node(nodeOf(busiest.from)); box.scrollTo(Math.max(0, at.x * scale - 200), Math.max(0, at.y * scale - box.clientHeight / 2)); }
  const plan = planOf(side), order = data.model.services.map(one => one.name).sort((a, b) => graph.node(nodeOf(a)).x - graph.node(nodeOf(b)).x || graph.node(nodeOf(a)).y - graph.node(nodeOf(b)).y);
  order.forEach((service, i) => {
    const at = graph.node(nodeOf(service)), on = plan[service] || {}, changed = side === 'after' && moved(service), x = at.x - at.width / 2, y = at.y - at.height / 2;
    const text = changed ? where(planOf('before')[service]) + ' → ' + where(on) : where(on);
    const node = element('g', { class: 'node' + (changed ? ' changed' : ''), tabindex: i === 0 ? 0 : -1, role: 'button', 'data-name': service, 'aria-label': `${service}, ${changed ? 'moves, ' : 'on '}${text}` }, null, nodes);
    element('rect', { class: 'box', x, y, width: at.width, height: at.height, rx: 6 }, null, node);
    const hosts = Object.keys(on), part = at.height / Math.max(1, hosts.length);
    (hosts.length ? hosts : ['']).forEach((host, k) => element('rect', { x: x + 3, y: y + 3 + k * (at.height - 6) / Math.max(1, hosts.length), width: 6, height: Math.max(2, part - 6 / Math.max(1, hosts.length)), rx: 2, fill: colour(host) }, null, node));
    const lines = named(service, at.width);
    lines.forEach((line, k) => element('text', { x: x + 16, y: y + 17 + 15 * k, 'font-size': 13, 'font-weight': 600 }, line, node));
    element('text', { x: x + 16, y: y + 18 + 15 * lines.length, 'font-size': 11.5, class: 'soft' }, short(text, (at.width - 22) / 6), node);
    element('title', {}, `${service}: ${text}`, node);
    node.addEventListener('click', () => select(service === chosen ? null : service));
    node.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        const all = [...nodes.children], next = all[(i + step + all.length) % all.length];
        node.setAttribute('tabindex', -1); next.setAttribute('tabindex', 0); next.focus();
      } else if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); select(service); } else if (event.key === 'Escape') select(null);
    });
  });
  /* Widths of boxes are those of most letters; wider ones are drawn closer together. */
  const tight = [...nodes.children].flatMap(node => [...node.querySelectorAll('text')].map(text => [text, node.querySelector('.box').width.baseVal.value - 20])).filter(([text, room]) => text.getComputedTextLength() > room);
  for (const [text, room] of tight) { text.setAttribute('textLength', room); text.setAttribute('lengthAdjust', 'spacingAndGlyphs'); }
}

function select(name) {
  chosen = name;
  const near = new Set([name]);
  data.model.edges.forEach(edge => { if (edge.from === name) near.add(edge.to); if (edge.to === name) near.add(edge.from); });
  document.querySelectorAll('#panels .node').forEach(node => { node.classList.toggle('faded', name !== null && !near.has(node.dataset.name)); node.classList.toggle('selected', node.dataset.name === name); });
  document.querySelectorAll('#panels .edge, #panels .label').forEach(edge => edge.classList.toggle('faded', name !== null && edge.dataset.from !== name && edge.dataset.to !== name));
  const box = byId('selected');
  box.textContent = '';
  if (name === null) return;
  const weight = byId('weight').value, service = data.model.services.find(one => one.name === name), place = graphNow && graphNow.node(nodeOf(name));
  if (place && unreadable()) zoomed(SMALLEST, place.x, place.y);
  element('h3', {}, `${name}: ${hasBefore() ? 'now on ' + where(planOf('before')[name]) : ''}${moved(name) ? '; recommended on ' + where(planOf('after')[name]) : ''}`, box);
  element('p', { class: 'soft' }, Object.entries(service.demand || {}).map(([key, amount]) => `${amount} ${key}${service.demandFrom && service.demandFrom[key] ? ' (' + service.demandFrom[key] + ')' : ''}`).join('; '), box);
  const list = element('ul', {}, null, box);
  data.model.edges.filter(edge => edge.from === name || edge.to === name).sort((a, b) => (weightOf(b, weight) || 0) - (weightOf(a, weight) || 0))
    .forEach(edge => { const value = weightOf(edge, weight), now = pathOf(edge, 'before'), then = pathOf(edge, 'after'); element('li', {}, `${apart(edge.from)} → ${apart(edge.to)}: ${value === null ? 'not measured' : number(value) + ' ' + WEIGHTS[weight]}${now ? ', now ' + now : ''}${data.recommendation && then ? ', expected ' + then : ''}`, list); });
}

function graphs() {
  const panels = byId('panels'), show = byId('sides').value;
  panels.textContent = '';
  const sides = (show === 'both' ? ['before', 'after'] : [show]).filter(side => side === 'after' ? data.recommendation : hasBefore() || !data.recommendation);
  /* The border of a box and its scroll bar take room. */
  const beside = sides.length > 1 && innerWidth > 960, [graph, halves] = arranged(panels.clientWidth - 20, beside ? panels.clientWidth / 2 - 28 : 0);
  graphNow = graph;
  leftOut();
  panels.classList.toggle('stacked', !halves);
  const made = sides.map(side => [side, element('div', { class: 'panel' }, null, panels)]);
  made.forEach(([side, panel]) => draw(graph, side, panel));
  const boxes = [...panels.querySelectorAll('.drawing')];
  boxes.forEach(box => box.addEventListener('scroll', () => boxes.forEach(other => { if (other !== box && (other.scrollLeft !== box.scrollLeft || other.scrollTop !== box.scrollTop)) other.scrollTo(box.scrollLeft, box.scrollTop); })));
  if (chosen) select(chosen);
}

function used(host, side, resource) {
  const plan = planOf(side);
  return data.model.services.reduce((sum, one) => sum + ((plan[one.name] || {})[host] || 0) * ((one.demand || {})[resource] || 0), 0);
}

function tables() {
  const hosts = byId('hosts'), it = data.recommendation, zones = data.model.hosts.some(host => host.zone);
  const bar = (host, side, resource, divisor) => {
    const has = ((host.capacity || {})[resource] || 0) - ((host.reserve || {})[resource] || 0), part = has > 0 ? used(host.name, side, resource) / has : 0;
    const outer = element('span', { class: 'bar', 'aria-hidden': 'true' });
    /* A Content-Security-Policy may forbid attributes of style. */
    element('i', { class: part > 1 ? 'full' : null }, null, outer).style.width = `${Math.min(100, 100 * part).toFixed(0)}%`;
    return { node: [outer, `${(used(host.name, side, resource) / divisor).toFixed(1)} of ${(has / divisor).toFixed(1)}`], number: true };
  };
  const sides = [...(hasBefore() ? ['before'] : []), ...(it ? ['after'] : [])], named = { before: 'now', after: 'recommended' };
  row(hosts, ['Host', ...(zones ? ['Zone'] : []), ...sides.map(side => right('CPU ' + named[side])), ...sides.map(side => right('GiB ' + named[side]))], {}, true);
  data.model.hosts.forEach(host => row(hosts, [host.name, ...(zones ? [host.zone || ''] : []), ...sides.map(side => bar(host, side, 'cpuMillis', 1000)), ...sides.map(side => bar(host, side, 'memoryMiB', 1024))]));
  const needs = byId('needs');
  row(needs, ['Service', right('Replicas'), 'Resource', right('Each needs'), 'From'], {}, true);
  data.model.services.forEach(one => { const demand = Object.entries(one.demand || {}); if (!demand.length) row(needs, [one.name, right(one.replicas || 1), 'not known', right(''), '']);
    demand.forEach(([key, amount]) => row(needs, [one.name, right(one.replicas || 1), key, right(amount), (one.demandFrom || {})[key] || 'stated by the model'])); });
  const merges = it ? it.merges.filter(merge => merge.known) : [];
  if (merges.length) {
    byId('jvms').hidden = false;
    const inner = byId('jvms').querySelector('div'), listed = (title, some) => { if (!some.length) return; element('h3', {}, title, inner); const scroll = element('div', { class: 'scroll' }, null, inner), table = element('table', {}, null, scroll);
      row(table, ['Services', right('Traffic between them'), right('Would save, MiB'), right('Cores'), 'Because'], {}, true); some.slice(0, 30).forEach(merge => row(table, [merge.services.join(', '), right(percent(merge.trafficShare)), right(number(merge.savedMib)), right(number(merge.savedCores)), merge.obstacles.join('; ')])); };
    listed('Could share a JVM', merges.filter(merge => merge.allowed));
    listed('May not share a JVM', merges.filter(merge => !merge.allowed));
  }
}

const LIMITS = { unknown: '', kept: 'kept', broken: 'broken by this plan', restored: 'kept again', missed: 'not kept' };
function routes() {
  const all = (data.recommendation && data.recommendation.routes) || [], table = byId('routes').querySelector('table');
  if (!all.length) return;
  byId('routes').hidden = false;
  row(table, ['Request', right('1/s'), right('Waits now, ms'), right('Recommended, ms'), right('p99, ms'), right('Limit, ms'), 'Limit is'], {}, true);
  const change = route => Math.abs(route.afterMicros - route.beforeMicros) * (route.callsPerSecond == null ? 1 : route.callsPerSecond);
  all.slice().sort((a, b) => change(b) - change(a)).slice(0, 30).forEach(route => row(table, [route.name, right(route.callsPerSecond == null ? '' : number(route.callsPerSecond)), right(millis(route.beforeMicros)), right(millis(route.afterMicros)),
    right(route.p99Micros == null ? '' : millis(route.p99Micros) + ' → ' + millis(route.expectedP99Micros)), right(route.sloMicros == null ? '' : millis(route.sloMicros)), LIMITS[route.slo] || '']));
}

function heaviest() {
  const table = byId('edges'), name = byId('weight').value, it = data.recommendation;
  table.textContent = '';
  row(table, ['From', 'To', right(WEIGHTS[name] || ''), 'Path now', ...(it ? ['Expected'] : []), 'Evidence'], {}, true);
  data.model.edges.slice().sort((a, b) => (weightOf(b, name) ?? -1) - (weightOf(a, name) ?? -1)).slice(0, 30)
    .forEach(edge => row(table, [edge.from, edge.to, right(weightOf(edge, name) === null ? 'not measured' : number(weightOf(edge, name))), hasBefore() ? pathOf(edge, 'before') : '', ...(it ? [pathOf(edge, 'after')] : []),
      edge.evidence ? `${edge.evidence.source}, ${edge.evidence.samples} samples in ${Math.round(edge.evidence.windowSeconds)} s${edge.evidence.partial ? ', partial: ' + edge.evidence.note : ''}` : 'stated by the model']));
}

function start(body) {
  data = body;
  for (const name in WEIGHTS) if (data.model.edges.some(edge => weightOf(edge, name) !== null)) element('option', { value: name }, WEIGHTS[name], byId('weight'));
  if (!byId('weight').options.length) element('option', { value: 'callsPerSecond' }, 'nothing measured', byId('weight'));
  byId('status').hidden = true;
  byId('content').hidden = false;
  summary(); moves(); graphs(); routes(); tables(); heaviest();
  /* Wide tables are scrolled by keyboard, too, and have the name of their part. */
  document.querySelectorAll('.scroll').forEach(box => {
    const part = box.closest('section'), table = box.querySelector('table'), name = part && (part.getAttribute('aria-labelledby') || '');
    if (name && table) table.setAttribute('aria-labelledby', name);
    box.setAttribute('tabindex', 0); box.setAttribute('role', 'group');
    if (name) box.setAttribute('aria-labelledby', name);
  });
}

async function load() {
  try {
    /* No fetch takes an address with a user, which the page's own may have. */
    const address = new URL(document.baseURI);
    address.username = address.password = address.search = address.hash = '';
    /* The endpoint may be mapped to another path. */
    address.pathname = address.pathname.replace(/\/page\/*$/, '');
    const answer = await fetch(address, { headers: { Accept: 'application/json' } })
      .catch(error => { throw new Error(error.message + ": the server does not answer, or a Content-Security-Policy forbids to ask it (connect-src 'self' allows it)"); });
    const body = await answer.json().catch(() => null), status = ' (status ' + answer.status + ')';
    if (answer.status === 401 || (answer.redirected && !body)) throw new Error('the server asks for a sign-in' + (answer.status === 401 ? status : '') + '. Sign in, and load this page again');
    if (answer.status === 403) throw new Error('this user may not read the data' + status);
    if (answer.status === 503 && body) {
      byId('status').textContent = body.message + '. This page asks again by itself.';
      setTimeout(load, 1000);
      return;
    }
    if (!body) throw new Error('the answer is no JSON' + status);
    if (!answer.ok) throw new Error(body.message || body.reason || 'status ' + answer.status);
    start(body);
  } catch (error) {
    byId('status').className = 'none';
    byId('status').textContent = 'Nothing to show: ' + error.message;
  }
}

byId('weight').addEventListener('change', () => { graphs(); heaviest(); });
byId('sides').addEventListener('change', graphs);
byId('drawn').addEventListener('change', graphs);
byId('smaller').addEventListener('click', () => zoomed(scaleNow() / 1.4));
byId('larger').addEventListener('click', () => zoomed(scaleNow() * 1.4));
byId('whole').addEventListener('click', () => zoomed(null));
byId('copy').addEventListener('click', copy);
byId('some').addEventListener('change', () => { byId('override').textContent = override(); byId('copied').textContent = ''; });
byId('find').addEventListener('input', event => { const text = event.target.value.trim().toLowerCase(); const hit = text && data.model.services.find(one => one.name.toLowerCase().includes(text)); select(hit ? hit.name : null); if (hit) { const node = [...document.querySelectorAll('#panels .node')].find(one => one.dataset.name === hit.name); if (node) node.scrollIntoView({ block: 'nearest', inline: 'center' }); } });
let resized, width = innerWidth;
/* The address bar of a phone comes and goes, and changes the height alone. */
addEventListener('resize', () => { if (innerWidth === width) return; width = innerWidth; clearTimeout(resized); resized = setTimeout(() => data && graphs(), 200); });
byId('status').textContent = 'Asking the instances ...';
load();
