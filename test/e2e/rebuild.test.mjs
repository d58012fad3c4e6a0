// A daemon rebuilds its whole store while clients query it: what they see, and what the store contains afterwards.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { clients } from './support/clients.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { LineClient, binary, cleanUp, cli, environment, eventually, keepDoing, options, socketOf, startDaemon, stopDaemons, ways } from './support/memd.mjs';
import { daemonsOf } from './support/processes.mjs';

const sessions = 12;
const turns = 20;
let home, history;
beforeEach(async () => {
  home = new Home();
  history = writeHistory(home);
  // Large enough to be interrupted during the rebuild.
  for (let session = 0; session < sessions; ++session) {
    const transcript = home.session({ cwd: '/home/ada/src/long', branch: 'main', start: `2026-02-0${1 + (session % 9)}T08:00:00Z` });
    for (let turn = 0; turn < turns; ++turn)
      transcript
        .prompt(`Why does step ${turn} of run ${session} fail?`)
        .tool('Bash', { command: `make step-${turn}`, description: 'Run the step' }, `step ${turn}: exit 2`, true)
        .answer(`Step ${turn} of run ${session} needs a larger buffer.`);
  }
});
afterEach(() => cleanUp(home));

// All rows that records determine, with the keys that answers show.
async function rows() {
  const program = `
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
for sql in ("SELECT uid, title, cwd, started_at, ended_at, turns FROM sessions ORDER BY uid",
            "SELECT exchange_pk, uid, exchange_number FROM exchanges JOIN sessions USING (session_pk) ORDER BY 1",
            "SELECT uid, seq, event_id, time, events.kind FROM events JOIN sessions USING (session_pk) ORDER BY 1, 2"):
    for row in db.execute(sql):
        print(row)
`;
  const { stdout } = await promisify(execFile)('python3', ['-c', program, join(home.data, 'memd.db')], { maxBuffer: 1 << 28 });
  assert.ok(stdout.split('\n').length > sessions * turns * 3);
  return stdout;
}

// Sends the request of `memd rebuild` to the daemon's socket.
async function order(args = {}) {
  const line = new LineClient(ways.socket(home), home);
  const { result } = await line.request('memd/rebuild', { what: 'store', ...args });
  await line.close();
  return result;
}

const status = async () => (await cli(home, 'status')).json;
const ended = () =>
  eventually('the rebuild has ended', async () => {
    const now = await status();
    return now?.role === 'daemon' && now.rebuild && now.rebuild.state !== 'running' && now;
  }, 60_000);

async function allIsRead() {
  assert.equal((await cli(home, 'ingest', '--once')).code, 0);
}

for (const [name, { connect }] of Object.entries(clients))
  test(`${name}: no call fails while the store is made anew`, async () => {
    const daemon = await startDaemon(home);
    await allIsRead();
    const before = await rows();
    const client = await connect(ways.pump, home);
    const seen = new Set();
    const asking = keepDoing(async () => {
      const { isError, content, structuredContent } = await client.call('list_sessions', { project: 'long' });
      if (isError || structuredContent.total !== sessions) return content;
      seen.add(content[0].text.includes('NOTHING NEW IS STORED: memd rebuilds its store') ? 'from the store before' : 'as ever');
      return null;
    });
    await eventually('calls are answered', () => asking.answered() > 0);

    const begun = await order();
    assert.equal(begun.structured.started, true, begun.text);
    const now = await ended();
    assert.equal(now.rebuild.state, 'replaced', JSON.stringify(now.rebuild));
    assert.deepEqual(now.rebuild.result.lost, []);
    assert.equal(now.pid, daemon.child.pid, 'it is the same process');
    const afterwards = asking.answered();
    await eventually('and goes on', () => asking.answered() > afterwards + 3);
    const { answered, failed } = await asking.stop();
    assert.deepEqual(failed, []);
    assert.ok(seen.has('as ever'));
    console.log(`# ${answered} calls answered: ${[...seen].join(', ')}`);
    assert.equal(await rows(), before);
    assert.ok(existsSync(join(home.data, 'memd.db.old')));

    // The daemon continues to ingest.
    history.cache.prompt('Does the quokka theme need the cache as well?').answer('No, quokka is drawn without it.');
    await eventually('the new line is found', async () => {
      const { structuredContent } = await client.call('semantic_search', { query: 'quokka' });
      return structuredContent.results[0]?.session_id.endsWith(history.cache.sessionId);
    });
    await client.close();
    await stopDaemons(home);
  });

test('memd rebuild asks the daemon that runs, and tells what came of it', async () => {
  const daemon = await startDaemon(home);
  await allIsRead();
  const before = await rows();
  const { code, json, stderr } = await cli(home, 'rebuild');
  assert.equal(code, 0, stderr);
  assert.equal(json.replaced, true);
  assert.ok(json.events > sessions * turns * 3);
  assert.equal(daemonsOf(home)[0].pid, daemon.child.pid);
  assert.equal(await rows(), before);
  const now = await status();
  assert.deepEqual(now.rebuild.result, json);
  const told = await promisify(execFile)(binary, [...options(home), 'status'], { env: environment(home) });
  assert.match(told.stdout, /^Rebuild +replaced .*: the store was rebuilt from /m);
  await stopDaemons(home);
});

test('memd rebuild looks again when a connection ends within its greeting', async () => {
  await startDaemon(home);
  await allIsRead();
  const before = await rows();
  // A proxy at the path that a command tries first. After the rebuild request it closes four connections at their first
  // byte.
  let ordered = false;
  let ended = 0;
  const between = createServer((client) => {
    if (ordered && ended < 4) return client.once('data', () => ((ended += 1), client.destroy()));
    const daemon = createConnection(socketOf(home));
    client.on('data', (text) => (ordered ||= text.includes('memd/rebuild')));
    for (const [from, to] of [[client, daemon], [daemon, client]]) from.on('error', () => to.destroy()).pipe(to);
  });
  await new Promise((resolve) => between.listen(join(home.data, 'memd.sock'), resolve));
  const { code, json, stderr } = await cli(home, 'rebuild');
  between.close();
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  assert.equal(json.replaced, true);
  assert.equal(ended, 4);
  assert.equal(await rows(), before);
  await stopDaemons(home);
});

describe('a rebuild that is interrupted', () => {
  const stored = async () => {
    await startDaemon(home);
    await allIsRead();
    const before = await rows();
    assert.ok((await order()).structured.started);
    return before;
  };

  test('by SIGTERM ends with the daemon, and the store is whole', async () => {
    const before = await stored();
    await stopDaemons(home); // within five seconds
    assert.equal(await rows(), before);
    assert.ok(!existsSync(join(home.data, 'memd.db.rebuild')));
  });

  test('by kill -9 leaves the store whole, and the next daemon goes on', async () => {
    const before = await stored();
    for (const { pid } of daemonsOf(home)) process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => daemonsOf(home).length === 0);
    const memd = new LineClient(ways.pump(home), home);
    await eventually('its history is there', async () => (await memd.call('list_sessions')).structuredContent.total === sessions + 3);
    assert.ok(!existsSync(join(home.data, 'memd.db.rebuild')));
    assert.equal(await rows(), before);
    await memd.close();
    await stopDaemons(home);
  });
});
