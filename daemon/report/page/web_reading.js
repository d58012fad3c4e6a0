// A session from start to end. Turns are fetched as one comes to them; a running session goes on by itself.

const kBlock = 11; // turns that one call returns: one with five neighbours on each side

// Joins what the pages of an answer say about one turn.
function join(before, more) {
  if (!before) return more;
  const text = (name) => (before[name] || more[name] ? (before[name] ?? '').replace(/…$/, '') + (more[name] ?? '') : undefined);
  return { ...before, ...more, user_message: text('user_message'), assistant_response: text('assistant_response'), interventions: text('interventions'), events: [...(before.events ?? []), ...(more.events ?? [])] };
}

async function fetchTurns(args) {
  const turns = new Map();
  await askPages('get_exchange', { ...args, include_tools: true, in_order: true }, (answer) => {
    for (const turn of answer.exchanges) turns.set(turn.exchange_number, join(turns.get(turn.exchange_number), turn));
    return true;
  });
  return turns;
}

// The turns that are here, and a function that fetches those around a number.
function useTurns(session, last, version) {
  const turns = useRef(new Map());
  const asked = useRef(new Map());
  const [state, setState] = useState({ drawn: 0 });
  const draw = (error) => setState((before) => ({ drawn: before.drawn + 1, error: error ?? null }));
  const fetchBlock = useCallback(async (block) => {
    const newest = last.current;
    try {
      const found = await fetchTurns({ session_id: session, exchange_number: Math.min(block * kBlock + 5, newest), around: 5 });
      for (const [number, turn] of found) turns.current.set(number, turn);
      draw();
    } catch (error) {
      asked.current.delete(block);
      draw(error);
    }
  }, [session]);
  const want = useCallback((from, to) => {
    for (let block = Math.floor(from / kBlock); block <= Math.floor(to / kBlock); ++block)
      if (!asked.current.has(block)) {
        asked.current.set(block, true);
        fetchBlock(block);
      }
  }, [fetchBlock]);
  // The newest turns may have grown.
  const renew = useCallback((from) => {
    for (const block of asked.current.keys()) if ((block + 1) * kBlock > from) fetchBlock(block);
  }, [fetchBlock]);
  return { turns: turns.current, want, renew, drawn: state.drawn, error: state.error };
}

const kHidden = new Set(['lifecycle', 'user_msg', 'assistant_msg', 'thinking']);
const isCut = (event) => event?.text?.endsWith('…');

// Calls with their results, and what else happened, in order. Calls that run at the same time answer in any order. An
// error that a result has told is not told again.
function stepsOf(events = []) {
  const steps = [];
  const calls = new Map();
  const results = new Set();
  for (const event of events) {
    if (kHidden.has(event.kind) || (event.kind === 'error' && results.has(event.parent_seq))) continue;
    if (event.kind === 'tool_result') {
      results.add(event.seq);
      const step = calls.get(event.parent_seq) ?? steps.at(-1);
      if (step?.call.kind === 'tool_call' && !step.result) {
        step.result = event;
        continue;
      }
    }
    steps.push({ call: event });
    if (event.kind === 'tool_call') calls.set(event.seq, steps.at(-1));
  }
  return steps;
}

// What an edit changed, as lines with their sign; null: the text is of no edit.
function changeOf(text) {
  if (!text) return null;
  if (/^(\*\*\* Begin Patch|diff --git|--- |@@ )/m.test(text)) return text.replaceAll('\\n', '\n').split('\n');
  const edit = /(?:^|\n)old_?(?:string|str|text): ([^]*?)\nnew_?(?:string|str|text): ([^]*?)(?:\nreplace_?all: \w+)?$/i.exec(text);
  if (!edit) return null;
  const signed = (lines, sign) => (lines ? lines.split('\n').map((line) => sign + line) : []);
  return [...text.slice(0, edit.index).split('\n').filter(Boolean), ...signed(edit[1], '-'), ...signed(edit[2], '+')];
}

