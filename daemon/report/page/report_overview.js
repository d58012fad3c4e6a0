// The sums of a report.

function Overview({ model: { data, sums, wall, dateName } }) {
  const days = new Set(dated(data.activity).map((row) => row.day));
  const calls = sum(data.activity, 'calls');
  const prompt = promptTokens(sums);
  const cost = sum(data.usage, 'cost');
  const unpriced = sum(data.usage, 'unpriced');
  const spanDays = sums.end ? Math.floor(wall(sums.end) / DAY) - Math.floor(wall(sums.start) / DAY) + 1 : 0;
  const tile = (name, value, ...notes) => html`<div><dt>${name}</dt><dd>${value}${notes.filter(Boolean).map((note) => html`<small>${note}</small>`)}</dd></div>`;
  return html`<${Part} id="overview" title="Overview">
    <p class="lead">${sums.end ? `${dateName(sums.start)} to ${dateName(sums.end)}, days and times in ${data.zone}.` : 'There is no history here yet. memd reads what agents write; `memd ingest --once` does it now.'}${data.asked ? ` Asked for: ${data.asked}` : ''}</p>
    <dl class="tiles">
      ${tile('Sessions', num(sums.sessions), sums.subagent_sessions && `and ${num(sums.subagent_sessions)} of sub-agents`)}
      ${tile('Turns', num(sums.exchanges), sums.subagent_exchanges && `and ${num(sums.subagent_exchanges)} of sub-agents`)}
      ${tile('Projects', num(new Set(data.sessions.map((session) => session.project).filter(Boolean)).size), counted(new Set(data.activity.map((row) => row.platform)).size, 'agent'))}
      ${tile('Active days', num(days.size), spanDays && `of ${num(spanDays)}`)}
      ${tile('Tool calls', short(calls), `${percent(sum(data.activity, 'errors'), calls)} ended in an error`)}
      ${tile('Test runs', num(sums.tests), sums.tests && `${num(sums.tests_failed)} failed${sums.tests_unknown ? `, ${num(sums.tests_unknown)} unknown` : ''}`)}
      ${tile('Files touched', num(sums.files), `+${short(sum(data.activity, 'added'))} −${short(sum(data.activity, 'removed'))} lines`)}
      ${tile('Tokens written', short(sums.output), prompt ? `${short(prompt)} read` : 'none counted')}
      ${tile('From cache', percent(sums.cache_read ?? 0, prompt), 'of the tokens read')}
      ${data.priced ? tile('Cost', money(sum(data.usage, 'usd')), unpriced ? `by prices; ${short(unpriced)} tokens have none` : 'by prices of models', cost && `${money(cost)} by agents themselves`)
        : tile('Cost', sums.sessions_with_cost ? money(cost) : 'not known', sums.sessions_with_cost ? `as reckoned by the agent, for ${counted(sums.sessions_with_cost, 'session')}` : 'no agent here reckons it')}
    </dl>
  </${Part}>`;
}
