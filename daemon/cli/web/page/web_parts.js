// Parts of all views. Texts from history are text nodes, always.
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from '/htm-preact.js';

import { agents } from '/agents.js';
import { ask } from '/web_server.js';

export const agentName = (key) => agents[key]?.name ?? key;
export const Dot = ({ agent }) => html`<span class="dot" aria-hidden="true" style=${{ '--c': agents[agent]?.colour ?? 'var(--muted)' }}></span>`;

const number = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const short = (n) => number.format(n);
export const money = (n) => dollars.format(n);
export const timeOf = (text) => (text ? clock.format(new Date(text)) : '');
export const dayOf = (text) => (text ? day.format(new Date(text)) : 'Without a time');
export const isoDay = (text) => (text ? new Date(text).toLocaleDateString('sv') : '');
export const counted = (n, word) => `${n.toLocaleString()} ${word}${n === 1 ? '' : 's'}`;

// What a tool answers to these arguments: {answer, error, busy}. Asks again when they, or `version`, change; the answer
// before stays until then. No arguments: nothing is asked.
export function useAnswer(tool, args, version = 0) {
  const [state, setState] = useState({ busy: Boolean(args) });
  const key = args ? JSON.stringify(args) : '';
  const shown = useRef('');
  useEffect(() => {
    if (!key) return setState({});
    const stop = new AbortController();
    if (shown.current !== key) setState((before) => ({ ...before, busy: true }));
    ask(tool, JSON.parse(key), { signal: stop.signal }).then(
      (answer) => {
        shown.current = key;
        setState({ answer });
      },
      (error) => error.name !== 'AbortError' && setState({ error }));
    return () => stop.abort();
  }, [tool, key, version]);
  return state;
}

// The value once it has not changed for a moment: for what is typed.
export function useSettled(value, ms = 150) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export const Problem = ({ error }) => html`<p class="problem" role="alert">${error.message}</p>`;
export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

export function Copy({ text, children = 'Copy' }) {
  const [done, setDone] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? await text() : text);
      setDone('Copied');
    } catch (error) {
      setDone(error.message);
    }
    setTimeout(() => setDone(''), 2500);
  };
  return html`<button type="button" onClick=${copy}>${children}</button><span class="small muted" role="status">${done}</span>`;
}

