// The data of the page, and functions on it that several sections share.

const data = JSON.parse(document.getElementById('data').textContent);
const DAY = 86_400_000;
const sums = data.sums;

// Days and clock times are in the zone in which the report was made, not in that of the reader.
const zone = data.zone;
const wall = (ms) => ms && ms + ((data.offsets.findLast((offset) => (offset.from ?? 0) <= ms) ?? data.offsets[0]).ahead ?? 0);
const clockName = (ms) => timeName(wall(ms));
const dateName = (ms) => dayName(wall(ms));

const platformName = (key) => data.platform_names?.[key] ?? key;
const platformMark = (key) => el('span', { class: `dot p-${key}`, 'aria-hidden': 'true' });
const platformsSeen = [...new Set([...data.activity, ...data.platforms].map((row) => row.platform))];

const sessionsById = new Map(data.sessions.map((session) => [session.id, session]));
const sessionTitle = (session) => session.title || `Session without words (${platformName(session.platform)})`;
const usedTokens = (row) => (row.input ?? 0) + (row.output ?? 0) + (row.cache_read ?? 0) + (row.cache_creation ?? 0);
const promptTokens = (row) => (row.input ?? 0) + (row.cache_read ?? 0) + (row.cache_creation ?? 0);
const dated = (rows) => rows.filter((row) => row.day);
const sum = (rows, member) => rows.reduce((all, row) => all + (row[member] ?? 0), 0);

// Returns a Map from `key` to the sum of `value`.
function summed(rows, key, value) {
  const out = new Map();
  for (const row of rows) out.set(key(row), (out.get(key(row)) ?? 0) + value(row));
  return out;
}

// Returns days, weeks (from Monday) or months, whichever fit into about a hundred bars.
function buckets(days) {
  if (days.length === 0) return { unit: 'day', all: [], of: (day) => day };
  let first = days[0];
  let last = days[0];
  for (const day of days) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  const length = (last - first) / DAY + 1;
  const unit = length <= 100 ? 'day' : length <= 700 ? 'week' : 'month';
  const of = {
    day: (day) => day,
    week: (day) => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY,
    month: (day) => Date.UTC(new Date(day).getUTCFullYear(), new Date(day).getUTCMonth()),
  }[unit];
  const after = (start) =>
    unit === 'month' ? Date.UTC(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1) : start + (unit === 'week' ? 7 : 1) * DAY;
  const all = [];
  for (let start = of(first); start <= last; start = after(start)) all.push(start);
  return { unit, all, of };
}
const bucketName = (unit, start) =>
  unit === 'month' ? `${months[new Date(start).getUTCMonth()]} ${new Date(start).getUTCFullYear()}` : unit === 'week' ? `week of ${dayName(start)}` : dayName(start);

// Returns the starts of months (or years) between two times, with their labels.
function ticks(from, to, most = 9) {
  const out = [];
  const span = (to - from) / DAY;
  if (span < 40) {
    const step = Math.max(1, Math.ceil(span / most));
    for (let day = from - (from % DAY); day <= to; day += step * DAY)
      if (day >= from) out.push([day, `${new Date(day).getUTCDate()} ${months[new Date(day).getUTCMonth()]}`]);
    return out;
  }
  const step = [1, 2, 3, 6, 12, 24, 60].find((s) => span / 30.4 / s <= most) ?? 120;
  const start = new Date(from);
  for (let i = 0; ; ++i) {
    const at = Date.UTC(start.getUTCFullYear(), Math.ceil(start.getUTCMonth() / step) * step + i * step);
    if (at > to) return out;
    const date = new Date(at);
    if (at >= from) out.push([at, date.getUTCMonth() === 0 || out.length === 0 ? `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}` : months[date.getUTCMonth()]]);
  }
}

// Returns about `wanted` grid lines up to `most`, at multiples of 1, 2 or 5 times a power of ten.
function niceSteps(most, wanted = 4) {
  if (most <= 0) return [0, 1];
  const raw = most / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].find((f) => f * power >= raw) * power);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

const section = (id) => document.getElementById(id);
const controls = (id, ...nodes) => section(id).querySelector('header').append(el('div', { class: 'controls screen' }, nodes));
const nothing = (what) => el('p', { class: 'empty' }, what);
const legend = (items) => el('ul', { class: 'legend' }, items.map(([className, name]) => el('li', {}, el('span', { class: `dot square ${className}`, 'aria-hidden': 'true' }), text(name))));
const choice = (label, options, chosen, change) =>
  el('select', { class: 'screen', 'aria-label': label, onchange: ({ target }) => change(target.value) }, options.map(([value, name]) => el('option', { value, selected: value === chosen }, name)));

// Returns a table as an alternative to a chart that cannot be seen.
const asTable = (caption, heads, rows) =>
  el('details', { class: 'small screen' }, el('summary', { class: 'muted' }, 'As a table'),
    el('div', { class: 'scroll' }, el('table', {}, el('caption', {}, caption),
      el('thead', {}, el('tr', {}, heads.map((head, i) => el('th', { class: i ? 'n' : '', scope: 'col' }, head)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map((cell, i) => el('td', { class: i ? 'n' : 'text' }, cell))))))));