function StepText({ text, label }) {
  const change = changeOf(text);
  if (!change) return html`<pre tabindex="0" role="group" aria-label=${label}>${text}</pre>`;
  return html`<pre tabindex="0" role="group" aria-label=${label} class="diff">${change.map((line) => html`<span class=${line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>${line}\n</span>`)}</pre>`;
}

function Step({ step, fill }) {
  const { call, result } = step;
  const failed = call.is_error || result?.is_error;
  const opened = (event) => event.currentTarget.open && (isCut(call) || isCut(result)) && fill();
  const summary = call.tool && call.summary.startsWith(call.tool) ? call.summary.slice(call.tool.length).replace(/^: ?/, '') : call.summary;
  const head = html`<span class="tool">${call.tool ?? call.kind.replaceAll('_', ' ')}</span> <span class="text">${summary}</span>${failed && html` <span class="bad">failed</span>`}`;
  if (!call.text && !result) return html`<li class="step bare">${head}</li>`;
  return html`<li class="step"><details onToggle=${opened}><summary>${head}</summary>
    ${call.text && html`<${StepText} text=${call.text} label="What was asked for" />`}
    ${result && html`<${StepText} text=${result.text ?? result.summary} label="What came back" />`}
  </details></li>`;
}

// Calls between two texts of the agent, folded.
function Steps({ turn, events }) {
  const [full, setFull] = useState(null);
  const fill = () => fetchTurns({ ids: [turn.exchange_id], include_raw: true }).then((found) => setFull(new Map([...found.values()].flatMap((one) => (one.events ?? []).map((event) => [event.seq, event])))), () => {});
  const steps = useMemo(() => stepsOf(full ? events.map((event) => full.get(event.seq) ?? event) : events), [events, full]);
  if (!steps.length) return null;
  const calls = steps.filter((step) => step.call.kind === 'tool_call').length;
  const failed = steps.filter((step) => step.call.kind !== 'test_run' && (step.call.is_error || step.result?.is_error)).length;
  const tools = [...new Set(steps.map((step) => step.call.tool).filter(Boolean))];
  return html`<details class="steps"><summary>${calls ? counted(calls, 'tool call') : counted(steps.length, 'event')}${failed > 0 && html` · <span class="bad">${failed} failed</span>`} <span class="muted small mono">${tools.slice(0, 4).join(' ')}${tools.length > 4 ? ' …' : ''}</span></summary>
    <ol>${steps.map((step, i) => html`<${Step} key=${i} step=${step} fill=${fill} />`)}</ol></details>`;
}

// What happened in a turn in order: what the agent said, and the events and sub-agents between. Where its words cannot be
// placed they come last, as one text.
function partsOf(turn, agents) {
  const events = turn.events ?? [];
  const placed = events.some((event) => event.kind === 'assistant_msg') && events.every((event) => event.kind !== 'assistant_msg' || event.text);
  const parts = [];
  const left = [...agents].sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
  let between = [];
  const close = (time) => {
    if (between.length) parts.push({ events: between });
    between = [];
    while (left.length && (!time || left[0].started_at <= time)) parts.push({ session: left.shift() });
  };
  for (const event of events)
    if (placed && event.kind === 'assistant_msg') {
      close(event.time);
      parts.push({ said: event.text });
    } else between.push(event);
  close();
  if (!placed && turn.assistant_response) parts.push({ said: turn.assistant_response });
  return parts;
}

function Subagent({ session }) {
  const [open, setOpen] = useState(false);
  const [turns, setTurns] = useState(null);
  const [error, setError] = useState(null);
  const toggle = (event) => {
    setOpen(event.currentTarget.open);
    if (event.currentTarget.open && !turns) fetchTurns({ session_id: session.session_id, exchange_number: 0, around: 5 }).then((found) => setTurns([...found.values()]), setError);
  };
  return html`<details class="subagent" onToggle=${toggle}><summary>Sub-agent: <span class="text">${session.session_name || session.session_id}</span> <span class="muted small">${counted(session.exchanges, 'turn')}</span></summary>
    ${open && error && html`<${Problem} error=${error} />`}
    ${open && turns?.map((turn) => html`<${Turn} key=${turn.exchange_id} turn=${turn} inside />`)}
    ${open && session.exchanges > turns?.length && html`<p><a href=${`#/s/${encodeURIComponent(session.session_id)}`}>Read all ${session.exchanges} turns</a></p>`}
  </details>`;
}

function Turn({ turn, agents = [], wanted, inside }) {
  const parts = useMemo(() => partsOf(turn, agents), [turn, agents.length]);
  const facts = [timeOf(turn.timestamp), turn.model_used, turn.tokens_output && `${short(turn.tokens_output)} tokens out`,
    (turn.lines_added || turn.lines_removed) && `+${turn.lines_added ?? 0} −${turn.lines_removed ?? 0} lines`, turn.exchange_id];
  return html`<article class="turn ${turn.abandoned_for ? 'abandoned' : ''} ${wanted ? 'wanted' : ''}" aria-label=${`Turn ${turn.exchange_number + 1}`}>
    <p class="facts small muted"><span class="number">${turn.exchange_number + 1}</span> <${Facts} facts=${facts} /></p>
    ${turn.abandoned_for && html`<p class="small muted">The person went back to before this turn: the session went on with ${turn.abandoned_for} instead.</p>`}
    ${turn.user_message && html`<div class="said user"><span class="sr">You: </span><${Prose} text=${turn.user_message} /></div>`}
    ${turn.attachments && html`<div class="small muted">${turn.attachments.join(' ')}</div>`}
    ${turn.interventions && html`<div class="said user"><span class="small muted">Meanwhile</span><${Prose} text=${turn.interventions} /></div>`}
    ${parts.map((part, i) => (part.said ? html`<div class="said agent" key=${i}><span class="sr">${inside ? 'Sub-agent' : 'Agent'}: </span><${Prose} text=${part.said} /></div>`
      : part.session ? html`<${Subagent} key=${part.session.session_id} session=${part.session} />` : html`<${Steps} key=${i} turn=${turn} events=${part.events} />`))}
  </article>`;
}

function Continue({ session }) {
  const [state, setState] = useState({});
  const dialog = useRef();
  const show = async () => {
    setState({});
    dialog.current.showModal();
    ask('open', { session_id: session }).then(setState, (error) => setState({ error }));
  };
  return html`<button type="button" onClick=${show}>Continue in its agent</button>
    <dialog ref=${dialog} aria-label="Continue in its agent">
      <h2>Continue in its agent</h2>
      <p>Run this in a terminal:</p>
      ${state.error && html`<${Problem} error=${state.error} />`}
      ${state.command && html`<pre tabindex="0" role="group" aria-label="Command">${state.command}</pre>`}
      <p class="buttons">${state.command && html`<${Copy} text=${state.command} />`}<button type="button" onClick=${() => dialog.current.close()}>Close</button></p>
    </dialog>`;
}

const turnHeight = () => 240;

// `session`: its id. `wanted`: the id of a turn to begin at.
function Reading({ session, wanted, version, facts, back }) {
  const last = useRef(-1);
  const [count, setCount] = useState(null);
  const [head, setHead] = useState({});
  const [error, setError] = useState(null);
  const [news, setNews] = useState('');
  const [family, setFamily] = useState([]);
  const [whole, setWhole] = useState(false);
  const control = useRef({});
  const { turns, want, renew, drawn, error: missing } = useTurns(session, last, version);

  const look = useCallback(async () => {
    try {
      const newest = await ask('recent_turns', { session_id: session, n_turns: 1, style: 'brief' });
      const number = newest.turns.at(-1)?.exchange_number ?? -1;
      const before = last.current;
      const ended = before >= 0 && control.current?.atEnd?.();
      last.current = number;
      setHead(newest);
      if (ended) control.current.stick = true;
      setCount(number + 1);
      if (before >= 0) renew(before);
      if (before >= 0 && number > before) setNews(`${counted(number - before, 'new turn')}`);
      setError(null);
      return newest;
    } catch (problem) {
      setError(problem);
      return null;
    }
  }, [session, renew]);
  useEffect(() => {
    last.current < 0 || version ? look() : null;
  }, [version]);

  // Sub-agents stand in the turn in which they began.
  useEffect(() => {
    if (count === null || !head.session_id) return;
    ask('list_sessions', { all_projects: true, include_subagents: true, platform: head.platform, n_results: 1000, since: facts?.started_at }).then(
      (answer) => setFamily(answer.sessions.filter((one) => one.parent_session_id === head.session_id)), () => {});
  }, [head.session_id, count, Boolean(facts)]);
  const agentsOf = (number) => {
    const from = turns.get(number)?.timestamp;
    const to = turns.get(number + 1)?.timestamp;
    if (!from) return [];
    return family.filter((one) => one.started_at >= from && (number + 1 >= count || (to && one.started_at < to)));
  };

  // A turn that was asked for by its id.
  const [target, setTarget] = useState(null);
  useEffect(() => {
    setTarget(null);
    if (wanted) ask('get_exchange', { ids: [wanted] }).then((answer) => setTarget(answer.exchanges[0].exchange_number), setError);
  }, [wanted, session]);
  const ready = count !== null;
  useLayoutEffect(() => {
    if (ready && target !== null) control.current?.scrollTo?.(target);
  }, [ready, target]);

  useEffect(() => {
    if (!whole) return;
    want(0, count - 1);
    if (turns.size < count) return;
    requestAnimationFrame(() => {
      window.print();
      setWhole(false);
    });
  }, [whole, drawn]);

  const title = useRef();
  useEffect(() => { title.current?.focus({ preventScroll: true }); }, [session]);
  const row = facts ?? {};
  const name = head.session_name || row.session_name || session;
  const told = [agentName(head.platform ?? row.platform ?? ''), row.project, row.git_branch, isoDay(row.started_at), ready && counted(count, 'turn'),
    row.model, row.tokens_output && `${short(row.tokens_output)} tokens`, row.cost_usd && money(row.cost_usd), isRunning(row) && 'running'];
  const render = (i) => {
    const turn = turns.get(i);
    const day = turn && (i === 0 || (turns.get(i - 1) && isoDay(turns.get(i - 1).timestamp) !== isoDay(turn.timestamp)));
    return html`${day && html`<p class="day">${dayOf(turn.timestamp)}</p>`}
      ${turn ? html`<${Turn} turn=${turn} agents=${agentsOf(i)} wanted=${i === target} />` : html`<p class="waiting muted small">Turn ${i + 1} …</p>`}`;
  };
  return html`<section class="reading" aria-labelledby="session-title">
    <header>
      <button type="button" class="back" onClick=${back}>‹ <span>Back</span></button>
      <div class="names"><h2 id="session-title" class="text" tabindex="-1" ref=${title}>${name}</h2>
        <p class="small muted text"><${Dot} agent=${head.platform ?? row.platform} /><${Facts} facts=${told} /></p>
        ${row.forked_from && html`<p class="small"><a href=${`#/s/${encodeURIComponent(row.forked_from)}`}>It began as a copy of another session</a></p>`}
        ${row.parent_session_id && html`<p class="small"><a href=${`#/s/${encodeURIComponent(row.parent_session_id)}`}>Started by another session</a></p>`}</div>
      <p class="buttons">
        <${Continue} session=${session} />
        <${Copy} text=${() => ask('resume_context', { session_id: session, before: 'end', complement: 'never', max_tokens: 3000 }, { text: true })}>Copy as context</${Copy}>
        <button type="button" onClick=${() => setWhole(true)}>Print</button>
        <button type="button" onClick=${() => control.current.scrollTo(0)} aria-label="To the start">↑</button>
        <button type="button" onClick=${() => control.current.scrollTo(count)} aria-label="To the end">↓</button>
      </p>
      <span class="sr" role="status">${news}</span>
    </header>
    ${(error ?? missing) && html`<${Problem} error=${error ?? missing} />`}
    ${ready && count === 0 && html`<${Empty}>Nothing was said in it yet.</${Empty}>`}
    ${whole && ready ? html`<div class="paper">${Array.from({ length: count }, (_, i) => html`<div key=${i}>${render(i)}</div>`)}</div>`
      : ready && count > 0 && html`<${Rows} label="Turns" count=${count} height=${turnHeight} measures control=${control} as="div" item="div" onRange=${want} render=${render} />`}
  </section>`;
}
