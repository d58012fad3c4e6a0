// A .deb is installed, and a newer one over it, while five kinds of clients send requests. $MEMD_PACKAGE is the
// package, $MEMD_NEXT_BINARY the newer program. dpkg works in a separate root.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { clients } from './support/clients.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { LineClient, cleanUp, environment, eventually, keepAsking, keepDoing, meta, options, stopDaemons, untilIndexed } from './support/memd.mjs';
import { daemonsOf, socketPaths } from './support/processes.mjs';

const packaged = process.env.MEMD_PACKAGE ?? '';
const nextBinary = process.env.MEMD_NEXT_BINARY ?? '';
const skip = !(existsSync(packaged) && existsSync(nextBinary)) && 'there is no package, or no program of a later one';

function run(command, args, env = process.env) {
  return new Promise((resolve) => {
    execFile(command, args, { env, timeout: 100_000 }, (error, stdout, stderr) => resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }));
  });
}

// A client that has only the socket: when its connection ends, it connects again and repeats the request.
class SocketClient {
  constructor(path) {
    this.path = path;
    this.id = 0;
  }

  async ask() {
    const socket = connect(this.path);
    try {
      return await new Promise((resolve) => {
        socket.on('error', () => resolve(null)).on('close', () => resolve(null));
        createInterface({ input: socket }).on('error', () => resolve(null)).on('line', (line) => resolve(JSON.parse(line)));
        const params = { name: 'list_sessions', arguments: {}, _meta: meta };
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method: 'tools/call', params })}\n`);
      });
    } finally {
      socket.destroy();
    }
  }

  // Returns the error; null if there was none.
  async call() {
    const answer = await eventually('an answer through the socket', () => this.ask());
    return answer.result && !answer.result.isError ? null : answer;
  }
}

describe('an upgrade of the package', { skip }, () => {
  const home = new Home();
  const root = join(home.root, 'root');
  const program = join(root, 'usr', 'bin', 'memd');
  const pump = () => ({ command: program, args: [...options(home), '--stdio'] });
  const version = async () => (await run(program, ['--version'])).stdout.trim();

  async function dpkg(...words) {
    const where = [`--root=${root}`, '--force-not-root', '--force-depends', '--force-bad-path', '--no-triggers', `--log=${join(home.root, 'dpkg.log')}`];
    const { code, stdout, stderr } = await run('dpkg', [...where, ...words]);
    assert.equal(code, 0, stdout + stderr);
  }

  // Builds the same package with a later version.
  async function newerPackage() {
    const tree = join(home.root, 'newer');
    await run('dpkg-deb', ['--raw-extract', packaged, tree]);
    const control = join(tree, 'DEBIAN', 'control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*/m, 'Version: 99.0.0'));
    copyFileSync(nextBinary, join(tree, 'usr', 'bin', 'memd'));
    const file = join(home.root, 'newer.deb');
    assert.equal((await run('dpkg-deb', ['--build', '-Znone', tree, file])).code, 0);
    return file;
  }

  let history;
  before(async () => {
    history = writeHistory(home);
    for (const directory of ['info', 'updates']) mkdirSync(join(root, 'var/lib/dpkg', directory), { recursive: true });
    writeFileSync(join(root, 'var/lib/dpkg/status'), '');
    await dpkg('--install', packaged);
  });
  after(() => cleanUp(home));

  test('fails no call of five kinds of clients', async (t) => {
    const newer = await newerPackage();
    const lines = new LineClient(pump(), home);
    await lines.initialize();
    await untilIndexed(lines, history);
    const sdk = await clients['sdk, legacy'].connect(pump, home);
    const modern = await clients['client, pinned 2026-07-28'].connect(pump, home);
    const raw = new SocketClient(socketPaths(daemonsOf(home)[0].pid)[0]);
    const failed = (result) => (result.isError ? result : null);
    const asking = {
      'lines over the pump': keepAsking(lines),
      'the SDK': keepDoing(async () => failed(await sdk.call('semantic_search', { query: 'upload test' }))),
      'the modern client': keepDoing(async () => failed(await modern.call('recent_turns', {}))),
      'the socket': keepDoing(() => raw.call()),
      'the command line': keepDoing(async () => {
        const done = await run(program, [...options(home), '--json', 'search', 'upload'], environment(home));
        return done.code === 0 && JSON.parse(done.stdout).results.length > 0 ? null : done;
      }),
    };
    t.after(() => Promise.allSettled(Object.values(asking).map((one) => one.stop())));
    const allGoOn = async (what) => {
      const counts = Object.values(asking).map((one) => one.answered());
      await eventually(what, () => Object.values(asking).every((one, i) => one.answered() > counts[i] + 2), 20_000);
    };
    await allGoOn('all are answered before');
    assert.notEqual(await version(), 'memd 99.0.0');
    await dpkg('--install', newer);
    assert.equal(await version(), 'memd 99.0.0');
    await allGoOn('all are answered when the files are new');
    // The next client runs the new program, which replaces the daemon.
    const next = new LineClient(pump(), home);
    assert.equal((await next.initialize()).serverInfo.version, '99.0.0');
    await eventually('the newer daemon has published itself', () => readFileSync(join(home.data, 'memd.pid'), 'utf8').split('\n')[2] === '99.0.0');
    await allGoOn('all are answered by the newer daemon');
    for (const [name, one] of Object.entries(asking)) {
      const { answered, failed } = await one.stop();
      assert.deepEqual(failed, [], name);
      assert.ok(answered > 6, name);
    }
    assert.equal(daemonsOf(home).length, 1);
    for (const client of [lines, next, sdk, modern]) await client.close();
    assert.equal(await stopDaemons(home), 1);
    await dpkg('--purge', 'memd');
    assert.ok(!existsSync(program));
  });
});
