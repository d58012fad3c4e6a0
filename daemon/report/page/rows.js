// A list of which only the visible rows exist. `heights`: of each row, in pixels; rows that `measures` get their own
// height when they are drawn, and keep the reader's place. `control` gets {scrollTo(row), atEnd()}.
function Rows({ count, height, render, label, measures = false, control, onRange, as = 'ul', item = 'li' }) {
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
