// The way to memd: calls of its tools, and the news that something was stored.

// The address that `memd web` prints carries the token; the page keeps it for its other tabs, and for no other port.
const kept = 'memd.token';
const given = /^#token=([0-9a-f]{64})$/.exec(location.hash);
if (given) history.replaceState(null, '', '/#/');
const authorization = { Authorization: `Bearer ${given?.[1] ?? localStorage.getItem(kept) ?? ''}` };

// Leaves out what is empty: tools then do the usual.
const filled = (args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== '' && value !== undefined && value !== null && value !== false));

const post = (tool, body, text, signal) => fetch(`/api/${tool}`, {
  method: 'POST',
  signal,
  headers: { ...authorization, 'Content-Type': 'application/json', Accept: text ? 'text/plain' : 'application/json' },
  body,
});

// What the page shows first, `firstList`, came with it or is asked for while its other modules load: body → response.
const brought = document.getElementById('first-list').textContent;
const early = new Map([[JSON.stringify(firstList), brought ? Promise.resolve(new Response(brought)) : post('list_sessions', JSON.stringify(firstList))]]);
let firstAnswer = null;
const firstIsHere = early.get(JSON.stringify(firstList)).then(async (response) => {
  if (response.ok) firstAnswer = await response.clone().json();
}).catch(() => {}); // who asks is told of it
if (given) firstIsHere.then(() => localStorage.setItem(kept, given[1])); // a new browser waits for its storage

// Returns the answer of a tool; with `text` as an agent reads it. Throws an Error with memd's words.
async function ask(tool, args = {}, { signal, text = false } = {}) {
  const body = JSON.stringify(filled(args));
  let response;
  try {
    const sent = early.get(body);
    early.delete(body);
    response = await (sent ?? post(tool, body, text, signal));
    signal?.throwIfAborted();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('memd web has ended. Start it again, and open the address that it prints.');
  }
  if (!response.ok) throw new Error((await response.text()).trim());
  return text ? response.text() : response.json();
}

// Asks for all pages of an answer; `take` gets each of them and returns whether it wants more, or a promise of that.
async function askPages(tool, args, take, options) {
  for (let cursor; ; ) {
    const answer = await ask(tool, { ...args, cursor }, options);
    if (!(await take(answer)) || !answer.next) return;
    cursor = answer.next;
  }
}

// Calls onStored when the store has changed, twice a second at most, and onState with whether memd is there.
function follow(onStored, onState) {
  let waits = 500;
  let quiet = null; // runs after a call
  let again = false;
  const stored = () => {
    again = quiet !== null;
    if (again) return;
    onStored();
    quiet = setTimeout(() => {
      quiet = null;
      if (again) stored();
    }, 500);
  };
  (async function connect() {
    try {
      const response = await fetch('/live', { headers: authorization });
      if (!response.ok) throw new Error(await response.text());
      onState(true);
      waits = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ''; ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        if (events.some((event) => event.startsWith('event: stored'))) stored();
      }
    } catch {
      // it is tried again
    }
    onState(false);
    setTimeout(connect, waits);
    waits = Math.min(waits * 2, 15_000);
  })();
}
