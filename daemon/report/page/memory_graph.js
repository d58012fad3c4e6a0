// Memories as a force-directed graph with a dot for each. It can be moved, zoomed and navigated by keyboard.

const memoryColours = { decision: 's0', learning: 's2', gotcha: 's1', artifact: 's5', breadcrumb: 's7', hub: 's3', core: 's3', fact: 's2', adr: 's0', playbook: 's5', recap: 's6' };
const memoryColour = (type) => memoryColours[type] ?? 's7';

// Returns the positions of the dots, in a square of about 1. Deterministic.
function laidOut(count, links) {
  const at = Array.from({ length: count }, (_, i) => {
    const r = 0.5 * Math.sqrt((i + 0.5) / count);
    return { x: r * Math.cos(i * 2.39996), y: r * Math.sin(i * 2.39996), dx: 0, dy: 0 };
  });
  const ideal = 0.9 / Math.sqrt(count);
  const rounds = count < 300 ? 250 : Math.max(30, Math.round(22_500_000 / (count * count)));
  for (let round = 0; round < rounds; ++round) {
    for (let i = 0; i < count; ++i)
      for (let k = i + 1; k < count; ++k) {
        const x = at[i].x - at[k].x;
        const y = at[i].y - at[k].y;
        const push = (ideal * ideal) / Math.max(x * x + y * y, 1e-5);
        at[i].dx += x * push;
        at[i].dy += y * push;
        at[k].dx -= x * push;
        at[k].dy -= y * push;
      }
    for (const [a, b] of links) {
      const x = at[a].x - at[b].x;
      const y = at[a].y - at[b].y;
      const pull = Math.hypot(x, y) / ideal;
      at[a].dx -= x * pull;
      at[a].dy -= y * pull;
      at[b].dx += x * pull;
      at[b].dy += y * pull;
    }
    const most = 0.1 * (1 - round / rounds);
    for (const dot of at) {
      dot.dx -= dot.x * 0.3;
      dot.dy -= dot.y * 0.3;
      const far = Math.max(Math.hypot(dot.dx, dot.dy), 1e-9);
      const step = Math.min(far * 0.1, most) / far;
      dot.x += dot.dx * step;
      dot.y += dot.dy * step;
      dot.dx = dot.dy = 0;
    }
  }
  return at;
}

const kNarrow = 560; // pixels; below names are shorter, and what a finger hits is larger

// Where dots are drawn: `places`, and `at(x, y)`, the point of the plane at a point of the box.
function placesOf(dots, { x, y, zoom }, width, height) {
  const xs = dots.map((dot) => dot.x);
  const ys = dots.map((dot) => dot.y);
  const [left, right, upper, lower] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const margin = width < kNarrow ? 60 : 180; // for names
  const down = (height - 60) / Math.max(lower - upper, 0.1);
  const across = Math.min((width - margin) / Math.max(right - left, 0.1), 2 * down); // prefers width to height
  return dots.map((dot) => [width / 2 + x + (dot.x - (left + right) / 2) * across * zoom, height / 2 + y + (dot.y - (upper + lower) / 2) * Math.min(down, 2 * across) * zoom]);
}

