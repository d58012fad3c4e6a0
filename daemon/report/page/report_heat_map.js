// Days as squares, one column per week, tinted by the number of turns. One tab stop; arrows move, Enter chooses the day.

const weekday = (day) => (new Date(day).getUTCDay() + 6) % 7; // 0: Monday

// Ranges of days as [key, name, from, to]; the first ends with the last active day.
function heatMapRanges(days) {
  const last = Math.max(...days);
  const first = Math.min(...days);
  const out = [['latest', 'Latest 12 months', Math.max(last - 52 * 7 * DAY, first), last]];
  if (last - first <= 52 * 7 * DAY) return out;
  for (let year = new Date(last).getUTCFullYear(); year >= new Date(first).getUTCFullYear(); --year)
    out.push([`${year}`, `${year}`, Date.UTC(year, 0), Date.UTC(year, 11, 31)]);
  return out;
}

function HeatMap({ rows, from, to, room, chosen, choose }) {
  const chart = useRef();
  const turns = useMemo(() => summed(rows, (row) => row.day, (row) => (row.exchanges ?? 0) + (row.subagent_exchanges ?? 0)), [rows]);
  const byAgent = useMemo(() => Map.groupBy(rows, (row) => row.day), [rows]);
  const days = [];
  for (let at = from; at <= to; at += DAY) days.push(at);
  const [focused, setFocused] = useState(0);
  const tabStop = focused >= from && focused <= to ? focused : days.findLast((at) => turns.get(at)) ?? to;
  const sorted = days.map((at) => turns.get(at) ?? 0).filter((n) => n > 0).sort((a, b) => a - b);
  const bounds = [0.25, 0.5, 0.8].map((q) => sorted[Math.floor(q * (sorted.length - 1))]);
  const level = (n) => (n ? 1 + bounds.filter((bound) => n > bound).length : 0);
  const tipOf = (at) => {
    const lines = (byAgent.get(at) ?? []).map((row) => `${agentName(row.platform)}: ${counted((row.exchanges ?? 0) + (row.subagent_exchanges ?? 0), 'turn')}, ${counted(row.sessions ?? 0, 'session')}`);
    return [`${['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][weekday(at)]} ${dayName(at)}`, ...(lines.length ? lines : ['nothing'])].join('\n');
  };

  const left = 30;
  const up = 18;
  const monday = from - weekday(from) * DAY;
  const column = (at) => Math.floor((at - monday) / DAY / 7);
  const pitch = Math.min(Math.max(Math.floor((room - left) / (column(to) + 1)), 14), 24);
  const cell = pitch - 3;
  const width = left + (column(to) + 1) * pitch;
  const starts = []; // of months: [x, name]
  let month = -1;
  for (const at of days)
    if (new Date(at).getUTCMonth() !== month && (weekday(at) === 0 || month < 0)) {
      month = new Date(at).getUTCMonth();
      starts.push([left + column(at) * pitch, months[month]]);
    }
  const press = (event) => {
    const at = Number(event.target.dataset.day);
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const next = chart.current.querySelector(`[data-day="${at + step * DAY}"]`);
      if (!next) return;
      setFocused(at + step * DAY);
      next.focus();
    } else if (event.key === 'Enter' || event.key === ' ') choose(at);
    else return;
    event.preventDefault();
  };
  return html`<svg ref=${chart} class="heat" width=${width} height=${up + 7 * pitch} role="group" aria-label="Turns by day, ${dayName(from)} to ${dayName(to)}. Arrow keys move, Enter shows the sessions of a day."
      onClick=${({ target }) => target.dataset.day && choose(Number(target.dataset.day))} onKeyDown=${press}>
    ${['Mon', '', 'Wed', '', 'Fri'].map((name, i) => name && html`<text x="0" y=${up + i * pitch + cell / 2 + 4}>${name}</text>`)}
    ${days.map((at) => html`<rect key=${at} x=${left + column(at) * pitch} y=${up + weekday(at) * pitch} width=${cell} height=${cell} rx="2.5" class="h${level(turns.get(at))} ${at === chosen ? 'chosen' : ''}"
      tabindex=${at === tabStop ? 0 : -1} data-day=${at} data-tip=${tipOf(at)} role="button" aria-label="${dayName(at)}: ${counted(turns.get(at) ?? 0, 'turn')}" />`)}
    ${starts.map(([x, name], i) => x < (starts[i + 1]?.[0] ?? width) - 26 && html`<text x=${x} y="10">${name}</text>`)}
  </svg>`;
}

function Days({ model: { data }, chosen, choose }) {
  const rows = useMemo(() => dated(data.activity), [data]);
  const ranges = useMemo(() => heatMapRanges(rows.map((row) => row.day)), [rows]);
  const [range, setRange] = useState('latest');
  const [box, width] = useWidth();
  const [, , from, to] = ranges.find(([key]) => key === range) ?? ranges[0];
  useLayoutEffect(() => { box.current.scrollLeft = box.current.scrollWidth; }, [range, width]);
  return html`<h3 class="sub"><span>Turns by day</span>${ranges.length > 1 && choice('Days shown', ranges, range, setRange)}</h3>
    <div class="scroll" ref=${box}><${HeatMap} rows=${rows} from=${from} to=${to} room=${width} chosen=${chosen} choose=${choose} /></div>
    <ul class="legend"><li>less<span>${[0, 1, 2, 3, 4].map((i) => html`<span class="swatch h${i}"></span>`)}</span>more</li></ul>`;
}
