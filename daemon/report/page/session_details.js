// The details below a row of the table of sessions.

// Renders a path, relative to `base` if it is below it.
function pathNode(path, base = '') {
  if (base && path.startsWith(`${base.replace(/\/+$/, '')}/`)) path = path.slice(base.replace(/\/+$/, '').length + 1);
  const cut = path.replace(/\/+$/, '').lastIndexOf('/') + 1;
  return el('span', { class: 'path text' }, el('span', { class: 'dir' }, path.slice(0, cut)), path.slice(cut));
}
const changed = (row) => (row.added || row.removed ? [el('span', { class: 'good' }, `+${num(row.added ?? 0)}`), ' ', el('span', { class: 'bad' }, `−${num(row.removed ?? 0)}`)] : '');
const marks = (row) => [row.calls ? count(row.calls, 'call') : '', row.errors ? el('span', { class: 'bad' }, `, ${num(row.errors)} failed`) : ''];

function sessionFacts(session) {
  const prompt = promptTokens(session);
  const link = (id) => el('a', { href: `#s=${encodeURIComponent(id)}` }, sessionsById.has(id) ? sessionTitle(sessionsById.get(id)) : id);
  const facts = [
    ['Id', el('code', { class: 'text' }, session.id)],
    ['Agent', platformName(session.platform) + (session.version ? ` ${session.version}` : '')],
    session.agent && ['Subagent', text(session.agent)],
    session.parent && ['Started by', link(session.parent)],
    session.forked_from && ['Forked from', link(session.forked_from)],
    session.model && ['Model', text(session.model)],
    session.branch && ['Branch', text(session.branch)],
    session.cwd && ['Directory', text(session.cwd, 'path text')],
    ['Time', `${clockName(session.start)} to ${clockName(session.end)}`],
    usedTokens(session) && ['Tokens', `${short(session.output)} written, ${short(prompt)} read (${percent(session.cache_read ?? 0, prompt)} from cache)`],
    session.cost && ['Cost', `$${session.cost.toFixed(2)}, as the agent reckons`],
    session.tests && ['Test runs', [num(session.tests), session.tests_failed && `${num(session.tests_failed)} failed`,
      session.tests_unknown && `${num(session.tests_unknown)} unknown`, !session.tests_failed && !session.tests_unknown && 'all passed'].filter(Boolean).join(', ')],
    session.compactions && ['Compactions', num(session.compactions)],
    session.retries && ['Retries', num(session.retries)],
  ];
  return el('dl', { class: 'facts' }, facts.filter(Boolean).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

// Renders the line of a turn, which expands to the whole prompt if that is longer.
function turnText(turn) {
  const line = el('span', { class: 'text', dir: 'auto' }, turn.line || '(no words)');
  if (!turn.asked) return el('span', { class: 'line' }, line);
  return el('details', { class: 'line' }, el('summary', {}, line), el('p', { class: 'quote text', dir: 'auto' }, turn.asked));
}

function sessionDetails(session) {
  const block = (name, ...content) => el('div', {}, el('h4', {}, name), content);
  const agents = data.sessions.filter((other) => other.parent === session.id);
  const files = session.files ?? [];
  const turns = session.turns ?? [];
  const rest = (all, shown, what) => all > shown && el('p', { class: 'muted small' }, `and ${num(all - shown)} more ${what}`);
  return el('div', { class: 'panel' },
    sessionFacts(session),
    session.evicted && el('p', { class: 'small' }, 'The texts of this session were dropped by the retention policy: the first lines of each exchange are left.'),
    !session.detail && el('p', { class: 'small' }, 'Left out to bound the size of this page. The store has it: ', el('code', {}, `memd recent ${session.id}`)),
    (session.goal || session.last_said) && el('div', { class: 'two' },
      session.goal && block('Asked for at first', el('p', { class: 'quote text', dir: 'auto' }, session.goal)),
      session.last_said && block('Said at last', el('p', { class: 'quote text', dir: 'auto' }, session.last_said))),
    session.decisions && block('Decisions', el('ul', {}, session.decisions.map((line) => el('li', { class: 'text', dir: 'auto' }, line)))),
    session.topics && block('Topics', el('div', { class: 'chips' }, session.topics.map((topic) => el('button', { type: 'button', class: 'chip text', onclick: () => sessionTable.filter({ query: topic }) }, topic)))),
    (files.length > 0 || turns.length > 0) && el('div', { class: files.length && turns.length ? '' : 'two' },
      files.length > 0 && block(`Files (${num(session.files_total)})`,
        el('div', { class: 'scroll' }, el('table', {}, el('tbody', {}, files.map((file) => el('tr', {}, el('td', {}, pathNode(file.path, session.cwd)),
          el('td', { class: 'n small muted' }, [file.edits && count(file.edits, 'edit'), file.reads && count(file.reads, 'read')].filter(Boolean).join(', ') || 'named'), el('td', { class: 'n small wide' }, changed(file))))))),
        rest(session.files_total, files.length, 'files'))),
    turns.length > 0 && block('Exchanges', el('ol', { class: 'turns' }, turns.map((turn) =>
      el('li', {}, el('span', { class: 'muted small' }, clockName(turn.time)), el('code', { class: 'muted' }, `x${turn.x}`), turnText(turn), el('span', { class: 'muted small marks' }, marks(turn))))),
      rest(session.exchanges ?? 0, turns.length, 'exchanges')),
    agents.length > 0 && block('Subagents', el('ul', {}, agents.slice(0, 40).map((agent) => el('li', {}, el('a', { href: `#s=${encodeURIComponent(agent.id)}` }, text(sessionTitle(agent))), el('span', { class: 'muted small' }, ` ${agent.agent ?? ''} ${count(agent.calls ?? 0, 'call')}`)))), rest(agents.length, 40, 'subagents')),
    el('p', { class: 'muted small' }, 'All of it: ', el('code', { class: 'text' }, `memd export ${session.id} --format html -o session.html`)));
}
