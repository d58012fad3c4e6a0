// Tokens by model and day, stacked.

const tokenKinds = [
  ['output', 'Written', (row) => row.output ?? 0],
  ['input', 'Read, not from cache', (row) => (row.input ?? 0) + (row.cache_creation ?? 0)],
  ['cache', 'Read from cache', (row) => row.cache_read ?? 0],
  ['all', 'All together', usedTokens],
];
// By prices, else by the costs that agents compute themselves.
if (data.priced || sums.sessions_with_cost) tokenKinds.push(['cost', data.priced ? 'Cost, by prices' : 'Cost, as agents reckon', (row) => (data.priced ? row.usd : row.cost) ?? 0]);
const modelName = (key) => key || '(model not named)';

// The cost of a row, and beside it how many tokens it leaves out.
const priced = (row) => (row.unpriced ? `${row.usd ? `$${row.usd.toFixed(2)} + ` : ''}${short(row.unpriced)} without a price` : `$${row.usd.toFixed(2)}`);

function tokenSeries() {
  const costly = new Set(data.usage.filter((row) => row.cost).map((row) => row.model ?? ''));
  const used = [...summed(data.usage, (row) => row.model ?? '', usedTokens)].filter(([model, n]) => n > 0 || costly.has(model)).sort((a, b) => b[1] - a[1]);
  const named = used.slice(0, used.length > 8 ? 7 : 8).map(([model]) => model);
  return { named, others: used.length > named.length, of: (row) => (named.includes(row.model ?? '') ? row.model ?? '' : null) };
}

