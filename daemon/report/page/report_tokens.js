// Tokens by model and day, stacked.

const modelName = (key) => key || '(model not named)';

// What can be shown, as [key, name, value of a row]. Costs are by prices, else as agents compute them themselves.
function tokenKinds({ data, sums }) {
  const kinds = [
    ['output', 'Written', (row) => row.output ?? 0],
    ['input', 'Read, not from cache', (row) => (row.input ?? 0) + (row.cache_creation ?? 0)],
    ['cache', 'Read from cache', (row) => row.cache_read ?? 0],
    ['all', 'All together', usedTokens],
  ];
  if (data.priced || sums.sessions_with_cost) kinds.push(['cost', data.priced ? 'Cost, by prices' : 'Cost, as agents reckon', (row) => (data.priced ? row.usd : row.cost) ?? 0]);
  return kinds;
}

// The models that have a colour, most used first; `of(row)`: the model, null for the others.
function tokenSeries({ data }) {
  const costly = new Set(data.usage.filter((row) => row.cost).map((row) => row.model ?? ''));
  const used = [...summed(data.usage, (row) => row.model ?? '', usedTokens)].filter(([model, n]) => n > 0 || costly.has(model)).sort((a, b) => b[1] - a[1]);
  const named = used.slice(0, used.length > 8 ? 7 : 8).map(([model]) => model);
  return { named, others: used.length > named.length, of: (row) => (named.includes(row.model ?? '') ? row.model ?? '' : null) };
}

function TokenChart({ model: { data }, kind: [key, name, value], series, width }) {
  const rows = dated(data.usage).filter((row) => value(row) > 0);
  const amount = (n) => (key === 'cost' ? `$${n.toFixed(n < 10 ? 2 : 0)}` : short(n));
  if (rows.length === 0) return nothing('None were counted.');
  const { unit, all, of } = buckets(rows.map((row) => row.day));
  const stacks = new Map(all.map((start) => [start, new Map()]));
  for (const row of rows) {
    const stack = stacks.get(of(row.day));
    stack.set(series.of(row), (stack.get(series.of(row)) ?? 0) + value(row));
  }
  const total = (stack) => [...stack.values()].reduce((a, b) => a + b, 0);
  const steps = niceSteps(Math.max(...[...stacks.values()].map(total)));
  const left = 44;
  const up = 8;
  const height = 190;
  const bottom = up + height;
  const scale = (n) => (n / steps.at(-1)) * height;
  const pitch = (width - left - 4) / all.length;
  const bars = all.map((start, i) => {
    const stack = stacks.get(start);
    const parts = [...series.named, null].map((model, at) => [model, model === null ? 7 : at]).filter(([model]) => stack.get(model));
    const tip = [bucketName(unit, start), ...parts.map(([model]) => `${model === null ? 'other models' : modelName(model)}: ${amount(stack.get(model))}`)].join('\n');
    let y = bottom;
    return html`<g key=${start} data-tip=${tip}><rect x=${left + i * pitch} y=${up} width=${pitch} height=${height} fill="transparent" />
      ${parts.map(([model, colour]) => {
        const h = scale(stack.get(model));
        y -= h;
        return html`<rect x=${left + i * pitch + Math.min(1, pitch * 0.1)} y=${y} width=${Math.max(pitch - Math.min(2, pitch * 0.2), 0.8)} height=${h} class="fill s${colour}" />`;
      })}</g>`;
  });
  const end = all.at(-1) + (unit === 'month' ? 30 : unit === 'week' ? 7 : 1) * DAY;
  const x = (time) => left + ((time - all[0]) / (end - all[0])) * (width - left - 4);
  const axis = [];
  let free = -1;
  for (const [at, label] of ticks(all[0], end, Math.floor(width / 90))) {
    if (x(at) > width - 30 || x(at) < free) continue;
    axis.push(html`<line class="axis" x1=${x(at)} x2=${x(at)} y1=${bottom} y2=${bottom + 5} /><text x=${x(at)} y=${bottom + 17}>${label}</text>`);
    free = x(at) + label.length * 6.5 + 8;
  }
  return html`<svg class="chart" viewBox="0 0 ${width} ${bottom + 22}" height=${bottom + 22} role="img" aria-label="${key === 'cost' ? name : `Tokens, ${name.toLowerCase()}`}, by ${unit} and model; the table below says the same by model.">
    ${steps.map((step) => html`<line class="axis" x1=${left} x2=${width} y1=${bottom - scale(step)} y2=${bottom - scale(step)} /><text x=${left - 6} y=${bottom - scale(step) + 4} text-anchor="end">${amount(step)}</text>`)}
    ${bars}${axis}</svg>`;
}

