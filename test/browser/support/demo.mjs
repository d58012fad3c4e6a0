// A generated history of half a year: one developer, four projects, several agents. It is the same in every run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Transcript } from '../../e2e/support/history.mjs';

const DAY = 86_400_000;
const start = Date.UTC(2026, 0, 5);

function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// The work: project, first and last day, and turns as [prompt, file, command, answer].
const work = [
  { project: 'parcel', days: [0, 60], topic: 'upload race', agent: 'claude_code', turns: [
    ['The upload test fails about once in twenty runs. Find out why before you change anything.', 'server/store.py', 'pytest tests/test_upload.py --count 40', 'The server answers before it renames the part file into place. The upload race is in the store, the test is right.'],
    ['Then rename first and answer afterwards.', 'server/store.py', 'pytest tests/test_upload.py --count 200', 'Done. The upload race is gone: 200 runs of the upload test pass.'],
    ['Add a regression test for the upload race that does not sleep.', 'tests/test_upload.py', 'pytest tests -q', 'The regression test holds the rename with a barrier, so the upload race would show every time.'] ] },
  { project: 'parcel', days: [35, 120], topic: 'rate limiter', agent: 'claude_code', turns: [
    ['Requests come in bursts. Should the rate limiter be a token bucket or a sliding window?', 'server/limiter.py', 'rg -n "limit" server', "I'll use a token bucket instead of a sliding window because it allows short bursts and needs two numbers per client."],
    ['Agreed. Write the rate limiter, with the numbers in the configuration.', 'server/limiter.py', 'pytest tests/test_limiter.py', 'The token bucket stands in server/limiter.py; the rate limiter reads both numbers from the configuration.'],
    ['Clients behind one proxy share a bucket now. Key the rate limiter by token.', 'server/limiter.py', 'pytest tests/test_limiter.py', 'The rate limiter keys by API token and falls back to the address.'] ] },
  { project: 'atlas', days: [15, 150], topic: 'tile cache', agent: 'codex', turns: [
    ['Map tiles are fetched again on every zoom. Where would a tile cache fit?', 'src/tiles/loader.ts', 'npm test -- tiles', 'Between the loader and the renderer. A tile cache of 256 tiles covers three zoom levels.'],
    ['Build the tile cache as a least recently used map, without a dependency.', 'src/tiles/cache.ts', 'npm test -- cache', 'The tile cache is a Map in order of use; the oldest tile goes when it is full.'],
    ['Prefetch the ring around the viewport into the tile cache.', 'src/tiles/prefetch.ts', 'npm run bench', 'Prefetching fills the tile cache while idle; panning shows no blank tiles now.'] ] },
  { project: 'atlas', days: [70, 170], topic: 'vector labels', agent: 'cursor', turns: [
    ['Vector labels overlap at low zoom. Drop the less important ones.', 'src/labels/place.ts', 'npm test -- labels', 'Vector labels are placed by rank on a grid; those that collide are left out.'],
    ['The labels flicker when the map moves.', 'src/labels/place.ts', 'npm test -- labels', 'Placement of vector labels is stable now: a label keeps its place while it fits.'] ] },
  { project: 'ledger', days: [50, 178], topic: 'currency rounding', agent: 'opencode', turns: [
    ['Invoices are off by a cent. Look at currency rounding.', 'internal/money/round.go', 'go test ./internal/money/...', 'Currency rounding happened per line and again for the sum. Half a cent went the wrong way twice.'],
    ['Round once, at the end, half to even.', 'internal/money/round.go', 'go test ./...', 'Currency rounding is done once, half to even; the invoices of last year agree to the cent.'] ] },
  { project: 'ledger', days: [90, 178], topic: 'database migration', agent: 'claude_code', turns: [
    ['The database migration to partitions locks the table for minutes. Is there a way without the lock?', 'migrations/0042_partition.sql', 'make migrate-dry', 'Yes: create the partitions beside it, copy in batches, swap names in one transaction.'],
    ['Write the database migration that way, resumable.', 'migrations/0042_partition.sql', 'make migrate-test', 'The database migration copies ten thousand rows at a time and remembers how far it came.'],
    ['It failed in staging with a duplicate key.', 'migrations/0043_backfill.sql', 'make migrate-test', 'Rows written during the copy came twice. The database migration now ignores those that are there.'] ] },
  { project: 'notes', days: [5, 175], topic: 'search index', agent: 'gemini', turns: [
    ['Where does the notes app keep its search index, and may I delete it?', 'lib/index.dart', 'flutter test', 'In ~/.cache/notes. The search index is rebuilt at the next start, so you may delete it.'],
    ['Make the search index find words inside of compounds.', 'lib/tokens.dart', 'flutter test', 'The search index splits compounds at known words; both halves find the note.'] ] },
];
const models = { claude_code: 'claude-opus-4-6', codex: 'gpt-5.2-codex', cursor: 'composer-2', opencode: 'qwen3-coder', gemini: 'gemini-3-pro' };

