// Days as squares, one column per week, tinted by the number of exchanges. One tab stop; arrows move, Enter chooses the day.

const weekday = (day) => (new Date(day).getUTCDay() + 6) % 7; // 0: Monday

function heatMapRanges() {
  const last = Math.max(...dated(data.activity).map((row) => row.day));
  const first = Math.min(...dated(data.activity).map((row) => row.day));
  const out = [['latest', 'Latest 12 months', Math.max(last - 52 * 7 * DAY, first), last]];
  if (last - first <= 52 * 7 * DAY) return out;
  for (let year = new Date(last).getUTCFullYear(); year >= new Date(first).getUTCFullYear(); --year)
    out.push([`${year}`, `${year}`, Date.UTC(year, 0), Date.UTC(year, 11, 31)]);
  return out;
}

function heatMap(from, to, room) {
  const rows = dated(data.activity);
  const exchanges = summed(rows, (row) => row.day, (row) => (row.exchanges ?? 0) + (row.subagent_exchanges ?? 0));
  const byPlatform = Map.groupBy(rows, (row) => row.day);
  const sorted = [...exchanges].filter(([day, n]) => n > 0 && day >= from && day <= to).map(([, n]) => n).sort((a, b) => a - b);
  const bounds = [0.25, 0.5, 0.8].map((q) => sorted[Math.floor(q * (sorted.length - 1))]);
  const level = (n) => (n ? 1 + bounds.filter((bound) => n > bound).length : 0);
  const tipOf = (day) => {
    const lines = (byPlatform.get(day) ?? []).map((row) => `${platformName(row.platform)}: ${count((row.exchanges ?? 0) + (row.subagent_exchanges ?? 0), 'exchange')}, ${count(row.sessions ?? 0, 'session')}`);
    return [`${['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][weekday(day)]} ${dayName(day)}`, ...(lines.length ? lines : ['nothing'])].join('\n');
  };

  const left = 30;
  const top = 18;
  const monday = from - weekday(from) * DAY;
  const weeks = Math.floor((to - monday) / DAY / 7) + 1;
  const pitch = Math.min(Math.max(Math.floor((room - left) / weeks), 14), 24);
  const cell = pitch - 3;
  const width = left + weeks * pitch;
  const chart = svg('svg', { class: 'heat', width, height: top + 7 * pitch, role: 'group', 'aria-label': `Exchanges by day, ${dayName(from)} to ${dayName(to)}. Arrow keys move, Enter shows the sessions of a day.` });
  ['Mon', '', 'Wed', '', 'Fri', '', ''].forEach((name, i) => name && chart.append(svg('text', { x: 0, y: top + i * pitch + cell / 2 + 4 }, name)));
  const cells = new Map();
  let month = -1;
  const starts = []; // of months
  for (let day = monday; day <= to; day += DAY) {
    const x = left + Math.floor((day - monday) / DAY / 7) * pitch;
    if (day < from) continue;
    if (new Date(day).getUTCMonth() !== month && (weekday(day) === 0 || month < 0)) {
      month = new Date(day).getUTCMonth();
      starts.push([x, months[month]]);
    }
    const n = exchanges.get(day) ?? 0;
    const square = svg('rect', { x, y: top + weekday(day) * pitch, width: cell, height: cell, rx: 2.5, class: `h${level(n)}`, tabindex: -1, 'data-day': day, 'data-tip': tipOf(day), role: 'button', 'aria-label': `${dayName(day)}: ${count(n, 'exchange')}` });
    cells.set(day, square);
    chart.append(square);
  }
  starts.forEach(([x, name], i) => x < (starts[i + 1]?.[0] ?? width) - 26 && chart.append(svg('text', { x, y: 10 }, name)));
  cells.get([...cells.keys()].findLast((day) => exchanges.get(day)) ?? to)?.setAttribute('tabindex', 0);
  const choose = (target) => {
    const day = Number(target.dataset?.day);
    if (!day) return;
    for (const square of cells.values()) square.classList.toggle('chosen', square === target);
    sessionTable.filter({ day });
    section('sessions').scrollIntoView();
  };
  chart.addEventListener('click', ({ target }) => choose(target));
  chart.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const next = cells.get(Number(event.target.dataset.day) + step * DAY);
      if (!next) return;
      event.target.setAttribute('tabindex', -1);
      next.setAttribute('tabindex', 0);
      next.focus();
    } else if (event.key === 'Enter' || event.key === ' ') choose(event.target);
    else return;
    event.preventDefault();
  });
  return chart;
}

function drawHeatMap(place) {
  const ranges = heatMapRanges();
  const scroll = el('div', { class: 'scroll' });
  const show = (key) => {
    const [, , from, to] = ranges.find(([name]) => name === key);
    scroll.replaceChildren(heatMap(from, to, scroll.clientWidth));
    scroll.scrollLeft = scroll.scrollWidth;
  };
  place.append(
    el('h3', { class: 'sub' }, el('span', {}, 'Exchanges by day'), ranges.length > 1 && choice('Days shown', ranges.map(([key, name]) => [key, name]), 'latest', show)),
    scroll,
    el('ul', { class: 'legend' }, el('li', {}, 'less', el('span', {}, [0, 1, 2, 3, 4].map((i) => el('span', { class: `swatch h${i}` }))), 'more')));
  show('latest');
}
