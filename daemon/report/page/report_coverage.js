// The parts of the agents' files that were read, and those that were not.

const fates = [['indexed', 'indexed'], ['skipped', 'skipped, for a reason'], ['pending', 'not read yet'], ['unknown', 'of unknown shape']];

function FateBar({ row }) {
  const there = fates.filter(([key]) => row[key]);
  return html`<div class="stack" role="img" aria-label=${fates.map(([key, name]) => `${name} ${percent(row[key] ?? 0, row.bytes)}`).join(', ')} data-tip=${there.map(([key, name]) => `${bytes(row[key])} ${name}`).join('\n')}>
    ${there.map(([key]) => html`<i class="c-${key}" style=${{ flexGrow: row[key], minWidth: '2px' }}></i>`)}</div>`;
}

function Ledger({ platform, rows }) {
  const shown = [...rows].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0)).slice(0, 40);
  return html`<details class="ledger"><summary>${agentName(platform)}: what was not indexed, and why</summary>
    <${Table} caption="Ledger of ${agentName(platform)}" heads=${[['Record', 'path text'], ['Fate', ''], ['Reason', 'text'], ['Records', 'n'], ['Bytes', 'n']]}
      rows=${shown.map((row) => [row.type, html`<span class=${row.fate === 'unknown' ? 'bad' : ''}>${row.fate}</span>`, row.reason ?? '', num(row.records), bytes(row.bytes ?? 0)])} />
    ${rows.length > shown.length && html`<p class="muted small">and ${num(rows.length - shown.length)} smaller lines: <code>memd coverage</code></p>`}</details>`;
}

function Coverage({ model: { data, clockName } }) {
  if (data.platforms.length === 0) return html`<${Part} id="coverage" title="Coverage">${nothing('No source of any agent is known yet.')}</${Part}>`;
  const unknown = (row) => html`<span class=${row.unknown ? 'bad' : ''}>${percent(row.unknown ?? 0, row.bytes)}</span>`;
  return html`<${Part} id="coverage" title="Coverage">
    <p class="lead">Each byte of each source is accounted for. Of all sources, whatever project and time this report is about.</p>
    <${Table} caption="Coverage by agent" heads=${[['Agent', ''], ['Bytes', 'bar-cell'], ['Size', 'n wide'], ['Indexed', 'n'], ['Unknown', 'n'], ['Sources', 'n wide'], ['Newest event', 'n wide'], ['At the last look', 'n wide']]}
      rows=${data.platforms.map((row) => [html`<${Dot} agent=${row.platform} />${agentName(row.platform)}`, html`<${FateBar} row=${row} />`, bytes(row.bytes ?? 0), percent(row.indexed ?? 0, row.bytes), unknown(row), num(row.sources), clockName(row.last_event),
        row.bytes_behind ? `${bytes(row.bytes_behind)} behind` : 'up to date'])} />
    ${legend(fates.map(([key, name]) => [`c-${key}`, name]))}
    ${[...Map.groupBy(data.ledger.filter((row) => row.fate !== 'indexed'), (row) => row.platform)].map(([platform, rows]) => html`<${Ledger} key=${platform} platform=${platform} rows=${rows} />`)}
  </${Part}>`;
}

function Gaps({ model: { data } }) {
  const byAgent = [...Map.groupBy(data.gaps, (gap) => gap.platform ?? '')].sort(([a], [b]) => (a === '' ? -1 : b === '' ? 1 : 0));
  return html`<${Part} id="gaps" title="What this report does not cover">
    ${data.gaps.length === 0 ? nothing('Nothing that memd knows of.') : html`<ul class="gaps">${byAgent.map(([platform, gaps]) => html`<li><span class="muted">${platform ? agentName(platform) : 'All agents'}</span>
      <ul>${gaps.map((gap) => html`<li class=${gap.warning ? 'warning' : ''}>${text(gap.text)}</li>`)}</ul></li>`)}</ul>`}
  </${Part}>`;
}
