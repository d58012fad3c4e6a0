// Edge cases of answers with the real program, numbered as in test/daemon/edges_test.cpp.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';

import { Home, writeHistory } from './support/history.mjs';
import { LineClient, binary, cleanUp, cli, environment, eventually, options, ways } from './support/memd.mjs';
import { daemonsOf } from './support/processes.mjs';

const seconds = 1000;
const question = { name: 'semantic_search', arguments: { query: 'upload test' } };

describe('edge 2: before anything is read', () => {
  const home = new Home();
  before(() => writeHistory(home));
  after(() => cleanUp(home));

  test('status, doctor and search see the sources and name the command', async () => {
    const { json: status } = await cli(home, 'status');
    assert.deepEqual(status.unread, ['claude_code']);
    const shown = execFileSync(binary, [...options(home), 'status'], { env: environment(home), encoding: 'utf8' });
    assert.match(shown, /nothing has been read yet of Claude Code: memd ingest --once/);
    const { json: doctor } = await cli(home, 'doctor');
    const sources = doctor.checks.find(({ name }) => name === 'sources');
    assert.match(sources.detail, /nothing has been read yet of claude_code/);
    assert.match(sources.fix, /memd ingest --once/);
    const client = new LineClient(ways.standalone(home), home); // ingests the history
    await eventually('it is read', async () => {
      const { content } = await client.call('list_sessions');
      return !content[0].text.startsWith('Nothing has been read yet');
    });
  });
});

describe('edge 3: a daemon that is stopped', () => {
  const home = new Home();
  let client, daemon;
  before(async () => {
    writeHistory(home);
    client = new LineClient(ways.pump(home), home);
    await client.initialize();
    await client.modern('memd/ingest', {}, 60 * seconds);
    [daemon] = daemonsOf(home);
    process.kill(daemon.pid, 'SIGSTOP');
  });
  after(async () => {
    process.kill(daemon.pid, 'SIGCONT');
    await cleanUp(home);
  });

  test('the bridge answers after some seconds with an error that may be retried', { timeout: 30 * seconds }, async () => {
    const asked = performance.now();
    const { error } = await client.modern('tools/call', question, 15 * seconds);
    assert.equal(error.code, -32603);
    assert.deepEqual(error.data, { retryable: true });
    assert.match(error.message, /does not answer/);
    assert.ok(performance.now() - asked < 10 * seconds);
  });

  test('the command line reads the store', { timeout: 30 * seconds }, async () => {
    const { json, stderr } = await cli(home, 'sessions');
    assert.match(stderr, /does not answer/);
    assert.ok(json);
  });

  test('asking again helps once it goes on', { timeout: 30 * seconds }, async () => {
    process.kill(daemon.pid, 'SIGCONT');
    const { result } = await client.modern('tools/call', question, 15 * seconds);
    assert.ok(result && !result.isError);
  });

  test('a read that a killed daemon took along is asked again', { timeout: 30 * seconds }, async () => {
    process.kill(daemon.pid, 'SIGSTOP');
    const answer = client.modern('tools/call', question, 15 * seconds);
    process.kill(daemon.pid, 'SIGKILL');
    process.kill(daemon.pid, 'SIGCONT');
    const { result, error } = await answer;
    assert.ok(result && !result.isError, JSON.stringify(error));
    [daemon] = daemonsOf(home);
  });
});

// A read-only mount is needed, because root can write to any directory.
function canMount() {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('edge 4: a data directory that cannot be written to', { skip: canMount() ? false : 'no user namespaces here' }, () => {
  const home = new Home();
  before(async () => {
    writeHistory(home);
    const { code } = await cli(home, 'ingest', '--once');
    assert.equal(code, 0);
  });
  after(() => cleanUp(home));

  for (const way of [[], ['--standalone']])
    test(`--stdio ${way.join(' ')} serves what is there, and says so`, async () => {
      const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
      const args = ['-rm', 'sh', '-c', script, home.data, binary, ...options(home), '--stdio', ...way];
      const client = new LineClient({ command: 'unshare', args }, home);
      const { content, structuredContent } = await client.call('list_sessions');
      assert.match(content[0].text, /^NOTHING NEW IS STORED: .* cannot be written to/);
      assert.ok(structuredContent.total > 0);
    });
});