// Writes Claude Code sessions as transcripts under home, and all others to one file of events for import.
export function writeDemo(home, eventsFile) {
  const next = random(7);
  const pick = (all) => all[Math.floor(next() * all.length)];
  const lines = [];
  let serial = 0;
  for (let day = 0; day < 178; ++day) {
    const weekday = (new Date(start + day * DAY).getUTCDay() + 6) % 7;
    const sessions = weekday > 4 ? (next() < 0.12 ? 1 : 0) : Math.floor(next() * next() * 8);
    for (let i = 0; i < sessions; ++i) {
      const open = work.filter((w) => day >= w.days[0] && day <= w.days[1]);
      const job = pick(open);
      const time = start + day * DAY + (8 + Math.floor(next() * 10)) * 3_600_000 + Math.floor(next() * 3_600_000);
      const from = Math.floor(next() * job.turns.length);
      const turns = [...job.turns.slice(from), ...job.turns.slice(0, from)].slice(0, 1 + Math.floor(next() * job.turns.length));
      (job.agent === 'claude_code' ? claude : events)(job, turns, time, ++serial);
    }
  }
  writeFileSync(eventsFile, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

  function claude(job, turns, time) {
    const cwd = `/home/ada/src/${job.project}`;
    const session = new Transcript(home, { cwd, branch: 'main', start: new Date(time).toISOString() });
    for (const [prompt, file, command, answer] of turns) {
      session.prompt(prompt).tool('Read', { file_path: `${cwd}/${file}` }, '1\t…');
      for (let i = 0; i <= next() * 4; ++i) edit(session, `${cwd}/${file}`);
      const failed = next() < 0.25;
      session.tool('Bash', { command, description: `Run ${command}` }, failed ? '1 failed, 37 passed' : '38 passed', failed);
      if (failed) session.tool('Bash', { command, description: 'Again' }, '38 passed');
      session.answer(answer);
      session.time += Math.floor(next() * 20) * 60_000;
    }
    session.title(`${turns[0][0].split(/[.?]/)[0].slice(0, 60)}`);
  }

  function edit(session, path) {
    const lines = Array.from({ length: 3 + Math.floor(next() * 30) }, () => (next() < 0.3 ? '-a' : '+b'));
    session.assistant({ type: 'tool_use', id: `toolu_${path}_${lines.length}_${++serial}`, name: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' } }, 'tool_use');
    session.chained('user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${path}_${lines.length}_${serial}`, content: 'The file has been updated.', is_error: false }] },
      toolUseResult: { filePath: path, structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }] },
    });
  }

  function events(job, turns, time, serial) {
    const session_id = `${job.agent}:demo-${String(serial).padStart(4, '0')}`;
    const cwd = `/home/ada/src/${job.project}`;
    let at = time;
    let id = 0;
    const add = (actor, kind, body, paths) => {
      at += 4_000 + Math.floor(next() * 30_000);
      lines.push({ v: 1, id: `${serial}-${++id}`, ts: new Date(at).toISOString(), session_id, actor, kind, ...(paths && { refs: { paths } }), body: { cwd, branch: 'main', model: models[job.agent], ...body } });
    };
    add('user', 'note', { session: { title: turns[0][0].split(/[.?]/)[0].slice(0, 60), ...(job.agent === 'cursor' && { cost_usd: Math.round(next() * 90) / 100 }) } });
    for (const [prompt, file, command, answer] of turns) {
      add('user', 'message', { text: prompt });
      for (const [tool, input, paths] of [['read_file', { path: file }, [`${cwd}/${file}`]], ['apply_patch', { path: file }, [`${cwd}/${file}`]], ['shell', { command }]]) {
        const call_id = `${serial}-c${id}`;
        const failed = next() < 0.12;
        add('agent', 'tool_call', { tool, call_id, input }, paths);
        add('tool', 'tool_result', { call_id, output: failed ? 'exit status 1' : 'ok', is_error: failed });
      }
      if (job.agent !== 'cursor') add('agent', 'message', { text: answer, usage: { input: 900 + Math.floor(next() * 4000), output: 300 + Math.floor(next() * 2500), cache_read: 20_000 + Math.floor(next() * 90_000), cache_creation: 0 } });
      else add('agent', 'message', { text: answer });
      at += Math.floor(next() * 20) * 60_000;
    }
  }
}
