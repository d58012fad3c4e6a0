// The list at the left: sessions by day or project, or hits while something is typed.

const kMore = 1000;

const scope = ({ agent, project, since, state }) => ({ platform: agent, project, since, state, all_projects: true });

// Resolves to true when what was set is on the screen.
const onScreen = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(() => resolve(true))); });

// All sessions that fit, newest first: some at once, the others as they come. When something was stored,
// the newest are asked for again. No filters: nothing is asked.
function useSessions(filters, version) {
  const key = filters ? JSON.stringify(scope(filters)) : '';
  const [state, setState] = useState({ sessions: [], busy: true, ...(filters === noFilters && firstAnswer && { ...firstAnswer, key }) });
  useEffect(() => {
    if (!key) return undefined;
    const stop = new AbortController();
    const args = { ...JSON.parse(key), include_subagents: true };
    const found = new Map();
    setState((before) => ({ ...before, busy: true }));
    const take = (answer) => {
      for (const session of answer.sessions) found.set(session.session_id, session);
      setState({ sessions: [...found.values()], total: answer.total, key });
      args.n_results = kMore;
      return onScreen(); // what is shown first waits for nothing
    };
    askPages('list_sessions', { ...args, n_results: firstList.n_results }, take, { signal: stop.signal })
      .catch((error) => error.name !== 'AbortError' && setState({ sessions: [], error }));
    return () => stop.abort();
  }, [key]);
  const { answer } = useAnswer('list_sessions', key && version ? { ...JSON.parse(key), include_subagents: true, n_results: 50 } : null, version);
  useEffect(() => {
    if (answer)
      setState((before) => {
        if (before.key !== key) return before;
        const newest = new Map(answer.sessions.map((session) => [session.session_id, session]));
        return { ...before, total: answer.total, sessions: [...newest.values(), ...before.sessions.filter((session) => !newest.has(session.session_id))] };
      });
  }, [answer]);
  return state;
}

