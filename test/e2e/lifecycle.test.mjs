// How processes start, end and replace each other, and what they leave behind.
import assert from 'node:assert/strict';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { Home, writeHistory } from './support/history.mjs';
import {
  LineClient,
  cleanUp,
  cli,
  eventually,
  socketOf,
  startDaemon,
  stopDaemons,
  untilIndexed,
  ways,
  within,
} from './support/memd.mjs';
import { daemonsOf, processesOf, zombiesOf } from './support/processes.mjs';

let home, history;
beforeEach(() => {
  home = new Home();
  history = writeHistory(home);
});
afterEach(() => cleanUp(home));

const noZombies = () => eventually('no zombie is left', () => zombiesOf(home).length === 0);

for (const name of ['pump', 'standalone']) {
  describe(name, () => {
    test('ends on EOF with everything answered', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      const answers = Array.from({ length: 20 }, () => memd.modern('tools/call', { name: 'capabilities', arguments: {} }));
      memd.child.stdin.end();
      for (const { result } of await Promise.all(answers)) assert.ok(!result.isError);
      assert.deepEqual(await within(10_000, 'end', memd.exit), { code: 0, signal: null });
      assert.deepEqual(memd.garbage, []);
      await noZombies();
    });

    test('ends on EOF before anything was said', async () => {
      const memd = new LineClient(ways[name](home), home);
      memd.child.stdin.end();
      assert.equal((await within(10_000, 'end', memd.exit)).code, 0);
    });

    test('takes /dev/null for stdin', async () => {
      const memd = new LineClient(ways[name](home), home, openSync('/dev/null', 'r'));
      assert.equal((await within(10_000, 'end', memd.exit)).code, 0);
      assert.equal(memd.messages.length, 0);
    });

    test('ends on SIGTERM with stdin open', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      memd.child.kill('SIGTERM');
      await within(10_000, 'end', memd.exit);
      assert.deepEqual(memd.garbage, []);
      await noZombies();
    });

    test('ends when nobody reads its answers', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      memd.child.stdout.destroy();
      memd.send({ id: 'unread', method: 'ping' });
      memd.child.stdin.end();
      await within(10_000, 'end', memd.exit);
    });

    test('answers what is not JSON-RPC with an error, and goes on', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      memd.child.stdin.write('this is no JSON\n');
      const { error } = await eventually('a parse error', () => memd.messages.find((m) => m.error?.code === -32700));
      assert.ok(error.message);
      assert.equal((await memd.request('no/such/method')).error.code, -32601);
      assert.ok((await memd.request('ping')).result);
      await memd.close();
    });

    test('a cancelled request is answered at most once, and none after it is lost', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      const ids = Array.from({ length: 20 }, (_, i) => `cancelled-${i}`);
      for (const id of ids)
        memd.send(
          { id, method: 'tools/call', params: { name: 'semantic_search', arguments: { query: 'upload' } } },
          { method: 'notifications/cancelled', params: { requestId: id } },
        );
      assert.ok((await memd.request('ping')).result);
      for (const id of ids) assert.ok(memd.messages.filter((message) => message.id === id).length <= 1);
      await memd.close();
    });

    test('a progress token is used for that request alone', async () => {
      const memd = new LineClient(ways[name](home), home);
      await memd.initialize();
      const { id } = await memd.request('tools/call', {
        name: 'semantic_search',
        arguments: { query: 'upload' },
        _meta: { progressToken: 'mine' },
      });
      assert.ok((await memd.request('ping')).result);
      const end = memd.messages.findIndex((message) => message.id === id);
      const progress = memd.messages.filter((message) => message.method === 'notifications/progress');
      for (const message of progress) {
        assert.equal(message.params.progressToken, 'mine');
        assert.ok(memd.messages.indexOf(message) < end, 'none after the answer');
      }
      await memd.close();
    });

    test('a line that the agent writes is found', async () => {
      const memd = new LineClient(ways[name](home), home);
      await untilIndexed(memd, history);
      history.cache.prompt('Does the quokka theme need the cache as well?').answer('No, quokka is drawn without it.');
      const hit = await eventually('the new line is found', async () => {
        const { structuredContent } = await memd.call('semantic_search', { query: 'quokka' });
        return structuredContent.results[0];
      });
      assert.ok(hit.session_id.endsWith(history.cache.sessionId));
      await memd.close();
    });
  });
}