// `nodes` and `edges` as reports hold them; `dateName(ms)`; `open(slug)`: what a memory is opened by, if it can be.
function MemoryGraph({ nodes, edges, dateName, open }) {
  const [box, width] = useWidth();
  const height = 420;
  const narrow = width < kNarrow;
  const [view, setView] = useState({ x: 0, y: 0, zoom: 1 });
  const [chosen, setChosen] = useState(-1);
  const chart = useRef();
  const links = useMemo(() => {
    const of = nodes.map(() => []); // of each dot: [other, label, whether it leads there]
    for (const { a = 0, b = 0, label } of edges) {
      of[a].push([b, label, true]);
      of[b].push([a, label, false]);
    }
    return of;
  }, [nodes, edges]);
  const dots = useMemo(() => laidOut(nodes.length, edges.map((edge) => [edge.a ?? 0, edge.b ?? 0])), [nodes, edges]);
  const ranked = useMemo(() => nodes.map((_, i) => i).sort((a, b) => links[b].length - links[a].length), [links]);
  useEffect(() => setChosen(-1), [nodes]);

  const places = placesOf(dots, view, width, height);
  const near = new Set(chosen < 0 ? [] : [chosen, ...links[chosen].map(([other]) => other)]);
  const radius = (i) => 5 + Math.min(9, 1.6 * Math.sqrt(links[i].length));
  const longest = narrow ? 20 : 32;
  // Ends with a whole word: what is read out has the words that are seen.
  const nameOf = ({ title }) => (title.length > longest ? `${title.slice(0, Math.max(title.lastIndexOf(' ', longest - 1), 0) || longest - 1)}…` : title);
  const half = (i) => 3.2 * nameOf(nodes[i]).length;
  const anchorOf = (i) => (places[i][0] < half(i) ? 'start' : places[i][0] > width - half(i) ? 'end' : 'middle');
  // The names that have room: the chosen dot's first, then those of the most linked.
  const named = new Set();
  const taken = [];
  for (const i of [...near, ...ranked.filter((one) => !near.has(one))]) {
    const shift = { start: half(i), middle: 0, end: -half(i) }[anchorOf(i)];
    const [x, y] = [places[i][0] + shift, places[i][1] - radius(i)];
    if (i !== chosen && (narrow || !near.has(i)) && taken.some((other) => Math.abs(other.x - x) < other.half + half(i) && Math.abs(other.y - y) < 13)) continue;
    taken.push({ x, y, half: half(i) });
    named.add(i);
  }

  // Zooms around a point of the box, and moves what is there by dx, dy.
  const zoomBy = (factor, x = width / 2, y = height / 2, dx = 0, dy = 0) => setView((before) => {
    const zoom = Math.min(40, Math.max(0.5, before.zoom * factor));
    const around = (at, middle, offset) => at - middle - ((at - middle - offset) * zoom) / before.zoom;
    return { x: around(x, width / 2, before.x) + dx, y: around(y, height / 2, before.y) + dy, zoom };
  });
  const fit = () => setView({ x: 0, y: 0, zoom: 1 });
  const choose = (i) => setChosen(chosen === i ? -1 : i);
  // Arrows go from dot to dot; Enter and Space choose; + and - zoom.
  const press = (event, i) => {
    if (event.key === 'Enter' || event.key === ' ') choose(i);
    else if (event.key === '+' || event.key === '-') zoomBy(event.key === '+' ? 1.5 : 1 / 1.5);
    else if (event.key.startsWith('Arrow')) {
      const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
      chart.current.querySelectorAll('.memory')[(i + step + nodes.length) % nodes.length].focus();
    } else return;
    event.preventDefault();
  };

  // One pointer moves; two, as fingers are, zoom and move. Up and down one finger scrolls the page.
  const held = useRef(new Map());
  useEffect(() => {
    const move = (event) => {
      const before = held.current.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      const [other] = [...held.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      held.current.set(event.pointerId, now);
      if (!other) return setView((at) => ({ ...at, x: at.x + now.x - before.x, y: at.y + now.y - before.y }));
      const frame = chart.current.getBoundingClientRect();
      const apart = (point) => Math.max(Math.hypot(point.x - other.x, point.y - other.y), 1);
      zoomBy(apart(now) / apart(before), (before.x + other.x) / 2 - frame.left, (before.y + other.y) / 2 - frame.top, (now.x - before.x) / 2, (now.y - before.y) / 2);
    };
    const release = (event) => held.current.delete(event.pointerId);
    // The wheel scrolls the page, unless Ctrl or Meta is held.
    const wheel = (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const frame = chart.current.getBoundingClientRect();
      zoomBy(Math.exp(-event.deltaY / 300), event.clientX - frame.left, event.clientY - frame.top);
    };
    const svg = chart.current;
    addEventListener('pointermove', move);
    addEventListener('pointerup', release);
    addEventListener('pointercancel', release);
    svg.addEventListener('wheel', wheel, { passive: false });
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', release);
      removeEventListener('pointercancel', release);
      svg.removeEventListener('wheel', wheel);
    };
  }, [width]);

  const touches = (edge) => chosen >= 0 && (edge.a ?? 0) !== (edge.b ?? 0) && [edge.a ?? 0, edge.b ?? 0].includes(chosen);
  const ends = (edge) => [...places[edge.a ?? 0], ...places[edge.b ?? 0]].map((n) => n.toFixed(1));
  const node = nodes[chosen];
  const facts = node && [node.slug, node.type, node.scope, node.updated && `changed ${dateName(node.updated)}`, node.stale && 'stale: what it names has changed since', (node.tags ?? []).join(', ')];
  return html`<div class="memory-graph">
    <p class="buttons screen"><button type="button" aria-label="Enlarge" onClick=${() => zoomBy(1.5)}>+</button><button type="button" aria-label="Make smaller" onClick=${() => zoomBy(1 / 1.5)}>−</button><button type="button" aria-label="Fit all" onClick=${fit}>Fit</button></p>
    <div class="graph-box" ref=${box}><svg ref=${chart} class="chart graph" viewBox="0 0 ${width} ${height}" height=${height} data-zoom=${view.zoom.toFixed(2)} role="group" aria-label="${counted(nodes.length, 'memory', 'memories')} and ${counted(edges.length, 'link')}. The table says the same."
        onPointerDown=${(event) => held.current.set(event.pointerId, { x: event.clientX, y: event.clientY })}>
      <g>${edges.map((edge) => {
        const [x1, y1, x2, y2] = ends(edge);
        return html`<line class="edge ${touches(edge) ? 'chosen' : ''}" x1=${x1} y1=${y1} x2=${x2} y2=${y2} />`;
      })}</g>
      <g>${edges.filter(touches).map((edge) => {
        const [x1, y1, x2, y2] = ends(edge).map(Number);
        return html`<text class="edge-name" x=${(x1 + x2) / 2} y=${(y1 + y2) / 2}>${edge.label}</text>`;
      })}</g>
      <g>${nodes.map((one, i) => html`<g key=${one.slug} class="memory ${one.stale ? 'stale' : ''} ${near.size && !near.has(i) ? 'faint' : ''} ${i === chosen ? 'chosen' : ''}" tabindex=${i === Math.max(chosen, 0) ? 0 : -1} role="button"
          aria-label=${one.title} aria-pressed=${`${i === chosen}`} data-slug=${one.slug} data-tip=${[one.title, `${one.type}, ${one.scope}${one.stale ? ', stale' : ''}`, counted(links[i].length, 'link')].join('\n')}
          transform="translate(${places[i][0].toFixed(1)} ${places[i][1].toFixed(1)})" onClick=${() => choose(i)} onKeyDown=${(event) => press(event, i)}>
        <circle class="fill ${memoryColour(one.type)}" r=${radius(i)} /><circle class="finger" r=${narrow ? 18 : 12} />
        <text class="name" text-anchor=${anchorOf(i)} y=${-4 - radius(i)} hidden=${!named.has(i)}>${nameOf(one)}</text></g>`)}</g>
    </svg></div>
    <div role="status">${node && html`<div class="panel"><h3>${text(node.title)}</h3><p class="small muted">${facts.filter(Boolean).join(' · ')}</p>
      ${node.path && html`<p class="path">${node.path}</p>`}
      ${links[chosen].length > 0 && html`<ul>${links[chosen].map(([other, label, out]) => html`<li>${out ? `${label} ` : `${label} of this: `}<button type="button" class="plain text" onClick=${() => setChosen(other)}>${nodes[other].title}</button></li>`)}</ul>`}
      ${open && html`<p><a href=${open(node.slug)}>Read it</a></p>`}</div>`}</div>
    ${legend([...new Set(nodes.map((one) => one.type))].map((type) => [memoryColour(type), type]))}
    ${asTable('Memories', ['Title', 'Kind', 'Scope', 'Links', 'Changed'], nodes.map((one, i) => [one.title, one.type, one.scope, num(links[i].length), one.updated ? dateName(one.updated) : '']))}
  </div>`;
}

function MemoryMap({ model: { data, dateName } }) {
  const { nodes = [], edges = [], left_out: leftOut } = data.memories ?? {};
  return html`<${Part} id="memories" title="Memories">
    ${nodes.length === 0 ? nothing('No memories yet. `memd memory write` writes one, `memd memory suggest` proposes some.') : html`
    <p class="lead">${counted(nodes.length, 'memory', 'memories')} and ${counted(edges.length, 'link')}${leftOut ? `; ${num(leftOut)} with fewer links are not drawn` : ''}. Drag to move, two fingers or Ctrl and wheel to enlarge; a memory shows its links.</p>
    <${MemoryGraph} nodes=${nodes} edges=${edges} dateName=${dateName} />`}
  </${Part}>`;
}