// The passage that was found if the agent said it. Else, as the prompt stands above it and arguments of tools are no
// sentences, the line of the answer with most of the words found, if it has one.
function Telling({ hit }) {
  const plain = (text) => text.replace(/\s+/g, ' ');
  const passage = plain(hit.snippet).replace(/^… ?|…$/g, '');
  const said = hit.assistant_response ?? '';
  if (!said || plain(said).includes(passage)) return html`<${Marked} text=${hit.snippet} matches=${hit.matches} />`;
  const words = [...new Set(marksOf(hit.snippet, hit.matches).filter(([, isMatch]) => isMatch).map(([word]) => word.toLowerCase()))];
  const foundIn = (line) => words.filter((word) => line.toLowerCase().includes(word)).length;
  const best = said.split('\n').filter((line) => line.trim()).reduce((a, b) => (foundIn(b) > foundIn(a) ? b : a), '') || said.trimStart().split('\n')[0];
  const prompt = plain(hit.user_message ?? '');
  if (foundIn(best) === 0 && !prompt.includes(passage) && !(prompt && passage.includes(prompt))) return html`<${Marked} text=${hit.snippet} matches=${hit.matches} />`;
  const cut = words.length ? best.split(new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi')) : [best];
  return html`<span class="text">${cut.map((part, i) => (i % 2 ? html`<mark>${part}</mark>` : part))}</span>`;
}

function HitRow({ hit, open }) {
  const isMemory = hit.source === 'memory';
  const href = isMemory ? `#/memories/${encodeURIComponent(hit.memory?.slug ?? '')}` : `#/s/${encodeURIComponent(hit.session_id)}?x=${hit.exchange_id}`;
  return html`<a class="row hit" href=${href} aria-current=${open ? 'true' : undefined}>
    <span class="line"><span class="title text">${(isMemory ? hit.memory?.title : hit.user_message || hit.session_name) || 'Without words'}</span>
      <time class="muted small" datetime=${hit.timestamp}>${isoDay(hit.timestamp)}</time></span>
    <span class="snippet small"><${Telling} hit=${hit} /></span>
    <span class="line small muted">${isMemory ? 'Memory' : html`<${Dot} agent=${hit.platform} /><span class="facts text">${[agentName(hit.platform), hit.project, hit.session_name].filter(Boolean).join(' · ')}</span>`}</span>
  </a>`;
}

function Filters({ filters, change, withState }) {
  const set = (name) => (event) => change({ [name]: event.target.value });
  return html`<div class="filters">
    <select aria-label="Agent" value=${filters.agent} onChange=${set('agent')}>
      <option value="">All agents</option>
      ${Object.entries(agents).map(([key, name]) => html`<option value=${key}>${name}</option>`)}
    </select>
    <select aria-label="Since" value=${filters.since} onChange=${set('since')}>
      <option value="">Any time</option><option value="today">Today</option><option value="yesterday">Since yesterday</option>
      <option value="7d">Seven days</option><option value="30d">Thirty days</option><option value="365d">A year</option>
    </select>
    ${withState && html`<select aria-label="State" value=${filters.state} onChange=${set('state')}>
      <option value="">Any state</option>${['running', 'done', 'failed', 'abandoned', 'ended'].map((state) => html`<option value=${state}>${state}</option>`)}
    </select>`}
    <input type="search" aria-label="Project" placeholder="Project" value=${filters.project} onInput=${set('project')} />
  </div>`;
}

const rowHeight = (rows) => (i) => (rows[i].heading !== undefined ? 38 : rows[i].depth ? 52 : 58);
const hitHeight = () => 104;

function SessionList({ filters, everything, change, openSession, openTurn, version, control }) {
  const [byProject, setByProject] = useState(false);
  const settled = { ...filters, q: useSettled(filters.q), project: useSettled(filters.project) };
  const narrowed = settled.agent || settled.project || settled.since || settled.state;
  const some = useSessions(narrowed ? settled : null, version);
  const listed = narrowed ? some : everything;
  const hits = useAnswer('semantic_search', settled.q.trim() ? { ...scope(settled), state: '', query: settled.q.trim(), n_results: 50, count: true } : null);
  const rows = useMemo(() => rowsOf(listed.sessions, byProject), [listed.sessions, byProject]);
  const height = useMemo(() => rowHeight(rows), [rows]);
  useEffect(() => {
    if (rows.length && !performance.getEntriesByName('first-list').length) performance.mark('first-list');
  }, [rows.length > 0]);
  const searching = Boolean(filters.q.trim());
  const found = hits.answer?.results ?? [];
  const all = hits.answer?.with_all_words;
  const told = searching
    ? hits.answer ? (hits.answer.nothing_relevant && found.length ? 'Nothing is likely to be about this; the nearest:' : found.length ? `${counted(found.length, 'hit')}, best first${all === undefined ? '' : ` · ${counted(all, 'turn')} with all words`}` : '') : 'Searching …'
    : listed.total === undefined ? 'Reading …' : counted(listed.total, 'session');
  const problem = searching ? hits.error : listed.error;
  return html`<section class="list">
    <${Filters} filters=${filters} change=${change} withState=${!searching} />
    <div class="told"><span class="small muted" role="status">${told}</span>
      ${!searching && settled.project.trim() && html`<a class="narrow small" href="#/?project">About this project</a>`}
      ${!searching && html`<button type="button" class="plain small link" aria-pressed=${byProject} onClick=${() => setByProject(!byProject)}>By project</button>`}</div>
    ${problem && html`<${Problem} error=${problem} />`}
    ${searching
      ? hits.answer && !found.length ? html`<${Empty}>Nothing fits. Say it in other words, or widen the filters.</${Empty}>`
        : html`<${Rows} key="hits" label="Hits" count=${found.length} height=${hitHeight} control=${control} render=${(i) => html`<${HitRow} hit=${found[i]} open=${found[i].exchange_id && found[i].exchange_id === openTurn} />`} />`
      : !listed.busy && !rows.length && !problem ? html`<${Empty}>No session fits.</${Empty}>`
        : html`<${Rows} key="sessions" label="Sessions" count=${rows.length} height=${height} control=${control}
            render=${(i) => (rows[i].heading !== undefined
              ? headingRow(h, rows[i])
              : sessionRow(h, { ...rows[i], byProject, open: rows[i].session.session_id === openSession }))} />`}
  </section>`;
}
