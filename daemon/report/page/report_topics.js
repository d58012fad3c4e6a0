// A row of tinted cells for each topic: the number of turns about it over time.

function Topics({ model: { data, sums, dateName }, choose }) {
  if (data.topics.length === 0) return html`<${Part} id="topics" title="Topics over time">${nothing('No topics yet. They are made in the background while the daemon runs.')}</${Part}>`;
  const { unit, all, of } = buckets(dated(data.activity).map((row) => row.day));
  const cells = new Map(); // topic -> bucket -> turns
  for (const row of dated(data.topic_days)) {
    const own = cells.get(row.topic ?? 0) ?? cells.set(row.topic ?? 0, new Map()).get(row.topic ?? 0);
    own.set(of(row.day), (own.get(of(row.day)) ?? 0) + row.exchanges);
  }
  const most = Math.max(1, ...[...cells.values()].flatMap((own) => [...own.values()]));
  const level = (n) => (n ? Math.min(4, 1 + Math.floor((3.99 * Math.sqrt(n)) / Math.sqrt(most))) : 0);
  const strip = (topic) => {
    const own = cells.get(topic) ?? new Map();
    return html`<svg class="chart" viewBox="0 0 ${all.length * 10} 18" height="18" preserveAspectRatio="none" role="img" aria-label=${[...own].map(([start, n]) => `${bucketName(unit, start)}: ${n}`).join(', ') || 'none with a known time'}>
      ${all.map((start, i) => html`<rect x=${i * 10} y="0" width=${all.length > 60 ? 10 : 9} height="18" class="h${level(own.get(start) ?? 0)}" data-tip=${`${bucketName(unit, start)}\n${counted(own.get(start) ?? 0, 'turn')}`} />`)}</svg>`;
  };
  return html`<${Part} id="topics" title="Topics over time">
    <p class="lead">The topics that matter most, by ${unit}; the darker, the more turns. Found by statistics of words, without a language model. A topic shows its sessions.</p>
    <${Table} caption="Topics" heads=${[['Topic', 'topic'], [html`<span class="ends"><span>${dateName(sums.start)}</span><span>${dateName(sums.end)}</span></span>`, 'strip'], ['Turns', 'n'], ['Sessions', 'n wide']]}
      rows=${data.topics.map((row, i) => [html`<button type="button" class="plain text" onClick=${() => choose({ query: row.topic })}>${row.topic}</button>`, strip(i), num(row.exchanges), num(row.sessions)])} />
  </${Part}>`;
}
