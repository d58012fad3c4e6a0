// Parts of all pages. Texts from history are text nodes, always.
const { createContext, h, html, render, useCallback, useContext, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } = htmPreact;

const Dot = ({ agent }) => html`<span class="dot p-${agent}" aria-hidden="true"></span>`;

let dollars;
const money = (n) => (dollars ??= new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })).format(n);
const percent = (part, all) => {
  if (!all) return '–';
  const share = (100 * part) / all;
  if (share > 99.9 && share < 100) return '> 99.9%';
  if (share > 0 && share < 0.1) return '< 0.1%';
  return `${share.toFixed(share < 10 && share > 0 ? 1 : 0)}%`;
};
const bytes = (n) => (n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB` : n >= 1e3 ? `${(n / 1e3).toFixed(1)} kB` : `${num(n)} B`);

// The value once it has not changed for a moment: for what is typed.
function useSettled(value, ms = 150) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

// The width of an element in pixels, whenever it changes: [the element's ref, width].
function useWidth(least = 280) {
  const box = useRef();
  const [width, setWidth] = useState(least);
  useLayoutEffect(() => {
    const look = () => setWidth(Math.max(box.current.clientWidth, least));
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

// Facts in a line, which breaks between them only.
const Facts = ({ facts }) => facts.filter(Boolean).map((fact, i) => html`${i > 0 && ' · '}<span class="fact">${fact}</span>`);

const Problem = ({ error }) => html`<p class="problem" role="alert">${error.message}</p>`;
const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

function Copy({ text, children = 'Copy' }) {
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

// Text with its code blocks, headings, `code` and **bold**. Long texts are unfolded by a button.
const kLong = 8000;
function Prose({ text }) {
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

// A passage cut at the words that were found, as [text, whether it is one]; `matches`: first byte, length, and so on.
function marksOf(text, matches = []) {
  const bytes = new TextEncoder().encode(text);
  const decode = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const out = [];
  let at = 0;
  for (let i = 0; i + 1 < matches.length; i += 2) {
    if (matches[i] < at) continue;
    out.push([decode(at, matches[i]), false], [decode(matches[i], matches[i] + matches[i + 1]), true]);
    at = matches[i] + matches[i + 1];
  }
  out.push([decode(at), false]);
  return out;
}
const Marked = ({ text, matches }) => html`<span class="text">${marksOf(text, matches).map(([part, isMatch]) => (isMatch ? html`<mark>${part}</mark>` : part))}</span>`;
