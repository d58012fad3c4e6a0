// The data of a report, and what several of its sections need to draw them.

const DAY = 86_400_000;
const iso = (ms) => new Date(ms).toISOString();
const dayName = (ms) => (ms ? iso(ms).slice(0, 10) : 'no date');
const timeName = (ms) => (ms ? `${iso(ms).slice(0, 10)} ${iso(ms).slice(11, 16)}` : 'no time');
function duration(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return '< 1 min';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

// Days and clock times are in the zone in which the data were made, not in that of the reader: `wall` shifts a time.
function zoneOf({ offsets }) {
  const wall = (ms) => ms && ms + ((offsets.findLast((offset) => (offset.from ?? 0) <= ms) ?? offsets[0]).ahead ?? 0);
  return { wall, clockName: (ms) => timeName(wall(ms)), dateName: (ms) => dayName(wall(ms)) };
}

// `hrefOf(id)`: the address of a session in the page.
function reportModel(data, hrefOf) {
  const agentsSeen = [...new Set([...data.activity, ...data.platforms].map((row) => row.platform))];
  return { data, sums: data.sums, hrefOf, agentsSeen, sessionsById: new Map(data.sessions.map((session) => [session.id, session])), ...zoneOf(data) };
}

const sessionTitle = (session) => session.title || `Session without words (${agentName(session.platform)})`;
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

const nothing = (what) => html`<p class="empty">${what}</p>`;
const text = (value, className = 'text') => html`<span class=${className} dir="auto">${value}</span>`;
const legend = (items) => html`<ul class="legend">${items.map(([className, name]) => html`<li><span class="dot square ${className}" aria-hidden="true"></span>${text(name)}</li>`)}</ul>`;
const choice = (label, options, chosen, change) =>
  html`<select class="screen" aria-label=${label} value=${chosen} onChange=${({ target }) => change(target.value)}>${options.map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select>`;

// A table; of `heads`, which are [name, class], and rows of cells, which are of the same classes.
function Table({ caption, heads, rows, className, seen = false }) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table class=${className}><caption class=${seen ? '' : 'sr'}>${caption}</caption>
    <thead><tr>${heads.map(([name, of]) => html`<th class=${of} scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td class=${heads[i][1]}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

// A table as an alternative to a chart that cannot be seen.
const asTable = (caption, heads, rows) => html`<details class="small screen"><summary class="muted">As a table</summary>
  <${Table} seen caption=${caption} heads=${heads.map((head, i) => [head, i ? 'n' : 'text'])} rows=${rows} /></details>`;

// The first rows of a long list, and a button for more: [rows, button].
function useFirst(all, first) {
  const [shown, setShown] = useState(first);
  const left = all.length - shown;
  return [all.slice(0, shown), left > 0 && html`<button type="button" class="screen" onClick=${() => setShown(shown + 100)}>Show ${num(Math.min(100, left))} more</button>`];
}

// A part of a report. An error in one does not prevent the others.
function Part({ id, title, controls, children }) {
  return html`<section class="card" id=${id}><header><h2>${title}</h2>${controls && html`<div class="controls screen">${controls}</div>`}</header>${children}</section>`;
}
function Guarded({ title, children }) {
  const [error] = useErrorBoundary((problem) => console.error(problem));
  return error ? html`<section class="card"><h2>${title}</h2>${nothing(`This part could not be drawn: ${error.message}`)}</section>` : children;
}
