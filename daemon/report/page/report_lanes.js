// Sessions as bars, one lane per project, coloured by agent.

const laneRanges = [['30', 'Last 30 days', 30], ['90', 'Last 90 days', 90], ['365', 'Last year', 365], ['all', 'Everything', 0]];

function LaneChart({ model: { data, wall, clockName }, days, width, open }) {
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
  const up = 20;
  const bar = 8;
  const scale = (time) => left + ((Math.max(time, from) - from) / (to - from)) * (width - left - 6);
  // Name -> rows of bars that do not overlap; the project with most sessions first.
  const lanes = new Map(busy.filter(([name]) => named.has(name)).map(([name]) => [name || '(no project)', []]));
  for (const session of sessions.sort((a, b) => a.start - b.start)) {
    const rows = lanes.get(laneOf(session)) ?? lanes.set(laneOf(session), []).get(laneOf(session));
    const x = scale(wall(session.start));
    const end = Math.max(scale(wall(session.end ?? session.start)), x + 4);
    const row = rows.find((r) => r.end + 1 <= x) ?? (rows.length < 5 ? rows[rows.push({ end: 0, bars: [] }) - 1] : rows.reduce((a, b) => (a.end <= b.end ? a : b)));
    row.bars.push([session, x, end]);
    row.end = Math.max(row.end, end);
  }
  const grounds = [];
  const bars = [];
  let y = up;
  for (const [name, rows] of lanes) {
    const height = Math.max(rows.length * (bar + 3) + 7, 22);
    const fits = Math.floor((left - 14) / 6.4);
    const first = y + (height - rows.length * (bar + 3) + 3) / 2;
    grounds.push(html`<rect key=${name} x="0" y=${y} width=${width} height=${height} rx="4" class="lane ${grounds.length % 2 ? 'odd' : ''}" />`);
    bars.push(html`<g key=${name}><text x="8" y=${y + height / 2 + 4} class="name" data-tip=${name}>${name.length > fits ? `${name.slice(0, fits - 1)}…` : name}</text>
      ${rows.map((row, k) => row.bars.map(([session, x, end]) => html`<rect key=${session.id} x=${x} y=${first + k * (bar + 3)} width=${end - x} height=${bar} rx="2" class="session fill p-${session.platform}"
        data-tip=${[sessionTitle(session), `${agentName(session.platform)}, ${counted(session.exchanges ?? 0, 'turn')}`, `${clockName(session.start)} · ${duration((session.end ?? session.start) - session.start)}`].join('\n')} onClick=${() => open(session.id)} />`))}</g>`);
    y += height + 2;
  }
  const axis = ticks(from, to, Math.floor((width - left) / 75)).map(([at, name]) => html`<g key=${at}><line class="axis" x1=${scale(at)} x2=${scale(at)} y1=${up - 4} y2=${y} />
    <text x=${scale(at) + 3} y="11">${scale(at) < width - 40 ? name : ''}</text></g>`);
  return html`<svg class="chart" viewBox="0 0 ${width} ${y}" height=${y} role="img" aria-label="${counted(sessions.length, 'session')} in ${counted(lanes.size, 'lane')} by project. The table of sessions says the same.">${grounds}${axis}${bars}</svg>`;
}

function Lanes({ model, open }) {
  const { data, sums, agentsSeen } = model;
  const enough = (wanted) => data.sessions.filter((s) => !s.parent && s.end >= (sums.end ?? 0) - wanted * DAY).length >= 25;
  const [range, setRange] = useState(() => (laneRanges.find(([, , wanted]) => wanted && enough(wanted)) ?? laneRanges.at(-1))[0]);
  const [box, width] = useWidth();
  return html`<h3 class="sub"><span>Sessions by project</span>${choice('Sessions shown', laneRanges, range, setRange)}</h3>
    <div ref=${box}><${LaneChart} model=${model} days=${laneRanges.find(([key]) => key === range)[2]} width=${width} open=${open} /></div>
    ${legend(agentsSeen.filter((key) => data.sessions.some((s) => s.platform === key)).map((key) => [`p-${key}`, agentName(key)]))}`;
}

function Activity({ model, table }) {
  const { data } = model;
  const rows = dated(data.activity);
  if (rows.length === 0) return html`<${Part} id="activity" title="Activity">${nothing('No turn with a known time.')}</${Part}>`;
  const days = [...Map.groupBy(rows, (row) => row.day)].reverse().slice(0, 60);
  return html`<${Part} id="activity" title="Activity">
    <${Days} model=${model} chosen=${table.state.day} choose=${(day) => table.choose({ day })} />
    ${data.sessions.some((session) => session.start && !session.parent) && html`<${Lanes} model=${model} open=${table.open} />`}
    ${asTable('The latest active days', ['Day', 'Turns', 'Sessions', 'Tool calls'], days.map(([day, all]) => [dayName(day), num(sum(all, 'exchanges') + sum(all, 'subagent_exchanges')), num(sum(all, 'sessions')), num(sum(all, 'calls'))]))}
  </${Part}>`;
}
