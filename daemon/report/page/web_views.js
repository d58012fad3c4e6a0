// A project, usage, memories and files.

const kUsageBy = ['day', 'week', 'month', 'model', 'agent', 'project', 'branch', 'session'];
const tokensOf = (row) => row.tokens_input + row.tokens_output + row.tokens_cache_read + row.tokens_cache_creation;

// The project that the filter names, over its sessions; shown where no session is read.
function Project({ filters, version }) {
  const project = useSettled(filters.project).trim();
  const { answer, error } = useAnswer('session_summary', project ? { level: 4, project, max_tokens: 8000 } : null, version);
  const back = html`<p><a class="back" href="#/">‹ Back</a></p>`;
  if (!project || !answer) return html`<div class="nothing">${back}<${Empty}>${(project && error?.message) || 'Choose a session to read it.'}</${Empty}></div>`;
  const list = (title, lines) => lines.length > 0 && html`<h3>${title}</h3><ul>${lines.map((line) => html`<li class="text">${line}</li>`)}</ul>`;
  return html`<section class="nothing detail" tabindex="0" aria-label="Project">
    ${back}
    <h2 class="text">${answer.session_name}</h2>
    <p class="small muted text">${answer.project}</p>
    ${answer.summary.split('\n').map((line) => html`<p class="text">${line}</p>`)}
    ${list('Decided', answer.key_decisions.map((one) => one.text))}
    ${list('Open', answer.open_ends.map((one) => one.text))}
    ${list('Files', answer.files_modified.map((one) => html`<a href=${`#/files/${encodeURIComponent(one.path)}`} class="mono">${one.path.startsWith(`${answer.project}/`) ? one.path.slice(answer.project.length + 1) : one.path}</a> <span class="small muted">+${one.lines_added} −${one.lines_removed}</span>`))}
    ${answer.topics.length > 0 && html`<p class="small muted text">${answer.topics.join(' · ')}</p>`}
  </section>`;
}

