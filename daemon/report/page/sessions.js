// The table of sessions: search, filters, order, pages, details.

const sessionTable = (() => {
  const state = { query: '', platform: '', project: '', outcome: '', agents: false, day: 0, key: 'end', down: true, shown: 25 };
  const opened = new Set();
  const body = el('tbody', {});
  const said = el('span', { class: 'muted small', role: 'status' });
  const more = el('button', { type: 'button', class: 'screen', onclick: () => ((state.shown += 100), draw()) });
  const chips = el('div', { class: 'chips' });
  const inputs = {};

  const length = (s) => s.took ?? 0;
  const columns = [
    ['title', 'Session', '', (s) => sessionTitle(s).toLowerCase()],
    ['end', 'Last active', 'n wide', (s) => s.end ?? 0],
    ['length', 'Took', 'n wide', length],
    ['exchanges', 'Exchanges', 'n', (s) => s.exchanges ?? 0],
    ['calls', 'Tool calls', 'n wide', (s) => s.calls ?? 0],
    ['lines', 'Lines', 'n wide', (s) => (s.added ?? 0) + (s.removed ?? 0)],
    ['output', 'Tokens out', 'n wide', (s) => s.output ?? 0],
    ['outcome', 'Outcome', 'wide', (s) => s.outcome ?? ''],
  ];

  const haystacks = new Map();
  const haystack = (s) => {
    if (!haystacks.has(s.id))
      haystacks.set(s.id, [s.id, s.title, s.project, platformName(s.platform), s.model, s.branch, s.agent, s.goal, ...(s.topics ?? []), ...(s.decisions ?? []), ...(s.files ?? []).map((f) => f.path), ...(s.turns ?? []).flatMap((t) => [`x${t.x}`, t.line])].join('\n').toLowerCase());
    return haystacks.get(s.id);
  };
  const activeOn = (s, day) => wall(s.start) < day + DAY && wall(s.end ?? s.start) >= day;

  function chosen() {
    const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const [, , , value] = columns.find(([key]) => key === state.key);
    const order = state.down ? -1 : 1;
    return data.sessions
      .filter((s) => (state.agents || !s.parent) && (!state.platform || s.platform === state.platform) && (!state.project || (s.project ?? '') === state.project) &&
        (!state.outcome || (s.outcome ?? 'unknown') === state.outcome) && (!state.day || activeOn(s, state.day)) && words.every((word) => haystack(s).includes(word)))
      .sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return x < y ? -order : x > y ? order : (b.end ?? 0) - (a.end ?? 0);
      });
  }

  function row(session) {
    const isOpen = opened.has(session.id);
    const toggle = () => {
      if (!opened.delete(session.id)) opened.add(session.id);
      draw();
      document.getElementById(`s-${data.sessions.indexOf(session)}`)?.querySelector('button').focus();
    };
    const cells = {
      title: el('button', { type: 'button', class: 'plain', 'aria-expanded': `${isOpen}`, onclick: toggle },
        el('span', { class: 'title text', dir: 'auto' }, sessionTitle(session)),
        el('span', { class: 'where' }, platformMark(session.platform), text([platformName(session.platform), session.project, session.agent && `subagent ${session.agent}`].filter(Boolean).join(' · ')), el('span', { class: 'narrow' }, `\u00a0· ${dateName(session.end)}`))),
      end: clockName(session.end),
      length: duration(length(session)),
      exchanges: num(session.exchanges ?? 0),
      calls: [num(session.calls ?? 0), session.errors ? el('span', { class: 'bad', 'data-tip': `${num(session.errors)} ended in an error` }, ` (${num(session.errors)})`) : ''],
      lines: changed(session),
      output: session.output ? short(session.output) : '–',
      outcome: session.outcome ? el('span', { class: { success: 'good', fail: 'bad' }[session.outcome] ?? 'muted', ...(session.reasons && { 'data-tip': session.reasons.join(', ').replaceAll('_', ' ') }) }, session.outcome) : '',
    };
    const line = el('tr', { id: `s-${data.sessions.indexOf(session)}`, class: isOpen ? 'open' : '' }, columns.map(([key, , className]) => el('td', { class: className }, cells[key])));
    return isOpen ? [line, el('tr', { class: 'details' }, el('td', { colspan: columns.length }, sessionDetails(session)))] : [line];
  }

  const heads = columns.map(([key, name, className]) =>
    el('th', { class: className, scope: 'col' }, el('button', { type: 'button', class: 'sort', onclick: () => {
      state.down = state.key === key ? !state.down : key !== 'title' && key !== 'outcome';
      state.key = key;
      draw();
    } }, name)));

  function draw() {
    const all = chosen();
    body.replaceChildren(...all.slice(0, state.shown).flatMap(row));
    heads.forEach((head, i) => (columns[i][0] === state.key ? head.setAttribute('aria-sort', state.down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort')));
    said.textContent = all.length ? `${num(Math.min(state.shown, all.length))} of ${count(all.length, 'session')}` : 'No session fits.';
    more.hidden = all.length <= state.shown;
    more.textContent = `Show ${num(Math.min(100, all.length - state.shown))} more`;
    chips.replaceChildren(...(state.day ? [el('button', { type: 'button', class: 'chip', onclick: () => filter({ day: 0 }) }, `active on ${dayName(state.day)} ✕`)] : []));
  }

  function filter(changes) {
    Object.assign(state, changes, { shown: 25 });
    for (const [key, input] of Object.entries(inputs)) input[input.type === 'checkbox' ? 'checked' : 'value'] = state[key];
    draw();
    if (changes.query !== undefined) section('sessions').scrollIntoView();
  }

  function open(id) {
    const session = sessionsById.get(id);
    if (!session) return;
    opened.add(id);
    if (!chosen().slice(0, state.shown).includes(session)) {
      filter({ query: '', platform: '', project: '', outcome: '', day: 0, agents: state.agents || Boolean(session.parent) });
      state.shown = Math.max(state.shown, chosen().indexOf(session) + 1);
    }
    draw();
    const line = document.getElementById(`s-${data.sessions.indexOf(session)}`);
    line.scrollIntoView({ block: 'start' });
    line.querySelector('button').focus({ preventScroll: true });
  }

  function place() {
    const options = (values, name, all) => [['', all], ...[...new Set(values)].sort().map((value) => [value, name(value)])];
    const same = (value) => value;
    const set = (key) => (value) => ((state[key] = value), (state.shown = 25), draw());
    const listed = data.sessions;
    if (listed.length === 0) return section('sessions').append(nothing('No session fits what was asked for.'));
    inputs.query = el('input', { type: 'search', placeholder: 'Search titles, prompts, topics, files, ids…', 'aria-label': 'Search sessions', oninput: ({ target }) => set('query')(target.value) });
    inputs.platform = choice('Agent', options(listed.map((s) => s.platform), platformName, 'All agents'), '', set('platform'));
    inputs.project = choice('Project', options(listed.map((s) => s.project ?? '').filter(Boolean), same, 'All projects'), '', set('project'));
    inputs.outcome = choice('Outcome', options(listed.map((s) => s.outcome ?? 'unknown'), same, 'Any outcome'), '', set('outcome'));
    inputs.agents = el('input', { type: 'checkbox', onchange: ({ target }) => set('agents')(target.checked) });
    section('sessions').append(
      el('div', { class: 'filters screen' }, inputs.query, inputs.platform, inputs.project, inputs.outcome,
        listed.some((s) => s.parent) && el('label', { class: 'check' }, inputs.agents, 'Subagents')),
      chips,
      el('table', { class: 'sessions' }, el('caption', { class: 'sr' }, `Sessions. Activate a title for its details; times are ${zone}.`), el('thead', {}, el('tr', {}, heads)), body),
      el('div', { class: 'more' }, more, said));
    draw();
  }
  return { place, filter, open };
})();
