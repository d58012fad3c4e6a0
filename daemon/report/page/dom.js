// Elements are created, never parsed, so that text from history cannot become markup.

const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== undefined && child !== null && child !== false) node.append(child);
  return node;
}
const el = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
const svg = (tag, properties, ...children) => fill(document.createElementNS(svgNamespace, tag), properties, children);
const text = (value, className = 'text') => el('span', { class: className, dir: 'auto' }, value);

const whole = new Intl.NumberFormat('en');
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const num = (n) => whole.format(n ?? 0);
const short = (n) => compactFormat.format(n ?? 0);
const count = (n, one, many = `${one}s`) => `${num(n)} ${n === 1 ? one : many}`;
const percent = (part, all) => {
  if (!all) return '–';
  const share = (100 * part) / all;
  if (share > 99.9 && share < 100) return '> 99.9%';
  if (share > 0 && share < 0.1) return '< 0.1%';
  return `${share.toFixed(share < 10 && share > 0 ? 1 : 0)}%`;
};
const bytes = (n) => (n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB` : n >= 1e3 ? `${(n / 1e3).toFixed(1)} kB` : `${num(n)} B`);

const iso = (ms) => new Date(ms).toISOString();
const dayName = (ms) => (ms ? iso(ms).slice(0, 10) : 'no date');
const timeName = (ms) => (ms ? `${iso(ms).slice(0, 10)} ${iso(ms).slice(11, 16)}` : 'no time');
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
function duration(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return '< 1 min';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

// Draws now and whenever the width of the box changes.
function drawAsWide(box, draw) {
  let width = -1;
  const look = () => {
    if (Math.abs(box.clientWidth - width) < 2) return;
    width = box.clientWidth;
    draw();
  };
  look();
  new ResizeObserver(look).observe(box);
}

// One tooltip for the page. Any element with data-tip shows it on hover and on focus.
{
  const tip = document.getElementById('tip');
  let shownAt = 0; // scroll position of the page
  const place = (box) => {
    const { width, height } = tip.getBoundingClientRect();
    const x = Math.min(Math.max(box.left + box.width / 2 - width / 2, 8), innerWidth - width - 8);
    const above = box.top - height - 8;
    tip.style.left = `${x}px`;
    tip.style.top = `${above < 8 ? box.bottom + 8 : above}px`;
  };
  const show = ({ target }) => {
    const owner = target.closest?.('[data-tip]');
    tip.hidden = !owner;
    if (!owner) return;
    tip.textContent = owner.dataset.tip;
    place(owner.getBoundingClientRect());
    shownAt = scrollY;
  };
  document.addEventListener('pointerover', show);
  document.addEventListener('focusin', show);
  document.addEventListener('focusout', () => (tip.hidden = true));
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && (tip.hidden = true));
  document.addEventListener('scroll', () => Math.abs(scrollY - shownAt) > 4 && (tip.hidden = true), { passive: true });
}
