function drawOverview() {
  const days = new Set(dated(data.activity).map((row) => row.day));
  const calls = sum(data.activity, 'calls');
  const errors = sum(data.activity, 'errors');
  const prompt = promptTokens(sums);
  const cost = sum(data.usage, 'cost');
  const tile = (name, value, ...notes) => el('div', {}, el('dt', {}, name), el('dd', {}, value, notes.filter(Boolean).map((note) => el('small', {}, note))));
  const spanDays = sums.end ? Math.floor(wall(sums.end) / DAY) - Math.floor(wall(sums.start) / DAY) + 1 : 0;
  section('overview').append(
    el('p', { class: 'lead' }, sums.end ? `${dateName(sums.start)} to ${dateName(sums.end)}, days and times in ${zone}.` : 'There is no history here yet. memd reads what agents write; `memd ingest --once` does it now.',
      data.asked ? ` Asked for: ${data.asked}` : ''),
    el('dl', { class: 'tiles' },
      tile('Sessions', num(sums.sessions), sums.subagent_sessions && `and ${num(sums.subagent_sessions)} of subagents`),
      tile('Exchanges', num(sums.exchanges), sums.subagent_exchanges && `and ${num(sums.subagent_exchanges)} of subagents`),
      tile('Projects', num(new Set(data.sessions.map((session) => session.project).filter(Boolean)).size), count(new Set(data.activity.map((row) => row.platform)).size, 'agent')),
      tile('Active days', num(days.size), spanDays ? `of ${num(spanDays)}` : ''),
      tile('Tool calls', short(calls), `${percent(errors, calls)} ended in an error`),
      tile('Test runs', num(sums.tests), sums.tests ? `${num(sums.tests_failed)} failed${sums.tests_unknown ? `, ${num(sums.tests_unknown)} unknown` : ''}` : ''),
      tile('Files touched', num(sums.files), `+${short(sum(data.activity, 'added'))} −${short(sum(data.activity, 'removed'))} lines`),
      tile('Tokens written', short(sums.output), prompt ? `${short(prompt)} read` : 'none counted'),
      tile('From cache', percent(sums.cache_read ?? 0, prompt), 'of the tokens read'),
      data.priced ? tile('Cost', `$${sum(data.usage, 'usd').toFixed(2)}`, sum(data.usage, 'unpriced') ? `by prices; ${short(sum(data.usage, 'unpriced'))} tokens have none` : 'by prices of models', cost ? `$${cost.toFixed(2)} by agents themselves` : '')
      : tile('Cost', sums.sessions_with_cost ? `$${cost.toFixed(2)}` : 'not known',
        sums.sessions_with_cost ? `as reckoned by the agent, for ${count(sums.sessions_with_cost, 'session')}` : 'no agent here reckons it')));
}