describe('daemon', () => {
  test('two clients at once start exactly one', async () => {
    const both = Array.from({ length: 2 }, () => new LineClient(ways.pump(home), home));
    for (const { result } of await Promise.all(both.map((memd) => memd.modern('server/discover')))) assert.ok(result);
    assert.equal(daemonsOf(home).length, 1);
    await Promise.all(both.map((memd) => memd.close()));
    assert.equal(await stopDaemons(home), 1);
  });

  test('outlives its clients and leaves no other process', async () => {
    for (let i = 0; i < 5; ++i) {
      const memd = new LineClient(ways.pump(home), home);
      await memd.initialize();
      await memd.close();
    }
    const [daemon, ...others] = processesOf(home);
    assert.deepEqual(others, []);
    assert.deepEqual(daemonsOf(home).map(({ pid }) => pid), [daemon.pid]);
    await stopDaemons(home);
  });

  test('killed, it is replaced at the next call of the same client', async () => {
    const memd = new LineClient(ways.pump(home), home);
    await memd.initialize();
    await untilIndexed(memd, history);
    const [first] = daemonsOf(home);
    process.kill(first.pid, 'SIGKILL');
    await eventually('the daemon is dead', () => !processesOf(home).some(({ pid }) => pid === first.pid));
    // The call made while no daemon runs may fail with an error; the client need not reconnect.
    const answer = await eventually('an answer after the gap', async () => {
      const { result, error } = await memd.request('tools/call', { name: 'list_sessions', arguments: { max_tokens: 8000 } });
      assert.ok(result || error.message);
      return result;
    });
    assert.equal(answer.structuredContent.sessions.length, history.sessions);
    const [second, ...more] = daemonsOf(home);
    assert.deepEqual(more, []);
    assert.notEqual(second.pid, first.pid);
    await noZombies();
    await memd.close();
    await stopDaemons(home);
  });

  test('a request in flight when it is killed is answered with an error', async () => {
    const memd = new LineClient(ways.pump(home), home);
    await memd.initialize();
    const [daemon] = daemonsOf(home);
    process.kill(daemon.pid, 'SIGSTOP');
    const answer = memd.request('tools/call', { name: 'capabilities', arguments: {} });
    process.kill(daemon.pid, 'SIGKILL');
    const { result, error } = await answer;
    assert.ok(result || error.message.length > 10);
    await eventually('the daemon is dead', () => !processesOf(home).some(({ pid }) => pid === daemon.pid));
    const next = await memd.request('ping');
    assert.ok(next.result, `the next one is served: ${JSON.stringify(next.error)}`);
    await memd.close();
    await stopDaemons(home);
  });

  test('a second one for the same data directory is refused', async () => {
    await startDaemon(home);
    const { code, stderr } = await new Promise((resolve) => {
      const { command, args } = ways.pump(home);
      const second = new LineClient({ command, args: [...args.slice(0, -1), '--socket', `${socketOf(home)}2`] }, home);
      second.exit.then(({ code }) => resolve({ code, stderr: second.stderr }));
    });
    assert.notEqual(code, 0);
    assert.match(stderr, /\S/);
    assert.equal(daemonsOf(home).length, 1);
    await stopDaemons(home);
  });

  test('a stale socket file does not block a start', async () => {
    const { child, exit } = await startDaemon(home);
    child.kill('SIGKILL');
    await exit;
    await startDaemon(home);
    assert.equal(await stopDaemons(home), 1);
  });

  test('lets go of the pages of the program that only its start needed', async () => {
    const { child } = await startDaemon(home);
    const filePages = () => Number(readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/^RssFile:\s*(\d+) kB$/m)[1]);
    await eventually('less than 10 MB of files are mapped', () => filePages() < 10_000);
    const memd = new LineClient(ways.socket(home), home);
    await untilIndexed(memd, history);
    await memd.close();
    await stopDaemons(home);
  });

  test('two connections do not mix their answers', async () => {
    await startDaemon(home);
    const both = Array.from({ length: 2 }, () => new LineClient(ways.socket(home), home));
    await untilIndexed(both[0], history);
    await Promise.all(
      both.map(async (memd, which) => {
        const query = which ? 'token bucket' : 'upload rename';
        const answers = await Promise.all(Array.from({ length: 30 }, () => memd.call('semantic_search', { query })));
        const session = which ? history.limiter.sessionId : history.upload.sessionId;
        for (const { structuredContent } of answers) assert.ok(structuredContent.results[0].session_id.endsWith(session));
      }),
    );
    for (const memd of both) await memd.close();
    await stopDaemons(home);
  });
});

describe('a session', () => {
  test('is active, stopped, active again and stopped, by the clock alone', async () => {
    const configuration = join(home.dir, '.config', 'memd');
    mkdirSync(configuration, { recursive: true });
    writeFileSync(join(configuration, 'config.yaml'), 'sessions: {stopped_after_s: 4}\nembedding: {provider: disabled}\n');
    await startDaemon(home);
    const memd = new LineClient(ways.socket(home), home);
    const live = home.session({ cwd: '/w/live', branch: 'main', start: new Date(0).toISOString() });
    const now = () => {
      live.time = Date.now() - 7_000; // the next record gets a time seven seconds in the past
      return live;
    };
    const uid = `claude_code:${live.sessionId}`;
    const listed = async (state) => {
      const { structuredContent } = await memd.call('list_sessions', { project: 'live', ...(state && { state }) });
      return structuredContent.sessions[0];
    };
    const becomes = (state) => eventually(`it is ${state}`, async () => (await listed())?.state === state && listed(state));
    // The stored record, as another process reads it.
    const record = async () => JSON.parse((await cli(home, 'export', uid)).stdout.split('\n')[0]).body.session;

    now().prompt('Why does the importer skip the last row?');
    assert.equal((await becomes('active')).ended_at, undefined);
    assert.equal((await record()).watermarks.analyzed_at, undefined);

    const left = await becomes('stopped');
    assert.equal(left.ended_at, left.last_event_at);
    const first = await eventually('it is analysed', async () => (await record()).watermarks.analyzed_at);
    assert.equal((await record()).digest.request, 'Why does the importer skip the last row?');

    now().answer('It stops at the first empty cell.');
    await becomes('active');
    assert.equal((await record()).watermarks.analyzed_at, undefined);

    now().prompt('<command-name>/exit</command-name>');
    const said = Date.now();
    await becomes('stopped');
    assert.ok(Date.now() - said < 3_000, 'before the silence could have told');
    const second = await eventually('it is analysed again', async () => (await record()).watermarks.analyzed_at);
    assert.ok(second > first);

    await memd.close();
    await stopDaemons(home);
    // The state is reported even if no daemon runs.
    const { json } = await cli(home, 'sessions', '--project', 'live', '--state', 'stopped');
    assert.deepEqual(json.sessions.map(({ session_id }) => session_id), [uid]);
    assert.equal((await cli(home, 'sessions', '--state', 'active')).json.total, 0);
  });
});
