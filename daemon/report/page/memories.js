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

function memoryGraph(nodes, edges) {
  const of = nodes.map(() => []); // edges of each dot
  for (const edge of edges) {
    of[edge.a ?? 0].push([edge.b ?? 0, edge.label, true]);
    of[edge.b ?? 0].push([edge.a ?? 0, edge.label, false]);
  }
  const at = laidOut(nodes.length, edges.map((edge) => [edge.a ?? 0, edge.b ?? 0]));
  const ranked = nodes.map((_, i) => i).sort((a, b) => of[b].length - of[a].length);
  const view = { x: 0, y: 0, zoom: 1, width: 0, height: 420, chosen: -1 };
  const chart = svg('svg', { class: 'chart graph', role: 'group', 'aria-label': `${count(nodes.length, 'memory', 'memories')} and ${count(edges.length, 'link')}. The table says the same.` });
  const radius = (i) => 5 + Math.min(9, 1.6 * Math.sqrt(of[i].length));
  const lines = edges.map(() => svg('line', { class: 'edge' }));
  const told = edges.map((edge) => svg('text', { class: 'edge-name', hidden: true }, edge.label));
  const name = (node) => (node.title.length > 32 ? `${node.title.slice(0, 31)}…` : node.title);
  const dots = nodes.map((node, i) =>
    svg('g', { class: `memory ${node.stale ? 'stale' : ''}`, tabindex: i === 0 ? 0 : -1, role: 'button', 'aria-label': node.title, 'data-slug': node.slug,
      'data-tip': [node.title, `${node.type}, ${node.scope}${node.stale ? ', stale' : ''}`, count(of[i].length, 'link')].join('\n'),
      onclick: () => choose(i), onkeydown: (event) => keyed(event, i) },
    svg('circle', { class: `fill ${memoryColour(node.type)}`, r: radius(i) }),
    svg('text', { class: 'name', 'text-anchor': 'middle' }, name(node))));
  chart.append(svg('g', {}, lines), svg('g', {}, told), svg('g', {}, dots));
  const panel = el('div', { role: 'status' });

  // Fits the whole graph into the box.
  const bounds = { left: Math.min(...at.map((p) => p.x)), right: Math.max(...at.map((p) => p.x)), top: Math.min(...at.map((p) => p.y)), bottom: Math.max(...at.map((p) => p.y)) };
  const place = (i) => {
    const down = (view.height - 60) / Math.max(bounds.bottom - bounds.top, 0.1);
    const across = Math.min((view.width - 180) / Math.max(bounds.right - bounds.left, 0.1), 2 * down); // prefers width to height
    return [view.width / 2 + view.x + (at[i].x - (bounds.left + bounds.right) / 2) * across * view.zoom, view.height / 2 + view.y + (at[i].y - (bounds.top + bounds.bottom) / 2) * Math.min(down, 2 * across) * view.zoom];
  };
  // Returns the names that have room: the chosen dot's first, then those of the most linked.
  function namesWithRoom(places, near) {
    const taken = [];
    const shown = new Set();
    for (const i of [...near, ...ranked.filter((i) => !near.has(i))]) {
      const half = 3.2 * name(nodes[i]).length;
      const [x, y] = [places[i][0], places[i][1] - radius(i)];
      if (!near.has(i) && taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 13)) continue;
      taken.push({ x, y, half });
      shown.add(i);
    }
    return shown;
  }
  function draw() {
    chart.setAttribute('viewBox', `0 0 ${view.width} ${view.height}`);
    chart.setAttribute('height', view.height);
    const places = nodes.map((_, i) => place(i));
    const near = new Set(view.chosen < 0 ? [] : [view.chosen, ...of[view.chosen].map(([other]) => other)]);
    const names = namesWithRoom(places, near);
    dots.forEach((dot, i) => {
      dot.setAttribute('transform', `translate(${places[i][0].toFixed(1)} ${places[i][1].toFixed(1)})`);
      dot.classList.toggle('faint', near.size > 0 && !near.has(i));
      dot.classList.toggle('chosen', i === view.chosen);
      dot.lastChild.setAttribute('y', -4 - radius(i));
      dot.lastChild.toggleAttribute('hidden', !names.has(i));
    });
    edges.forEach((edge, i) => {
      const [x1, y1] = places[edge.a ?? 0];
      const [x2, y2] = places[edge.b ?? 0];
      for (const [key, value] of Object.entries({ x1, y1, x2, y2 })) lines[i].setAttribute(key, value.toFixed(1));
      const touches = view.chosen >= 0 && (edge.a ?? 0) !== (edge.b ?? 0) && [edge.a ?? 0, edge.b ?? 0].includes(view.chosen);
      lines[i].classList.toggle('chosen', touches);
      told[i].toggleAttribute('hidden', !touches);
      told[i].setAttribute('x', ((x1 + x2) / 2).toFixed(1));
      told[i].setAttribute('y', ((y1 + y2) / 2).toFixed(1));
    });
    chart.dataset.zoom = view.zoom.toFixed(2);
  }
  // Zooms around a point of the box.
  function zoomBy(factor, x = view.width / 2, y = view.height / 2) {
    const zoom = Math.min(40, Math.max(0.5, view.zoom * factor));
    view.x = x - view.width / 2 - ((x - view.width / 2 - view.x) * zoom) / view.zoom;
    view.y = y - view.height / 2 - ((y - view.height / 2 - view.y) * zoom) / view.zoom;
    view.zoom = zoom;
    draw();
  }
  const fit = () => (Object.assign(view, { x: 0, y: 0, zoom: 1 }), draw());

  function choose(i) {
    view.chosen = view.chosen === i ? -1 : i;
    dots.forEach((dot, k) => dot.setAttribute('tabindex', k === Math.max(view.chosen, 0) ? 0 : -1));
    panel.replaceChildren();
    if (view.chosen >= 0) {
      const node = nodes[view.chosen];
      panel.append(el('div', { class: 'panel' },
        el('h4', {}, text(node.title)),
        el('p', { class: 'small muted' }, [node.slug, node.type, node.scope, node.updated ? `changed ${dateName(node.updated)}` : '', node.stale ? 'stale: what it names has changed since' : '', (node.tags ?? []).join(', ')].filter(Boolean).join(' · ')),
        node.path && el('p', { class: 'path' }, node.path),
        of[view.chosen].length > 0 && el('ul', {}, of[view.chosen].map(([other, label, out]) => el('li', {}, out ? `${label} ` : `${label} of this: `, el('button', { type: 'button', class: 'plain text', onclick: () => choose(other) }, nodes[other].title))))));
    }
    draw();
  }
  // Arrows follow links, in their order; Enter and Space choose; + and - zoom.
  function keyed(event, i) {
    if (event.key === 'Enter' || event.key === ' ') choose(i);
    else if (event.key === '+' || event.key === '-') zoomBy(event.key === '+' ? 1.5 : 1 / 1.5);
    else if (event.key.startsWith('Arrow')) {
      const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
      dots[(i + step + dots.length) % dots.length].focus();
    } else return;
    event.preventDefault();
  }

  let held;
  chart.addEventListener('pointerdown', (event) => (held = { x: event.clientX - view.x, y: event.clientY - view.y }));
  addEventListener('pointermove', (event) => {
    if (!held) return;
    Object.assign(view, { x: event.clientX - held.x, y: event.clientY - held.y });
    draw();
  });
  addEventListener('pointerup', () => (held = undefined));
  // The wheel scrolls the page, unless Ctrl or Meta is held.
  chart.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = chart.getBoundingClientRect();
    zoomBy(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  const button = (name, run) => el('button', { type: 'button', 'aria-label': name.long, onclick: run }, name.short);
  const buttons = [button({ short: '+', long: 'Enlarge' }, () => zoomBy(1.5)), button({ short: '−', long: 'Make smaller' }, () => zoomBy(1 / 1.5)), button({ short: 'Fit', long: 'Fit all' }, fit)];
  const box = el('div', { class: 'graph-box' }, chart);
  drawAsWide(box, () => {
    view.width = Math.max(box.clientWidth, 280);
    draw();
  });
  return { box, panel, buttons, of };
}

function drawMemories() {
  const place = section('memories');
  const { nodes = [], edges = [], left_out: leftOut } = data.memories ?? {};
  if (nodes.length === 0) return place.append(nothing('No memories yet. `memd memory write` writes one, `memd memory suggest` proposes some.'));
  place.append(el('p', { class: 'lead' }, `${count(nodes.length, 'memory', 'memories')} and ${count(edges.length, 'link')}${leftOut ? `; ${num(leftOut)} with fewer links are not drawn` : ''}. Drag to move, Ctrl and wheel to enlarge; a memory shows its links.`));
  const graph = memoryGraph(nodes, edges);
  controls('memories', ...graph.buttons);
  place.append(graph.box, graph.panel,
    legend([...new Set(nodes.map((node) => node.type))].map((type) => [memoryColour(type), type])),
    asTable('Memories', ['Title', 'Kind', 'Scope', 'Links', 'Changed'], nodes.map((node, i) => [node.title, node.type, node.scope, num(graph.of[i].length), node.updated ? dateName(node.updated) : ''])));
}
