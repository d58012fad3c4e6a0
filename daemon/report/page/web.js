// The page of `memd web`: which view is shown, and what keys do.

const noFilters = { q: '', agent: '', project: '', since: '', state: '' };

// "#/s/ID?x=x42" → {view: 's', name: ID, query}
function routeOf(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', name = ''] = path.split('/');
  let decoded = '';
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // no view of ours
  }
  return { view, name: decoded, query: new URLSearchParams(query) };
}

function useRoute() {
  const [route, setRoute] = useState(routeOf(location.hash));
  useEffect(() => {
    const changed = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

const shortcuts = [['/', 'search'], ['j  k', 'next, previous: session, or turn while one reads'], ['Enter', 'open'], ['Esc', 'back'], ['1 … 5', 'sessions, usage, memories, files, report'], ['?', 'this']];
const views = [['#/', 'Sessions'], ['#/usage', 'Usage'], ['#/memories', 'Memories'], ['#/files', 'Files'], ['#/report', 'Report']];

function App() {
  const route = useRoute();
  const [filters, setFilters] = useState(() => ({ ...noFilters, q: document.querySelector('.search')?.value ?? '' })); // may be typed already
  const [version, setVersion] = useState(0);
  const [there, setThere] = useState(null);
  const search = useRef();
  const help = useRef();
  const list = useRef({});
  const change = (some) => setFilters((before) => ({ ...before, ...some }));
  useEffect(() => follow(() => setVersion((n) => n + 1), setThere), []);
  const everything = useSessions(noFilters, version); // also for facts about the session that is read, and directories

  const reads = route.view === 's';
  const back = () => { location.hash = '#/'; };
  useEffect(() => {
    document.title = `${{ usage: 'Usage', memories: 'Memories', files: 'Files', report: 'Report' }[route.view] ?? (filters.q || 'Sessions')} – memd`;
  }, [route, filters.q]);

  // Moves the focus to the next link of the list, or to the next turn.
  const move = (step) => {
    const reading = document.activeElement?.closest('.reading .scroller, .reading header') ?? null;
    const scroller = document.querySelector(reading ? '.reading .scroller' : '.list .scroller');
    if (reading && scroller) {
      const turns = [...scroller.querySelectorAll('[data-row]')];
      const at = scroller.scrollTop;
      const next = step > 0 ? turns.find((turn) => turn.offsetTop > at + 8) : turns.findLast((turn) => turn.offsetTop < at - 8);
      if (next) scroller.scrollTop = next.offsetTop;
      scroller.focus({ preventScroll: true });
      return;
    }
    const links = [...document.querySelectorAll('.list .row')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
    const now = links.indexOf(document.activeElement.closest('.row') ?? document.querySelector('.list .row[aria-current="true"]'));
    const next = links[now < 0 ? 0 : now + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  useEffect(() => {
    const act = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      const types = event.target.closest('input, textarea, select');
      if (event.key === 'Escape') {
        if (types) {
          if (types === search.current && types.value) change({ q: '' });
          types.blur();
        } else if (reads) back();
        return;
      }
      if (types) return;
      const what = { '/': () => search.current.focus(), j: () => move(1), k: () => move(-1), '?': () => help.current.showModal() }[event.key] ?? (views[event.key - 1] && (() => { location.hash = views[event.key - 1][0]; }));
      if (!what) return;
      event.preventDefault();
      what();
    };
    removeEventListener('keydown', press);
    addEventListener('keydown', act);
    pressed.splice(0).forEach(act);
    return () => removeEventListener('keydown', act);
  }, [reads]);

  const typed = (event) => {
    change({ q: event.target.value });
    if (['usage', 'files', 'report'].includes(route.view)) location.hash = '#/';
  };
  const main = useRef();
  return html`
    <button type="button" class="skip" onClick=${() => main.current.focus()}>To the content</button>
    <header class="top">
      <h1><a href="#/">memd</a></h1>
      <nav aria-label="Views">${views.map(([href, name]) => html`<a href=${href} aria-current=${(routeOf(href).view === route.view || (href === '#/' && reads)) ? 'page' : undefined}>${name}</a>`)}</nav>
      <input ref=${search} type="search" class="search" aria-label=${route.view === 'memories' ? 'Search memories' : 'Search all sessions'} placeholder="Search  /" value=${filters.q} onInput=${typed} />
      <span class="live small ${there ? 'good' : 'muted'}" role="status">${there === null ? '' : there ? '● live' : '○ ended'}</span>
      <button type="button" class="help" aria-label="Keys" onClick=${() => help.current.showModal()}>?</button>
    </header>
    ${there === false && html`<p class="problem top-note" role="alert">memd web has ended, or this page is of an earlier start. Start it again, and open the address that it prints.</p>`}
    <main ref=${main} tabindex="-1" class=${reads ? 'reads' : ''}>
      ${route.view === 'usage' ? html`<${Usage} filters=${filters} change=${change} version=${version} />`
        : route.view === 'memories' ? html`<${Memories} filters=${filters} slug=${route.name} graph=${route.query.has('graph')} sessions=${everything.sessions} version=${version} />`
        : route.view === 'files' ? html`<${Files} filters=${filters} path=${route.name} version=${version} />`
        : route.view === 'report' ? html`<${ReportView} filters=${filters} change=${change} />`
        : html`<div class="panes ${reads || route.query.has('project') ? 'open' : ''}">
            <${SessionList} filters=${filters} everything=${everything} change=${change} openSession=${reads ? route.name : ''} openTurn=${route.query.get('x')} version=${version} control=${list} />
            ${reads ? html`<${Reading} key=${route.name} session=${route.name} wanted=${route.query.get('x')} version=${version} back=${back} facts=${everything.sessions.find((session) => session.session_id === route.name)} />`
              : html`<${Project} filters=${filters} version=${version} />`}
          </div>`}
    </main>
    <dialog ref=${help} aria-label="Keys"><h2>Keys</h2><dl class="keys">${shortcuts.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
      <p class="buttons"><button type="button" onClick=${() => help.current.close()}>Close</button></p></dialog>`;
}

// The first list is drawn with the page, unless it is late. If the page brought it, its elements are on the screen by
// then and are taken over.
Promise.race([firstIsHere, new Promise((resolve) => { setTimeout(resolve, 100); })]).then(() => {
  render(html`<${App} />`, document.getElementById('app'));
  performance.mark('drawn');
});
