// A row of tinted cells for each topic: the number of exchanges about it over time.

function drawTopics() {
  const place = section('topics');
  if (data.topics.length === 0) return place.append(nothing('No topics yet. They are made in the background while the daemon runs.'));
  const { unit, all, of } = buckets(dated(data.activity).map((row) => row.day));
  const cells = new Map(); // topic -> bucket -> exchanges
  for (const row of dated(data.topic_days)) {
    const own = cells.get(row.topic ?? 0) ?? cells.set(row.topic ?? 0, new Map()).get(row.topic ?? 0);
    own.set(of(row.day), (own.get(of(row.day)) ?? 0) + row.exchanges);
  }
  const most = Math.max(1, ...[...cells.values()].flatMap((own) => [...own.values()]));
  const level = (n) => (n ? Math.min(4, 1 + Math.floor((3.99 * Math.sqrt(n)) / Math.sqrt(most))) : 0);
  const strip = (topic) => {
    const own = cells.get(topic) ?? new Map();
    const chart = svg('svg', { class: 'chart', viewBox: `0 0 ${all.length * 10} 18`, height: 18, preserveAspectRatio: 'none', role: 'img', 'aria-label': [...own].map(([start, n]) => `${bucketName(unit, start)}: ${n}`).join(', ') });
    all.forEach((start, i) => chart.append(svg('rect', { x: i * 10, y: 0, width: all.length > 60 ? 10 : 9, height: 18, class: `h${level(own.get(start) ?? 0)}`, 'data-tip': `${bucketName(unit, start)}\n${count(own.get(start) ?? 0, 'exchange')}` })));
    return chart;
  };
  place.append(
    el('p', { class: 'lead' }, `The topics that matter most, by ${unit}; the darker, the more exchanges. Found by statistics of words, without a language model. A topic shows its sessions.`),
    el('table', {}, el('caption', { class: 'sr' }, 'Topics'),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Topic'), el('th', { scope: 'col' }, el('span', { class: 'ends' }, el('span', {}, dateName(sums.start)), el('span', {}, dateName(sums.end)))), el('th', { class: 'n', scope: 'col' }, 'Exchanges'), el('th', { class: 'n wide', scope: 'col' }, 'Sessions'))),
      el('tbody', {}, data.topics.map((row, i) => el('tr', {},
        el('td', { class: 'topic' }, el('button', { type: 'button', class: 'plain text', onclick: () => sessionTable.filter({ query: row.topic, day: 0 }) }, row.topic)),
        el('td', { class: 'strip' }, strip(i)), el('td', { class: 'n' }, num(row.exchanges)), el('td', { class: 'n wide' }, num(row.sessions)))))));
}
