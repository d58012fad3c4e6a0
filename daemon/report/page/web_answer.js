// What a tool answers to these arguments: {answer, error, busy}. Asks again when they, or `version`, change; the answer
// before stays until then. No arguments: nothing is asked.
function useAnswer(tool, args, version = 0) {
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
