// The parts of the agents' files that were read, and those that were not.

const fates = [['indexed', 'indexed'], ['skipped', 'skipped, for a reason'], ['pending', 'not read yet'], ['unknown', 'of unknown shape']];

function drawCoverage() {
  const place = section('coverage');
  if (data.platforms.length === 0) return place.append(nothing('No source of any agent is known yet.'));
  const stack = (row) => {
    const bar = el('div', { class: 'stack', role: 'img', 'aria-label': fates.map(([key, name]) => `${name} ${percent(row[key] ?? 0, row.bytes)}`).join(', '), 'data-tip': fates.filter(([key]) => row[key]).map(([key, name]) => `${bytes(row[key])} ${name}`).join('\n') });
    for (const [key] of fates) {
      const part = el('i', { class: `c-${key}` });
      part.style.flexGrow = row[key] ?? 0;
      if (row[key]) part.style.minWidth = '2px';
      bar.append(part);
    }
    return bar;
  };
  const behind = (row) => (row.bytes_behind ? `${bytes(row.bytes_behind)} behind` : 'up to date');
  place.append(
    el('p', { class: 'lead' }, 'Each byte of each source is accounted for. Of all sources, whatever project and time this report is about.'),
    el('div', { class: 'scroll' }, el('table', {}, el('caption', { class: 'sr' }, 'Coverage by agent'),
      el('thead', {}, el('tr', {}, [['Agent', ''], ['Bytes', ''], ['Size', 'n wide'], ['Indexed', 'n'], ['Unknown', 'n'], ['Sources', 'n wide'], ['Newest event', 'n wide'], ['At the last look', 'n wide']].map(([head, className]) => el('th', { class: className, scope: 'col' }, head)))),
      el('tbody', {}, data.platforms.map((row) => el('tr', {},
        el('td', {}, platformMark(row.platform), platformName(row.platform)), el('td', { class: 'bar-cell' }, stack(row)), el('td', { class: 'n wide' }, bytes(row.bytes ?? 0)), el('td', { class: 'n' }, percent(row.indexed ?? 0, row.bytes)),
        el('td', { class: `n ${row.unknown ? 'bad' : ''}` }, percent(row.unknown ?? 0, row.bytes)), el('td', { class: 'n wide' }, num(row.sources ?? 0)), el('td', { class: 'n wide' }, clockName(row.last_event)), el('td', { class: 'n wide' }, behind(row))))))),
    legend(fates.map(([key, name]) => [`c-${key}`, name])));
  for (const [platform, rows] of Map.groupBy(data.ledger.filter((row) => row.fate !== 'indexed'), (row) => row.platform)) {
    const shown = rows.sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0)).slice(0, 40);
    place.append(el('details', { class: 'ledger' }, el('summary', {}, `${platformName(platform)}: what was not indexed, and why`),
      el('div', { class: 'scroll' }, el('table', {}, el('caption', { class: 'sr' }, `Ledger of ${platformName(platform)}`),
        el('thead', {}, el('tr', {}, ['Record', 'Fate', 'Reason', 'Records', 'Bytes'].map((head, i) => el('th', { class: i > 2 ? 'n' : '', scope: 'col' }, head)))),
        el('tbody', {}, shown.map((row) => el('tr', {}, el('td', { class: 'path text' }, row.type), el('td', { class: row.fate === 'unknown' ? 'bad' : '' }, row.fate), el('td', { class: 'text' }, row.reason ?? ''), el('td', { class: 'n' }, num(row.records ?? 0)), el('td', { class: 'n' }, bytes(row.bytes ?? 0))))))),
      rows.length > shown.length && el('p', { class: 'muted small' }, `and ${num(rows.length - shown.length)} smaller lines: `, el('code', {}, 'memd coverage'))));
  }
}

function drawGaps() {
  const place = section('gaps');
  if (data.gaps.length === 0) return place.append(nothing('Nothing that memd knows of.'));
  const list = ([platform, gaps]) =>
    el('li', {}, el('span', { class: 'muted' }, platform ? platformName(platform) : 'All agents'), el('ul', {}, gaps.map((gap) => el('li', { class: gap.warning ? 'warning' : '' }, text(gap.text)))));
  place.append(el('ul', { class: 'gaps' }, [...Map.groupBy(data.gaps, (gap) => gap.platform ?? '')].sort(([a], [b]) => (a === '' ? -1 : b === '' ? 1 : 0)).map(list)));
}
