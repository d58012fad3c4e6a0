// The table of sessions: search, filters, order, details.

const sessionColumns = [
  ['title', 'Session', '', (s) => sessionTitle(s).toLowerCase()],
  ['end', 'Last active', 'n wide', (s) => s.end ?? 0],
  ['length', 'Took', 'n wide', (s) => s.took ?? 0],
  ['exchanges', 'Turns', 'n', (s) => s.exchanges ?? 0],
  ['calls', 'Tool calls', 'n wide', (s) => s.calls ?? 0],
  ['lines', 'Lines', 'n wide', (s) => (s.added ?? 0) + (s.removed ?? 0)],
  ['output', 'Tokens out', 'n wide', (s) => s.output ?? 0],
  ['outcome', 'Outcome', 'wide', (s) => s.outcome ?? ''],
];
const allSessions = { query: '', platform: '', project: '', outcome: '', day: 0 };
const searchedText = (s) => (s.searched ??= [s.id, s.title, s.project, agentName(s.platform), s.model, s.branch, s.agent, s.goal, ...(s.topics ?? []), ...(s.decisions ?? []), ...(s.files ?? []).map((f) => f.path),
  ...(s.turns ?? []).flatMap((t) => [`x${t.x}`, t.line])].join('\n').toLowerCase());

function sessionsThatFit({ data, wall }, state) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const [, , , value] = sessionColumns.find(([key]) => key === state.key);
  const order = state.down ? -1 : 1;
  const isOf = (s, day) => wall(s.start) < day + DAY && wall(s.end ?? s.start) >= day;
  return data.sessions
    .filter((s) => (state.agents || !s.parent) && (!state.platform || s.platform === state.platform) && (!state.project || (s.project ?? '') === state.project) &&
      (!state.outcome || (s.outcome ?? 'unknown') === state.outcome) && (!state.day || isOf(s, state.day)) && words.every((word) => searchedText(s).includes(word)))
    .sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return x < y ? -order : x > y ? order : (b.end ?? 0) - (a.end ?? 0);
    });
}
const rowOf = (session) => `session-${session.id}`;

// What is chosen of the table. Other parts of the report choose too; the table is then scrolled to.
function useSessionTable(model) {
  const [state, setState] = useState({ ...allSessions, agents: false, key: 'end', down: true, shown: 25, opened: new Set() });
  const [place, setPlace] = useState('');
  useLayoutEffect(() => {
    const node = document.getElementById(place);
    node?.scrollIntoView({ block: 'start' });
    node?.querySelector('tr > td > button.plain')?.focus({ preventScroll: true });
    setPlace('');
  }, [place]);
  const change = (some) => setState((before) => ({ ...before, shown: 25, ...some }));
  const choose = (some) => {
    change({ ...(some.query !== undefined && { day: 0 }), ...some });
    setPlace('sessions');
  };
  const toggle = (id) => setState((before) => {
    const opened = new Set(before.opened);
    if (!opened.delete(id)) opened.add(id);
    return { ...before, opened };
  });
  const open = (id) => {
    const session = model.sessionsById.get(id);
    if (!session) return;
    setState((before) => {
      const opened = new Set(before.opened).add(id);
      if (sessionsThatFit(model, before).slice(0, before.shown).includes(session)) return { ...before, opened };
      const after = { ...before, ...allSessions, agents: before.agents || Boolean(session.parent), opened };
      return { ...after, shown: Math.max(before.shown, sessionsThatFit(model, after).indexOf(session) + 1) };
    });
    setPlace(rowOf(session));
  };
  return { state, change, choose, toggle, open };
}

