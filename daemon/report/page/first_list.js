// The first list, which is on the screen before the page's other script is here. That one goes on with its elements, and
// makes its rows by the same functions: `h` makes an element of a name, attributes and children.

// Rows of the list: a heading, or a session with how deep it stands below others. Sub-agents follow their parent.
function rowsOf(sessions, byProject) {
  const children = new Map();
  const known = new Set(sessions.map((session) => session.session_id));
  const roots = [];
  for (const session of sessions)
    if (session.parent_session_id && known.has(session.parent_session_id)) {
      if (!children.has(session.parent_session_id)) children.set(session.parent_session_id, []);
      children.get(session.parent_session_id).push(session);
    } else roots.push(session);
  const groups = new Map();
  for (const session of roots) {
    const name = byProject ? session.project || 'No project' : dayOf(session.last_event_at);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(session);
  }
  const rows = [];
  const add = (session, depth) => {
    rows.push({ session, depth });
    if (depth < 3) for (const child of [...(children.get(session.session_id) ?? [])].reverse()) add(child, depth + 1);
  };
  for (const [name, members] of groups) {
    rows.push({ heading: name, count: members.length });
    for (const session of members) add(session, 0);
  }
  return rows;
}

const isRunning = (session) => session.state === 'active' || session.state === 'started';
const endOf = ({ outcome }) => ({ fail: 'failed', abandoned: 'abandoned' }[outcome]);

const headingRow = (h, { heading, count }) => h('h2', { class: 'day' }, `${heading} `, h('span', { class: 'muted small' }, `${count}`));

function sessionRow(h, { session, depth, open, byProject }) {
  const facts = [agentName(session.platform), !byProject && session.project, session.git_branch,
    session.exchanges && counted(session.exchanges, 'turn'), session.tool_errors && `${session.tool_errors} failed`,
    session.tokens_output && `${short(session.tokens_output)} tokens`];
  const running = isRunning(session);
  const at = session.last_event_at;
  return h('a', { class: `row ${depth ? `child depth-${depth}` : ''}`, href: `#/s/${encodeURIComponent(session.session_id)}`, 'aria-current': open ? 'true' : 'false' },
    h('span', { class: 'line' },
      h('span', { class: 'title text' }, session.session_name || 'Without a title'),
      h('span', { class: running ? 'mark running' : 'mark muted small' }, running ? 'running' : endOf(session) ?? ''),
      h('time', { class: 'muted small', datetime: at }, byProject ? isoDay(at) : timeOf(at))),
    h('span', { class: 'line small muted' },
      h('span', { class: `dot p-${session.platform}`, 'aria-hidden': 'true' }),
      h('span', { class: 'facts text' }, facts.filter(Boolean).join(' · '))));
}

// Keys that the page has yet to hear of. `/` waits for nothing and leaves those before it behind.
const pressed = [];
function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  const search = event.key === '/' && document.querySelector('.search');
  if (!search) return void pressed.push(event);
  event.preventDefault();
  search.focus();
  pressed.length = 0;
}
addEventListener('keydown', press);

if (brought) {
  const most = 24; // more than most windows show
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const { sessions, total } = JSON.parse(brought);
  const app = document.getElementById('app');
  const start = document.getElementById('start').content;
  const spaces = document.createNodeIterator(start, NodeFilter.SHOW_TEXT, (text) => (text.data.trim() ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  for (let space; (space = spaces.nextNode()); ) space.remove(); // elements beside them would be moved, and lose the focus
  app.append(start);
  app.querySelector('.told span').append(counted(total, 'session'));
  app.querySelector('.rows').append(...rowsOf(sessions).slice(0, most).map((row) => make('li', {}, row.session ? sessionRow(make, row) : headingRow(make, row))));
}