function Usage({ filters, change, version }) {
  const [by, setBy] = useState('day');
  const { answer, error } = useAnswer('list_sessions', { platform: filters.agent, project: useSettled(filters.project), since: filters.since, all_projects: true, usage: by, n_results: 400 }, version);
  const [total, ...rows] = answer?.usage ?? [];
  const most = Math.max(1, ...rows.map((row) => row.cost_usd ?? 0));
  const mostTokens = Math.max(1, ...rows.map(tokensOf));
  const share = (row) => (total?.cost_usd ? (row.cost_usd ?? 0) / most : tokensOf(row) / mostTokens);
  const cost = (row) => (row.cost_usd === undefined ? '' : `${row.lower_bound ? '≥ ' : ''}${money(row.cost_usd)}`);
  return html`<section class="view" aria-label="Usage">
    <h2>Usage</h2>
    <${Filters} filters=${filters} change=${change} />
    <div class="tabs" role="group" aria-label="A row is">${kUsageBy.map((one) => html`<button type="button" aria-pressed=${one === by} onClick=${() => setBy(one)}>${one}</button>`)}</div>
    ${error && html`<${Problem} error=${error} />`}
    ${total && html`<p class="total"><strong>${cost(total) || `${short(tokensOf(total))} tokens`}</strong> <span class="muted">${short(total.tokens_input)} in · ${short(total.tokens_output)} out · ${short(total.tokens_cache_read)} from the cache${total.unpriced_tokens ? ` · ${short(total.unpriced_tokens)} tokens without a price` : ''}</span></p>`}
    ${answer && !rows.length && html`<${Empty}>No model was used.</${Empty}>`}
    ${rows.length > 0 && html`<div class="table-box" tabindex="0" role="region" aria-label="Usage by ${by}"><table class="usage">
      <caption class="sr">Tokens and cost by ${by}</caption>
      <thead><tr><th scope="col">${by}</th><td class="bars"></td><th scope="col">Cost</th><th scope="col">In</th><th scope="col">Out</th><th scope="col">From the cache</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.key}><th scope="row" class="text">${by === 'agent' ? agentName(row.key) : row.key || 'unknown'}</th>
        <td class="bars"><span class="meter" style=${{ width: `${Math.max(share(row) * 100, 0.5)}%` }}></span></td>
        <td>${cost(row)}</td><td>${short(row.tokens_input)}</td><td>${short(row.tokens_output)}</td><td>${short(row.tokens_cache_read)}</td></tr>`)}</tbody>
    </table></div>`}
  </section>`;
}

// All pages of a list of memories.
function useMemories(query, cwd, version) {
  const [state, setState] = useState({ busy: true });
  useEffect(() => {
    const stop = new AbortController();
    const found = [];
    const tool = query ? 'memory_search' : 'memory_read';
    askPages(tool, { query, cwd, max_tokens: 8000 }, (answer) => found.push(...answer.memories) && found.length < 2000, { signal: stop.signal }).then(
      () => setState({ memories: found }), (error) => error.name !== 'AbortError' && setState({ error, memories: [] }));
    return () => stop.abort();
  }, [query, cwd, version]);
  return state;
}

function Editor({ memory, cwd, done }) {
  const [text, setText] = useState(memory.text ?? '');
  const [title, setTitle] = useState(memory.title ?? '');
  const [type, setType] = useState('learning');
  const [error, setError] = useState(null);
  const save = async (event) => {
    event.preventDefault();
    const change = memory.slug ? { action: 'update', slug: memory.slug, version: memory.version } : { action: 'create', type };
    ask('memory_write', { ...change, title, text, cwd }).then((answer) => done(answer.slug), setError);
  };
  return html`<form class="editor" onSubmit=${save}>
    <label>Title <input type="text" required value=${title} onInput=${(event) => setTitle(event.target.value)} /></label>
    ${!memory.slug && html`<label>Type <select value=${type} onChange=${(event) => setType(event.target.value)}>${['decision', 'learning', 'gotcha', 'blocker', 'pattern', 'hub'].map((one) => html`<option>${one}</option>`)}</select></label>`}
    <label>Text <textarea rows="14" required value=${text} onInput=${(event) => setText(event.target.value)}></textarea></label>
    ${error && html`<${Problem} error=${error} />`}
    <p class="buttons"><button type="submit" class="main">Save</button><button type="button" onClick=${() => done()}>Cancel</button></p>
  </form>`;
}

function Memory({ slug, cwd, changed }) {
  const [version, setVersion] = useState(0);
  const [editing, setEditing] = useState(false);
  const [told, setTold] = useState('');
  const [deleted, setDeleted] = useState(false);
  const { answer, error } = useAnswer('memory_read', { slug, cwd, max_tokens: 8000 }, version);
  useEffect(() => { setEditing(false); setTold(''); setDeleted(false); }, [slug]);
  const memory = answer?.memories[0];
  const again = (words) => { setEditing(false); setVersion(version + 1); setTold(words ?? ''); changed(); };
  const write = (action, then) => ask('memory_write', { action, slug, cwd }).then(then, (problem) => setTold(problem.message));
  const remove = () => write('delete', () => { setDeleted(true); changed(); });
  const verify = () => {
    setTold('Looking …');
    ask('memory_verify', { slug, cwd: cwd || memory.path.replace(/\/[^/]*$/, '') }).then(({ memories: [found] }) => setTold([found.status,
      found.base && `since ${found.base.slice(0, 12)}`, ...found.commits.map((one) => `${one.sha.slice(0, 12)} ${one.subject}`)].filter(Boolean).join(' · ')), (problem) => setTold(problem.message));
  };
  const undo = () => write('undo', () => { setDeleted(false); again('It is back.'); });
  if (deleted) return html`<p class="buttons" role="status">Deleted. <button type="button" onClick=${undo}>Undo</button></p>`;
  if (error) return html`<${Problem} error=${error} />`;
  if (!memory) return null;
  if (editing) return html`<${Editor} memory=${memory} cwd=${cwd} done=${(saved) => again(saved && 'Saved.')} />`;
  const heading = `# ${memory.title}\n`;
  const text = (memory.text ?? '').trimStart();
  return html`<article class="memory">
    <h2 class="text">${memory.title}</h2>
    <p class="small muted text">${[memory.type, memory.scope, memory.status, memory.updated && `changed ${isoDay(memory.updated)}`, ...(memory.tags ?? [])].filter(Boolean).join(' · ')}</p>
    <${Prose} text=${text.startsWith(heading) ? text.slice(heading.length) : text} />
    ${memory.links?.length > 0 && html`<h3>Linked with</h3><ul>${memory.links.map((link) => html`<li><span class="muted">${link.label}</span> <a class="text" href=${`#/memories/${encodeURIComponent(link.slug)}`}>${link.title ?? link.slug}</a></li>`)}</ul>`}
    ${memory.provenance?.exchange && html`<p class="small muted text">Drawn from ${memory.provenance.exchange}</p>`}
    ${memory.problems?.map((problem) => html`<p class="problem text">${problem}</p>`)}
    <p class="small muted mono text">${memory.path}</p>
    <p class="buttons"><button type="button" onClick=${() => setEditing(true)}>Edit</button>${(cwd || memory.scope !== 'global') && html`<button type="button" onClick=${verify}>Verify</button>`}<button type="button" onClick=${remove}>Delete</button><span role="status" class="small muted">${told}</span></p>
  </article>`;
}

// Memories and their links, as in a report.
function Graph({ cwd, changes }) {
  const { answer, error } = useAnswer('memory_graph', { cwd }, changes);
  const { nodes = [], edges = [] } = answer?.memories ?? {};
  if (error) return html`<${Problem} error=${error} />`;
  if (!nodes.length) return html`<${Empty}>Choose a memory, or write one.</${Empty}>`;
  return html`<h2>Graph</h2><${MemoryGraph} nodes=${nodes} edges=${edges} dateName=${isoDay} open=${(slug) => `#/memories/${encodeURIComponent(slug)}`} />`;
}

function Memories({ filters, slug, graph, sessions, version }) {
  const [cwd, setCwd] = useState('');
  const [changes, setChanges] = useState(0);
  const [creating, setCreating] = useState(false);
  const query = useSettled(filters.q).trim();
  const { memories, error } = useMemories(query, cwd, `${changes}/${version}`);
  const health = useAnswer('memory_health', { cwd }, changes);
  const directories = useMemo(() => [...new Set(sessions.map((session) => session.cwd).filter(Boolean))].sort(), [sessions]);
  return html`<section class="view two ${slug || creating || graph ? 'open' : ''}" aria-label="Memories">
    <div class="list">
      <div class="filters"><h2>Memories</h2>
        <select aria-label="Project" value=${cwd} onChange=${(event) => setCwd(event.target.value)}><option value="">Of all projects</option>${directories.map((one) => html`<option value=${one}>${one}</option>`)}</select>
        <button type="button" onClick=${() => setCreating(true)}>New</button><a class="narrow" href="#/memories?graph=1">Graph</a></div>
      ${error && html`<${Problem} error=${error} />`}
      ${memories && !memories.length && !error && html`<${Empty}>${query ? 'No memory fits.' : 'There are no memories here yet.'}</${Empty}>`}
      <ul class="plain">${(memories ?? []).map((memory) => html`<li key=${memory.slug}><a class="row" href=${`#/memories/${encodeURIComponent(memory.slug)}`} aria-current=${memory.slug === slug ? 'true' : undefined}>
        <span class="line"><span class="title text">${memory.title}</span></span><span class="line small muted">${[memory.type, memory.scope, memory.status].filter(Boolean).join(' · ')}</span></a></li>`)}</ul>
      ${health.answer?.findings.length > 0 && html`<details class="health"><summary>${counted(health.answer.total, 'finding')}</summary><ul>${health.answer.findings.map((one) => html`<li class="small text">${one.slug || one.path}: ${one.message}</li>`)}</ul></details>`}
    </div>
    <div class="detail">
      ${(slug || creating || graph) && html`<p><a class="back" href="#/memories" onClick=${() => setCreating(false)}>‹ Back</a></p>`}
      ${creating ? html`<${Editor} memory=${{}} cwd=${cwd} done=${(made) => { setCreating(false); setChanges(changes + 1); if (made) location.hash = `#/memories/${encodeURIComponent(made)}`; }} />`
        : slug ? html`<${Memory} slug=${slug} cwd=${cwd} changed=${() => setChanges(changes + 1)} />` : html`<${Graph} cwd=${cwd} changes=${`${changes}/${version}`} />`}
    </div>
  </section>`;
}

function Files({ filters, path, version }) {
  const [typed, setTyped] = useState(path);
  const box = useRef();
  useEffect(() => setTyped(path), [path]);
  const settled = useSettled(typed, 250).trim();
  const { answer, error, busy } = useAnswer('file_history', settled ? { path: settled, platform: filters.agent, project: filters.project, since: filters.since } : null, version);
  return html`<section class="view" aria-label="Files">
    <h2>Files</h2>
    <p class="filters"><input ref=${box} type="search" class="path" aria-label="Path" placeholder="A path, its end, or a pattern: src/app.ts, *.sql" value=${typed} onInput=${(event) => setTyped(event.target.value)} /></p>
    ${error && html`<${Problem} error=${error} />`}
    ${!settled && html`<${Empty}>Who changed a file, and why: type a part of its path.</${Empty}>`}
    ${busy && !answer && html`<p class="muted" role="status">Reading …</p>`}
    ${answer && !answer.files.length && html`<${Empty}>No session touched such a file.</${Empty}>`}
    ${answer?.files.length > 0 && html`<ul class="plain files">${answer.files.map((file) => html`<li key=${file.path}><a href=${`#/files/${encodeURIComponent(file.path)}`} class="mono text">${file.path}</a> <span class="small muted"><${Facts} facts=${[counted(file.exchanges, 'turn'), html`<span class="good">+${file.lines_added}</span> <span class="bad">−${file.lines_removed}</span>`, isoDay(file.last)]} /></span></li>`)}</ul>`}
    ${answer?.sessions.map((session) => html`<article class="card" key=${session.session_id}>
      <h3 class="text"><a href=${`#/s/${encodeURIComponent(session.session_id)}`}>${session.session_name || session.session_id}</a></h3>
      <p class="small muted text"><${Dot} agent=${session.platform} />${[agentName(session.platform), session.project, session.git_branch].filter(Boolean).join(' · ')}</p>
      <ol class="plain uses">${session.exchanges.map((use) => html`<li key=${use.exchange_id}>
        <a href=${`#/s/${encodeURIComponent(session.session_id)}?x=${use.exchange_id}`} class="text">${use.asked || use.exchange_id}</a>
        <span class="small muted"> <${Facts} facts=${[`${isoDay(use.timestamp)} ${timeOf(use.timestamp)}`, `${use.access}${use.access === 'modified' ? ` +${use.lines_added} −${use.lines_removed}` : ''}`, use.outcome?.replaceAll('_', ' ')]} /></span>
        ${use.said && html`<p class="small text">${use.said}</p>`}
        ${use.change && html`<pre tabindex="0" role="group" aria-label="Change">${use.change}</pre>`}
      </li>`)}</ol>
    </article>`)}
  </section>`;
}

// The report that `memd report` saves, of what the filters leave.
function ReportView({ filters, change }) {
  const { answer, error, busy } = useAnswer('report', { agent: filters.agent, project: useSettled(filters.project), since: filters.since });
  const model = useMemo(() => answer && reportModel(answer, (id) => `#/s/${encodeURIComponent(id)}`), [answer]);
  return html`<section class="view broad" aria-label="Report">
    <h2>Report</h2>
    <${Filters} filters=${filters} change=${change} />
    ${error && html`<${Problem} error=${error} />`}
    ${busy && html`<p class="muted" role="status">Reading …</p>`}
    ${model && html`<${Report} model=${model} />`}
  </section>`;
}