// A list of which only the visible rows exist. `heights`: of each row, in pixels; rows that `measures` get their own
// height when they are drawn, and keep the reader's place. `control` gets {scrollTo(row), atEnd()}.
export function Rows({ count, height, render, label, measures = false, control, onRange, as = 'ul', item = 'li' }) {
  const box = useRef();
  const known = useRef(new Map());
  const [view, setView] = useState({ top: 0, size: 800 });
  const [drawn, redraw] = useState(0);
  const heightOf = (i) => known.current.get(i) ?? height(i);
  const tops = useMemo(() => {
    const out = new Float64Array(count + 1);
    for (let i = 0; i < count; ++i) out[i + 1] = out[i] + heightOf(i);
    return out;
  }, [count, height, drawn]);
  const rowAt = (y) => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  // A place that was asked for is kept while rows on the way get their height, until the reader scrolls.
  const wanted = useRef(null);
  const placed = useRef(0);
  const place = (top) => {
    box.current.scrollTop = top;
    placed.current = box.current.scrollTop;
  };
  // Before anything moves the list: its event of a scroll comes later than the scroll.
  const noticeScroll = () => {
    const node = box.current;
    const expected = Math.min(placed.current, node.scrollHeight - node.clientHeight);
    if (Math.abs(node.scrollTop - expected) <= 2) return;
    wanted.current = null;
    if (control?.current) control.current.stick = false;
  };
  const look = useCallback(() => {
    const node = box.current;
    if (node) noticeScroll();
    if (node) setView((before) => (before.top === node.scrollTop && before.size === node.clientHeight ? before : { top: node.scrollTop, size: node.clientHeight }));
  }, []);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const first = Math.max(0, rowAt(view.top - 400));
  const last = Math.min(count - 1, rowAt(view.top + view.size + 400));

  useEffect(() => onRange?.(first, last), [first, last, onRange, count]);

  // Rows above the reader's place that turn out higher move what is read: it is moved back.
  const measure = useCallback(() => {
    const node = box.current;
    if (!node) return;
    noticeScroll();
    let moved = 0;
    let changed = false;
    const ended = control?.current?.atEnd();
    for (const row of node.querySelectorAll(':scope > .rows > [data-row]')) {
      const i = Number(row.dataset.row);
      const now = row.offsetHeight;
      const before = known.current.get(i) ?? height(i);
      if (Math.abs(now - before) < 1) continue;
      if (row.offsetTop + before <= node.scrollTop) moved += now - before;
      known.current.set(i, now);
      changed = true;
    }
    if (!changed) return;
    node.firstElementChild.style.height = `${parseFloat(node.firstElementChild.style.height) + Math.max(moved, 0)}px`;
    if (moved) place(node.scrollTop + moved);
    if (ended) control.current.stick = true;
    redraw((n) => n + 1);
  }, [height]);
  useLayoutEffect(() => {
    if (!measures) return undefined;
    measure();
    const watch = new ResizeObserver(measure);
    for (const row of box.current.querySelectorAll(':scope > .rows > [data-row]')) watch.observe(row);
    return () => watch.disconnect();
  }, [first, last, drawn, count, measure]);
  useLayoutEffect(() => {
    noticeScroll();
    if (wanted.current) {
      place(wanted.current.row >= count ? tops[count] : tops[wanted.current.row]);
    } else if (control?.current?.stick) {
      place(tops[count]);
      control.current.stick = false;
    }
    look();
  }, [tops]);
  if (control)
    control.current = {
      stick: control.current?.stick,
      scrollTo(row) {
        place(row >= count ? tops[count] : tops[row]);
        wanted.current = measures ? { row } : null;
        look();
        redraw((n) => n + 1);
      },
      atEnd: () => Boolean(box.current) && box.current.scrollTop + box.current.clientHeight >= box.current.scrollHeight - 48,
    };
  const rows = [];
  for (let i = first; i <= last; ++i)
    rows.push(html`<${item} key=${i} data-row=${i} aria-setsize=${item === 'li' ? count : undefined} aria-posinset=${item === 'li' ? i + 1 : undefined}
      style=${{ top: `${tops[i]}px`, height: measures ? undefined : `${heightOf(i)}px` }}>${render(i)}</${item}>`);
  return html`<div class="scroller" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label=${label}>
    <${as} class="rows" style=${{ height: `${tops[count]}px` }}>${rows}</${as}>
  </div>`;
}

// Text with its code blocks, headings, `code` and **bold**. Long texts are unfolded by a button.
const kLong = 8000;
export function Prose({ text }) {
  const [all, setAll] = useState(false);
  const shown = all || text.length < kLong * 1.25 ? text : text.slice(0, kLong);
  const parts = shown.split(/^```([^\n]*)\n?/m);
  const out = [];
  for (let i = 0; i < parts.length; i += 2) {
    const inside = (i / 2) % 2 === 1;
    if (inside) out.push(html`<pre tabindex="0" role="group" aria-label="Code"><code>${parts[i].replace(/\n$/, '')}</code></pre>`);
    else if (parts[i].trim()) out.push(html`<p class="text">${inline(parts[i].trim())}</p>`);
  }
  if (shown !== text) out.push(html`<button type="button" onClick=${() => setAll(true)}>Show all of it (${counted(text.length, 'character')})</button>`);
  return html`<div class="prose">${out}</div>`;
}
function inline(text) {
  return text.split(/(^#{1,6} .+$|`[^`\n]+`|\*\*[^*\n]+\*\*)/m).map((part, i) => {
    if (i % 2 === 0) return part;
    return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : html`<strong>${part.startsWith('#') ? part.replace(/^#+ /, '') : part.slice(2, -2)}</strong>`;
  });
}

// A passage with the words that were found; `matches`: first byte, length, and so on.
export function Marked({ text, matches = [] }) {
  const bytes = new TextEncoder().encode(text);
  const decode = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const out = [];
  let at = 0;
  for (let i = 0; i + 1 < matches.length; i += 2) {
    if (matches[i] < at) continue;
    out.push(decode(at, matches[i]), html`<mark>${decode(matches[i], matches[i] + matches[i + 1])}</mark>`);
    at = matches[i] + matches[i + 1];
  }
  out.push(decode(at));
  return html`<span class="text">${out}</span>`;
}
