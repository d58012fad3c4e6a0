// The details below a row of the table of sessions.

// A path, relative to `base` if it is below it.
function PathName({ path, base = '' }) {
  const root = `${base.replace(/\/+$/, '')}/`;
  const shown = base && path.startsWith(root) ? path.slice(root.length) : path;
  const cut = shown.replace(/\/+$/, '').lastIndexOf('/') + 1;
  return html`<span class="path text"><span class="dir">${shown.slice(0, cut)}</span>${shown.slice(cut)}</span>`;
}
const linesChanged = (row) => (row.added || row.removed ? html`<span class="good">+${num(row.added)}</span> <span class="bad">−${num(row.removed)}</span>` : '');
const callsOf = (row) => html`${row.calls && counted(row.calls, 'call')}${row.errors && html`<span class="bad">, ${num(row.errors)} failed</span>`}`;

function SessionFacts({ model: { sessionsById, hrefOf, clockName }, session }) {
  const prompt = promptTokens(session);
  const link = (id) => html`<a href=${hrefOf(id)}>${sessionsById.has(id) ? sessionTitle(sessionsById.get(id)) : id}</a>`;
  const facts = [
    ['Id', html`<code class="text">${session.id}</code>`],
    ['Agent', agentName(session.platform) + (session.version ? ` ${session.version}` : '')],
    session.agent && ['Sub-agent', text(session.agent)],
    session.parent && ['Started by', link(session.parent)],
    session.forked_from && ['Forked from', link(session.forked_from)],
    session.model && ['Model', text(session.model)],
    session.branch && ['Branch', text(session.branch)],
    session.cwd && ['Directory', text(session.cwd, 'path text')],
    ['Time', `${clockName(session.start)} to ${clockName(session.end)}`],
    usedTokens(session) && ['Tokens', `${short(session.output)} written, ${short(prompt)} read (${percent(session.cache_read ?? 0, prompt)} from cache)`],
    session.cost && ['Cost', `${money(session.cost)}, as the agent reckons`],
    session.tests && ['Test runs', [num(session.tests), session.tests_failed && `${num(session.tests_failed)} failed`,
      session.tests_unknown && `${num(session.tests_unknown)} unknown`, !session.tests_failed && !session.tests_unknown && 'all passed'].filter(Boolean).join(', ')],
    session.compactions && ['Compactions', num(session.compactions)],
    session.retries && ['Retries', num(session.retries)],
  ];
  return html`<dl class="facts">${facts.filter(Boolean).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// The line of a turn, which unfolds to the whole prompt if that is longer.
const TurnLine = ({ turn }) => {
  const line = text(turn.line || '(no words)');
  return turn.asked ? html`<details class="line"><summary>${line}</summary><p class="quote text" dir="auto">${turn.asked}</p></details>` : html`<span class="line">${line}</span>`;
};

function SessionDetails({ model, session, choose }) {
  const { data, hrefOf, clockName } = model;
  const block = (name, ...content) => html`<div><h3>${name}</h3>${content}</div>`;
  const helpers = data.sessions.filter((other) => other.parent === session.id);
  const files = session.files ?? [];
  const turns = session.turns ?? [];
  const rest = (all, shown, what) => all > shown && html`<p class="muted small">and ${num(all - shown)} more ${what}</p>`;
  return html`<div class="panel">
    <${SessionFacts} model=${model} session=${session} />
    ${session.evicted && html`<p class="small">The texts of this session were dropped by the retention policy: the first lines of each turn are left.</p>`}
    ${!session.detail && html`<p class="small">Left out to bound the size of this page. The store has it: <code>memd recent ${session.id}</code></p>`}
    ${(session.goal || session.last_said) && html`<div class="two">
      ${session.goal && block('Asked for at first', html`<p class="quote text" dir="auto">${session.goal}</p>`)}
      ${session.last_said && block('Said at last', html`<p class="quote text" dir="auto">${session.last_said}</p>`)}</div>`}
    ${session.decisions && block('Decisions', html`<ul>${session.decisions.map((line) => html`<li class="text" dir="auto">${line}</li>`)}</ul>`)}
    ${session.topics && block('Topics', html`<div class="chips">${session.topics.map((topic) => html`<button type="button" class="chip text" onClick=${() => choose({ query: topic })}>${topic}</button>`)}</div>`)}
    ${files.length > 0 && block(`Files (${num(session.files_total)})`, html`<div class="scroll" tabindex="0" role="group" aria-label="Files"><table><tbody>${files.map((file) => html`<tr><td><${PathName} path=${file.path} base=${session.cwd} /></td>
      <td class="n small muted">${[file.edits && counted(file.edits, 'edit'), file.reads && counted(file.reads, 'read')].filter(Boolean).join(', ') || 'named'}</td><td class="n small wide">${linesChanged(file)}</td></tr>`)}</tbody></table></div>`,
      rest(session.files_total, files.length, 'files'))}
    ${turns.length > 0 && block('Turns', html`<ol class="turns">${turns.map((turn) => html`<li><span class="muted small">${clockName(turn.time)}</span><code class="muted">x${turn.x}</code><${TurnLine} turn=${turn} /><span class="muted small marks">${callsOf(turn)}</span></li>`)}</ol>`,
      rest(session.exchanges ?? 0, turns.length, 'turns'))}
    ${helpers.length > 0 && block('Sub-agents', html`<ul>${helpers.slice(0, 40).map((helper) => html`<li><a href=${hrefOf(helper.id)}>${text(sessionTitle(helper))}</a><span class="muted small"> ${helper.agent ?? ''} ${counted(helper.calls ?? 0, 'call')}</span></li>`)}</ul>`,
      rest(helpers.length, 40, 'sub-agents'))}
    <p class="muted small">All of it: ${model.reads ? html`<a href=${hrefOf(session.id)}>read it</a>` : html`<code class="text">memd export ${session.id} --format html -o session.html</code>`}</p>
  </div>`;
}