function tokenChart(kind, width) {
  const [, name, value] = tokenKinds.find(([key]) => key === kind);
  const rows = dated(data.usage).filter((row) => value(row) > 0);
  const amount = (n) => (kind === 'cost' ? `$${n.toFixed(n < 10 ? 2 : 0)}` : short(n));
  if (rows.length === 0) return nothing('None were counted.');
  const { unit, all, of } = buckets(rows.map((row) => row.day));
  const series = tokenSeries();
  const stacks = new Map(all.map((start) => [start, new Map()]));
  for (const row of rows) {
    const stack = stacks.get(of(row.day));
    stack.set(series.of(row), (stack.get(series.of(row)) ?? 0) + value(row));
  }
  const total = (stack) => [...stack.values()].reduce((a, b) => a + b, 0);
  const steps = niceSteps(Math.max(...[...stacks.values()].map(total)));
  const left = 44;
  const top = 8;
  const height = 190;
  const bottom = top + height;
  const scale = (n) => (n / steps.at(-1)) * height;
  const pitch = (width - left - 4) / all.length;
  const chart = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${bottom + 22}`, height: bottom + 22, role: 'img', 'aria-label': `${kind === 'cost' ? name : `Tokens, ${name.toLowerCase()}`}, by ${unit} and model; the table below says the same by model.` });
  for (const step of steps)
    chart.append(svg('line', { class: 'axis', x1: left, x2: width, y1: bottom - scale(step), y2: bottom - scale(step) }), svg('text', { x: left - 6, y: bottom - scale(step) + 4, 'text-anchor': 'end' }, amount(step)));
  all.forEach((start, i) => {
    const stack = stacks.get(start);
    const lines = [...series.named, null].filter((model) => stack.get(model)).map((model) => `${model === null ? 'other models' : modelName(model)}: ${amount(stack.get(model))}`);
    const group = svg('g', { 'data-tip': [bucketName(unit, start), ...lines].join('\n') }, svg('rect', { x: left + i * pitch, y: top, width: pitch, height, fill: 'transparent' }));
    let y = bottom;
    [...series.named, null].forEach((model, at) => {
      const h = scale(stack.get(model) ?? 0);
      if (h <= 0) return;
      y -= h;
      group.append(svg('rect', { x: left + i * pitch + Math.min(1, pitch * 0.1), y, width: Math.max(pitch - Math.min(2, pitch * 0.2), 0.8), height: h, class: `fill s${model === null ? 7 : at}` }));
    });
    chart.append(group);
  });
  const end = all.at(-1) + (unit === 'month' ? 30 : unit === 'week' ? 7 : 1) * DAY;
  const x = (time) => left + ((time - all[0]) / (end - all[0])) * (width - left - 4);
  let free = -1;
  for (const [at, label] of ticks(all[0], end, Math.floor(width / 90))) {
    if (x(at) > width - 30 || x(at) < free) continue;
    chart.append(svg('line', { class: 'axis', x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 }), svg('text', { x: x(at), y: bottom + 17 }, label));
    free = x(at) + label.length * 6.5 + 8;
  }
  return chart;
}

function modelTable() {
  const rows = [...Map.groupBy(data.usage, (row) => row.model ?? '')]
    .map(([model, all]) => ({ model, platforms: [...new Set(all.map((row) => row.platform))], input: sum(all, 'input'), output: sum(all, 'output'), cache_read: sum(all, 'cache_read'), cache_creation: sum(all, 'cache_creation'), exchanges: sum(all, 'exchanges'), cost: sum(all, 'cost'), usd: sum(all, 'usd'), unpriced: sum(all, 'unpriced') }))
    .sort((a, b) => usedTokens(b) - usedTokens(a) || b.exchanges - a.exchanges);
  const series = tokenSeries().named;
  return el('div', { class: 'scroll' }, el('table', {}, el('caption', { class: 'sr' }, 'Tokens and cost by model'),
    el('thead', {}, el('tr', {}, ['Model', 'Exchanges', 'Written', 'Read, new', 'Put into cache', 'Read from cache', 'Cache share', 'Cost by agent', ...(data.priced ? ['By prices'] : [])].map((head, i) => el('th', { class: i ? `n ${[1, 4, 7].includes(i) ? 'wide' : ''}` : '', scope: 'col' }, head)))),
    el('tbody', {}, rows.map((row) => el('tr', {},
      el('td', {}, el('span', { class: `dot square s${series.includes(row.model) ? series.indexOf(row.model) : 7}`, 'aria-hidden': 'true' }), text(modelName(row.model)), el('span', { class: 'muted small' }, ` ${row.platforms.map(platformName).join(', ')}`)),
      el('td', { class: 'n wide' }, num(row.exchanges)), el('td', { class: 'n' }, short(row.output)), el('td', { class: 'n' }, short(row.input)), el('td', { class: 'n wide' }, short(row.cache_creation)), el('td', { class: 'n' }, short(row.cache_read)),
      el('td', { class: 'n' }, percent(row.cache_read, promptTokens(row))),
      el('td', { class: 'n wide' }, row.cost ? `$${row.cost.toFixed(2)}` : '–'), data.priced && el('td', { class: 'n' }, priced(row)))))));
}

// Includes sessions of subagents, which cost, too.
function projectTable() {
  const rows = [...Map.groupBy(data.sessions, (session) => session.project ?? '')]
    .map(([project, all]) => ({ project, sessions: all.length, input: sum(all, 'input'), output: sum(all, 'output'), cache_read: sum(all, 'cache_read'), cache_creation: sum(all, 'cache_creation'), cost: sum(all, 'cost'), usd: sum(all, 'usd'), unpriced: sum(all, 'unpriced') }))
    .filter((row) => usedTokens(row) || row.cost)
    .sort((a, b) => usedTokens(b) - usedTokens(a))
    .slice(0, 30);
  return el('div', { class: 'scroll' }, el('table', {}, el('caption', { class: 'sr' }, 'Tokens and cost by project'),
    el('thead', {}, el('tr', {}, ['Project', 'Sessions', 'Written', 'Read, new', 'Read from cache', 'Cost by agent', ...(data.priced ? ['By prices'] : [])].map((head, i) => el('th', { class: i ? 'n' : '', scope: 'col' }, head)))),
    el('tbody', {}, rows.map((row) => el('tr', {},
      el('td', {}, text(row.project || '(no project)')), el('td', { class: 'n' }, num(row.sessions)), el('td', { class: 'n' }, short(row.output)), el('td', { class: 'n' }, short(row.input + row.cache_creation)), el('td', { class: 'n' }, short(row.cache_read)),
      el('td', { class: 'n' }, row.cost ? `$${row.cost.toFixed(2)}` : '–'), data.priced && el('td', { class: 'n' }, priced(row)))))));
}

function drawTokens() {
  const place = section('tokens');
  if (!usedTokens(sums)) return place.append(nothing('No agent here wrote down how many tokens it used.'));
  const box = el('div', {});
  let kind = 'output';
  const draw = () => box.replaceChildren(tokenChart(kind, Math.max(box.clientWidth, 280)));
  controls('tokens', choice('What is shown', tokenKinds.map(([key, name]) => [key, name]), kind, (key) => ((kind = key), draw())));
  const series = tokenSeries();
  place.append(box,
    legend([...series.named.map((model, i) => [`s${i}`, modelName(model)]), ...(series.others ? [['s7', 'other models']] : [])]),
    el('h3', { class: 'sub' }, 'By model'), modelTable(),
    el('h3', { class: 'sub' }, 'By project'), projectTable(),
    el('p', { class: 'muted small' }, data.priced ? `By prices: what the prices of models make of the tokens (${data.priced}); it is no bill. By agent: what the agent itself reckons.` : sums.sessions_with_cost
      ? `Cost is what the agent itself reckons, which ${sums.sessions_with_cost === 1 ? 'one session says' : `${num(sums.sessions_with_cost)} of ${num(sums.sessions + (sums.subagent_sessions ?? 0))} sessions say`}; memd knows no prices and invents none.`
      : 'No agent here says what its sessions cost; memd knows no prices and invents none.'));
  drawAsWide(box, draw);
}
