// Sessions as bars, one lane per project, coloured by agent.

const laneRanges = [['30', 'Last 30 days', 30], ['90', 'Last 90 days', 90], ['365', 'Last year', 365], ['all', 'Everything', 0]];

function laneChart(days, width) {
  const all = data.sessions.filter((session) => session.start && !session.parent);
  const to = Math.max(...all.map((session) => wall(session.end ?? session.start))) + DAY / 4;
  const from = days ? to - days * DAY : Math.min(...all.map((session) => wall(session.start)));
  const sessions = all.filter((session) => wall(session.end ?? session.start) >= from);
  if (sessions.length === 0) return nothing('No session in these days.');
  const busy = [...summed(sessions, (s) => s.project ?? '', () => 1)].sort((a, b) => b[1] - a[1]);
  const most = 12;
  const named = new Set(busy.slice(0, busy.length > most ? most - 1 : most).map(([name]) => name));
  const laneOf = (session) => (named.has(session.project ?? '') ? session.project || '(no project)' : '(other projects)');

  const left = Math.min(150, width * 0.3);
  const top = 20;
  const bar = 8;
  const scale = (time) => left + ((Math.max(time, from) - from) / (to - from)) * (width - left - 6);
  // Name -> rows of bars that do not overlap; the project with most sessions first.
  const lanes = new Map(busy.filter(([name]) => named.has(name)).map(([name]) => [name || '(no project)', []]));
  for (const session of sessions.sort((a, b) => a.start - b.start)) {
    const rows = lanes.get(laneOf(session)) ?? lanes.set(laneOf(session), []).get(laneOf(session));
    const x = scale(wall(session.start));
    const end = Math.max(scale(wall(session.end ?? session.start)), x + 4);
    let row = rows.find((r) => r.end + 1 <= x) ?? (rows.length < 5 ? rows[rows.push({ end: 0, bars: [] }) - 1] : rows.reduce((a, b) => (a.end <= b.end ? a : b)));
    row.bars.push([session, x, end]);
    row.end = Math.max(row.end, end);
  }
  const chart = svg('svg', { class: 'chart', role: 'img', 'aria-label': `${count(sessions.length, 'session')} in ${count(lanes.size, 'lane')} by project. The table of sessions says the same.` });
  const grounds = svg('g', {});
  const grid = svg('g', {});
  const bars = svg('g', {});
  chart.append(grounds, grid, bars);
  let y = top;
  let odd = false;
  for (const [name, rows] of lanes) {
    const height = Math.max(rows.length * (bar + 3) + 7, 22);
    grounds.append(svg('rect', { x: 0, y, width, height, rx: 4, class: (odd = !odd) ? 'lane' : 'lane odd' }));
    const fits = Math.floor((left - 14) / 6.4);
    bars.append(svg('text', { x: 8, y: y + height / 2 + 4, class: 'name', 'data-tip': name }, name.length > fits ? `${name.slice(0, fits - 1)}…` : name));
    rows.forEach((row, i) =>
      row.bars.forEach(([session, x, end]) =>
        bars.append(svg('rect', { x, y: y + (height - rows.length * (bar + 3) + 3) / 2 + i * (bar + 3), width: end - x, height: bar, rx: 2, class: `session fill p-${session.platform}`,
          'data-tip': [sessionTitle(session), `${platformName(session.platform)}, ${count(session.exchanges ?? 0, 'exchange')}`, `${clockName(session.start)} · ${duration((session.end ?? session.start) - session.start)}`].join('\n'),
          onclick: () => sessionTable.open(session.id) }))));
    y += height + 2;
  }
  for (const [at, name] of ticks(from, to, Math.floor((width - left) / 75)))
    grid.append(svg('line', { class: 'axis', x1: scale(at), x2: scale(at), y1: top - 4, y2: y }), svg('text', { x: scale(at) + 3, y: 11 }, scale(at) < width - 40 ? name : ''));
  chart.setAttribute('viewBox', `0 0 ${width} ${y}`);
  chart.setAttribute('height', y);
  return chart;
}

function drawLanes(place) {
  if (!data.sessions.some((session) => session.start && !session.parent)) return;
  const box = el('div', {});
  let days = 90;
  const draw = () => box.replaceChildren(laneChart(days, Math.max(box.clientWidth, 280)));
  const enough = (wanted) => data.sessions.filter((s) => !s.parent && s.end >= (sums.end ?? 0) - wanted * DAY).length >= 25;
  const chosen = laneRanges.find(([, , wanted]) => wanted && enough(wanted)) ?? laneRanges.at(-1);
  days = chosen[2];
  place.append(
    el('h3', { class: 'sub' }, el('span', {}, 'Sessions by project'), choice('Sessions shown', laneRanges.map(([key, name]) => [key, name]), chosen[0], (key) => {
      days = laneRanges.find(([name]) => name === key)[2];
      draw();
    })),
    box,
    legend(platformsSeen.filter((key) => data.sessions.some((s) => s.platform === key)).map((key) => [`p-${key}`, platformName(key)])));
  drawAsWide(box, draw);
}

function drawActivity() {
  const place = section('activity');
  if (dated(data.activity).length === 0) return place.append(nothing('No exchange with a known time.'));
  drawHeatMap(place);
  drawLanes(place);
  const days = [...Map.groupBy(dated(data.activity), (row) => row.day)].reverse().slice(0, 60);
  place.append(asTable('The latest active days', ['Day', 'Exchanges', 'Sessions', 'Tool calls'], days.map(([day, rows]) => [dayName(day), num(sum(rows, 'exchanges') + sum(rows, 'subagent_exchanges')), num(sum(rows, 'sessions')), num(sum(rows, 'calls'))])));
}