function SessionRows({ model, session, table }) {
  const { clockName, dateName } = model;
  const isOpen = table.state.opened.has(session.id);
  const cells = {
    title: html`<button type="button" class="plain" aria-expanded=${`${isOpen}`} onClick=${() => table.toggle(session.id)}><span class="title text" dir="auto">${sessionTitle(session)}</span>
      <span class="where"><${Dot} agent=${session.platform} />${text([agentName(session.platform), session.project, session.agent && `sub-agent ${session.agent}`].filter(Boolean).join(' · '))}<span class="narrow">${`\u00a0· ${dateName(session.end)}`}</span></span></button>`,
    end: clockName(session.end),
    length: duration(session.took ?? 0),
    exchanges: num(session.exchanges),
    calls: html`${num(session.calls)}${session.errors && html`<span class="bad" data-tip="${num(session.errors)} ended in an error"> (${num(session.errors)})</span>`}`,
    lines: linesChanged(session),
    output: session.output ? short(session.output) : '–',
    outcome: session.outcome && html`<span class=${{ success: 'good', fail: 'bad' }[session.outcome] ?? 'muted'} data-tip=${session.reasons?.join(', ').replaceAll('_', ' ')}>${session.outcome}</span>`,
  };
  return html`<tr id=${rowOf(session)} class=${isOpen ? 'open' : ''}>${sessionColumns.map(([key, , className]) => html`<td class=${className}>${cells[key]}</td>`)}</tr>
    ${isOpen && html`<tr class="details"><td colspan=${sessionColumns.length}><${SessionDetails} model=${model} session=${session} choose=${table.choose} /></td></tr>`}`;
}

function SessionTable({ model, table }) {
  const { data } = model;
  const { state, change } = table;
  const fit = useMemo(() => sessionsThatFit(model, state), [model, state]);
  if (data.sessions.length === 0) return html`<${Part} id="sessions" title="Sessions">${nothing('No session fits what was asked for.')}</${Part}>`;
  const options = (values, name, all) => [['', all], ...[...new Set(values)].sort().map((value) => [value, name(value)])];
  const same = (value) => value;
  const set = (key) => (value) => change({ [key]: value });
  const sort = (key) => change({ shown: state.shown, key, down: state.key === key ? !state.down : key !== 'title' && key !== 'outcome' });
  const left = fit.length - state.shown;
  return html`<${Part} id="sessions" title="Sessions">
    <div class="filters screen"><input type="search" placeholder="Search titles, prompts, topics, files, ids…" aria-label="Search sessions" value=${state.query} onInput=${({ target }) => change({ query: target.value })} />
      ${choice('Agent', options(data.sessions.map((s) => s.platform), agentName, 'All agents'), state.platform, set('platform'))}
      ${choice('Project', options(data.sessions.map((s) => s.project ?? '').filter(Boolean), same, 'All projects'), state.project, set('project'))}
      ${choice('Outcome', options(data.sessions.map((s) => s.outcome ?? 'unknown'), same, 'Any outcome'), state.outcome, set('outcome'))}
      ${data.sessions.some((s) => s.parent) && html`<label class="check"><input type="checkbox" checked=${state.agents} onChange=${({ target }) => change({ agents: target.checked })} /> Sub-agents</label>`}</div>
    <div class="chips">${state.day !== 0 && html`<button type="button" class="chip" onClick=${() => change({ day: 0 })}>active on ${dayName(state.day)} ✕</button>`}</div>
    <table class="sessions"><caption class="sr">Sessions. Activate a title for its details; times are ${data.zone}.</caption>
      <thead><tr>${sessionColumns.map(([key, name, className]) => html`<th class=${className} scope="col" aria-sort=${state.key === key ? (state.down ? 'descending' : 'ascending') : undefined}><button type="button" class="sort" onClick=${() => sort(key)}>${name}</button></th>`)}</tr></thead>
      <tbody>${fit.slice(0, state.shown).map((session) => html`<${SessionRows} key=${session.id} model=${model} session=${session} table=${table} />`)}</tbody></table>
    <div class="more">${left > 0 && html`<button type="button" class="screen" onClick=${() => change({ shown: state.shown + 100 })}>Show ${num(Math.min(100, left))} more</button>`}
      <span class="muted small" role="status">${fit.length ? `${num(Math.min(state.shown, fit.length))} of ${counted(fit.length, 'session')}` : 'No session fits.'}</span></div>
  </${Part}>`;
}