// Sums of rows that have the same key, most tokens first.
function tokenSums(rows, key) {
  return [...Map.groupBy(rows, key)]
    .map(([name, all]) => ({ name, all, ...Object.fromEntries(['input', 'output', 'cache_read', 'cache_creation', 'exchanges', 'cost', 'usd', 'unpriced'].map((member) => [member, sum(all, member)])) }))
    .sort((a, b) => usedTokens(b) - usedTokens(a) || b.exchanges - a.exchanges);
}
// The cost by prices, and beside it how many tokens it leaves out.
const byPrices = (row) => (row.unpriced ? `${row.usd ? `${money(row.usd)} + ` : ''}${short(row.unpriced)} without a price` : money(row.usd));
const byAgent = (row) => (row.cost ? money(row.cost) : '–');

function ModelTable({ data, series }) {
  const colour = (model) => (series.named.includes(model) ? series.named.indexOf(model) : 7);
  const heads = [['Model', ''], ['Turns', 'n wide'], ['Written', 'n'], ['Read, new', 'n'], ['Put into cache', 'n wide'], ['Read from cache', 'n'], ['Cache share', 'n'], ['Cost by agent', 'n wide'], ...(data.priced ? [['By prices', 'n']] : [])];
  const rows = tokenSums(data.usage, (row) => row.model ?? '').map((row) => [
    html`<span class="dot square s${colour(row.name)}" aria-hidden="true"></span>${text(modelName(row.name))}<span class="muted small"> ${[...new Set(row.all.map((one) => one.platform))].map(agentName).join(', ')}</span>`,
    num(row.exchanges), short(row.output), short(row.input), short(row.cache_creation), short(row.cache_read), percent(row.cache_read, promptTokens(row)), byAgent(row), ...(data.priced ? [byPrices(row)] : [])]);
  return html`<${Table} caption="Tokens and cost by model" heads=${heads} rows=${rows} />`;
}

// Includes sessions of sub-agents, which cost, too.
function ProjectTable({ data }) {
  const heads = [['Project', ''], ...['Sessions', 'Written', 'Read, new', 'Read from cache', 'Cost by agent', ...(data.priced ? ['By prices'] : [])].map((head) => [head, 'n'])];
  const rows = tokenSums(data.sessions, (session) => session.project ?? '').filter((row) => usedTokens(row) || row.cost).slice(0, 30).map((row) => [
    text(row.name || '(no project)'), num(row.all.length), short(row.output), short(row.input + row.cache_creation), short(row.cache_read), byAgent(row), ...(data.priced ? [byPrices(row)] : [])]);
  return html`<${Table} caption="Tokens and cost by project" heads=${heads} rows=${rows} />`;
}

function Tokens({ model }) {
  const { data, sums } = model;
  const [kind, setKind] = useState('output');
  const [box, width] = useWidth();
  if (!usedTokens(sums)) return html`<${Part} id="tokens" title="Tokens and cost"><div ref=${box}>${nothing('No agent here wrote down how many tokens it used.')}</div></${Part}>`;
  const kinds = tokenKinds(model);
  const series = tokenSeries(model);
  return html`<${Part} id="tokens" title="Tokens and cost" controls=${choice('What is shown', kinds, kind, setKind)}>
    <div ref=${box}><${TokenChart} model=${model} kind=${kinds.find(([key]) => key === kind)} series=${series} width=${width} /></div>
    ${legend([...series.named.map((name, i) => [`s${i}`, modelName(name)]), ...(series.others ? [['s7', 'other models']] : [])])}
    <h3 class="sub">By model</h3><${ModelTable} data=${data} series=${series} />
    <h3 class="sub">By project</h3><${ProjectTable} data=${data} />
    <p class="muted small">${data.priced ? `By prices: what the prices of models make of the tokens (${data.priced}); it is no bill. By agent: what the agent itself reckons.`
      : sums.sessions_with_cost ? `Cost is what the agent itself reckons, which ${sums.sessions_with_cost === 1 ? 'one session says' : `${num(sums.sessions_with_cost)} of ${num(sums.sessions + (sums.subagent_sessions ?? 0))} sessions say`}; memd knows no prices and invents none.`
        : 'No agent here says what its sessions cost; memd knows no prices and invents none.'}</p>
  </${Part}>`;
}
