const byId = id => document.getElementById(id);
let last = new Map();

function add(parent, name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const key in attributes || {}) made.setAttribute(key, attributes[key]);
  parent.appendChild(made);
  return made;
}
const plural = (count, one) => count + ' ' + one + (count === 1 ? '' : 's');
const short = value => value >= 1e9 ? (value / 1e9).toPrecision(3) + ' G' : value >= 1e6 ? (value / 1e6).toPrecision(3) + ' M'
  : value >= 1e4 ? (value / 1e3).toPrecision(3) + ' k' : String(Math.round(value));
const rate = value => value === null ? '' : value >= 10 ? short(value) : value.toFixed(1);

/* Headings that begin with # are those of numbers. */
function table(parent, headings) {
  const made = add(add(parent, 'div', null, {class: 'scroll'}), 'table');
  const row = add(add(made, 'thead'), 'tr');
  for (const heading of headings) add(row, 'th', heading.replace('#', ''), heading.startsWith('#') ? {class: 'number', scope: 'col'} : {scope: 'col'});
  const body = add(made, 'tbody');
  return (cells, attributes) => {
    const line = add(body, 'tr', null, attributes);
    cells.forEach((cell, i) => add(line, 'td', cell, headings[i].startsWith('#') ? {class: 'number'} : {}));
    return line;
  };
}
/* Draws a part of a whole, from 0 to 1. */
function share(cell, part) {
  add(cell, 'span', null, {class: 'share', style: 'width:' + (6 * Math.min(1, part)).toFixed(2) + 'rem', title: (100 * part).toFixed(1) + ' %'});
}
/* How fast a counter has grown since the page was last drawn, or null if it was not there then. */
function perSecond(key, value, seconds, now) {
  const before = last.get(key);
  now.set(key, value);
  return before === undefined || !seconds ? null : Math.max(0, (value - before) / seconds);
}

/* Reads the endpoint every two seconds. `draw` takes its answer, the seconds since the last one and the counters of now, and returns the summary. */
function watch(what, draw) {
  let readAt = 0;
  async function read() {
    const summary = byId('summary');
    try {
      const response = await fetch(location.pathname.replace(/\/page\/?$/, ''), {headers: {Accept: 'application/json'}});
      if (!response.ok) throw new Error('the endpoint answers ' + response.status);
      const data = await response.json();
      const at = performance.now(), now = new Map();
      summary.textContent = draw(data, readAt ? (at - readAt) / 1000 : 0, now);
      summary.className = '';
      last = now;
      readAt = at;
    }
    catch (problem) {
      summary.className = 'error';
      summary.textContent = 'The ' + what + ' cannot be read: ' + problem.message + '. The content below is older.';
    }
  }
  read();
  setInterval(() => { if (byId('refresh').checked && !document.hidden) read(); }, 2000);
}
