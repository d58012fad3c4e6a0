// Registration, and the replacement of a running daemon by another memd or by a service.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { Home, writeHistory } from './support/history.mjs';
import { LineClient, binary, cleanUp, cli, environment, eventually, keepAsking, options, stopDaemons, untilIndexed, ways } from './support/memd.mjs';
import { daemonsOf } from './support/processes.mjs';

// memd with a later version number, built beside the tests.
const nextBinary = process.env.MEMD_NEXT_BINARY ?? '';
const next = (home) => ({ command: nextBinary, args: [...options(home), '--stdio'] });

let home, history;
beforeEach(() => {
  home = new Home();
  history = writeHistory(home);
});
afterEach(() => cleanUp(home));

const pidFile = () => readFileSync(join(home.data, 'memd.pid'), 'utf8').split('\n');
const runningVersion = () => pidFile()[2];
const runningPid = () => Number(pidFile()[0]);

function run(command, args, env = environment(home)) {
  return new Promise((resolve) => {
    execFile(command, args, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

describe('a newer memd', { skip: !existsSync(nextBinary) && 'MEMD_NEXT_BINARY is not built' }, () => {
  test('replaces the daemon under five clients, and none of their calls fails', async () => {
    const clients = Array.from({ length: 5 }, () => new LineClient(ways.pump(home), home));
    for (const client of clients) await client.initialize();
    await untilIndexed(clients[0], history);
    const [before, old] = [runningVersion(), runningPid()];
    const asking = clients.map(keepAsking);
    const newer = new LineClient(next(home), home);
    assert.equal((await newer.initialize()).serverInfo.version, '99.0.0');
    await eventually('the newer daemon has published itself', () => runningVersion() === '99.0.0');
    assert.notEqual(before, '99.0.0');
    assert.notEqual(runningPid(), old);
    for (const one of asking) {
      const { answered, failed } = await one.stop();
      assert.deepEqual(failed, []);
      assert.ok(answered > 0);
    }
    assert.equal(daemonsOf(home).length, 1);
    for (const client of [...clients, newer]) await client.close();
    // A newer daemon serves an older client, which does not replace it.
    const older = new LineClient(ways.pump(home), home);
    assert.equal((await older.initialize()).serverInfo.version, '99.0.0');
    await older.close();
    assert.equal(await stopDaemons(home), 1);
  });

  test('status and doctor tell of an older daemon', async () => {
    const client = new LineClient(ways.pump(home), home);
    await client.initialize();
    for (const command of ['status', 'doctor']) {
      const { stderr } = await run(nextBinary, [...options(home), command]);
      assert.match(stderr, /the daemon is memd 0\.\d+\.\d+, this is memd 99\.0\.0.*memd restart/s, command);
    }
    const { code, stdout } = await run(nextBinary, [...options(home), 'restart']);
    assert.equal(code, 0);
    assert.match(stdout, /memd 99\.0\.0 runs/);
    assert.ok((await client.call('capabilities')).structuredContent);
    await client.close();
    assert.equal(await stopDaemons(home), 1);
  });
});

describe('a service', () => {
  // Does what systemd-socket-activate and systemd do: passes a listening socket as descriptor 3, and a socket for
  // READY=1.
  test('takes over the daemon that a client has started, and both end in one', async () => {
    const client = new LineClient(ways.pump(home), home);
    await client.initialize();
    await untilIndexed(client, history);
    const first = runningPid();
    const asking = keepAsking(client);
    const service = spawn(binary, [...options(home), '--socket'], {
      env: { ...environment(home), NOTIFY_SOCKET: join(home.root, 'nobody') },
      stdio: 'ignore',
    });
    await eventually('the service has the lock', () => runningPid() === service.pid, 20_000);
    const { failed } = await asking.stop();
    assert.deepEqual(failed, []);
    assert.equal(daemonsOf(home).length, 1);
    assert.notEqual(first, service.pid);
    assert.ok((await client.call('capabilities')).structuredContent);
    await client.close();
    assert.equal(await stopDaemons(home), 1);
  });

  test('without a service manager a second daemon of the same version is refused', async () => {
    const client = new LineClient(ways.pump(home), home);
    await client.initialize();
    const { code, stderr } = await run(binary, [...options(home), '--socket']);
    assert.equal(code, 1);
    assert.match(stderr, /is running already/);
    await client.close();
    assert.equal(await stopDaemons(home), 1);
  });
});

describe('the command line', () => {
  test('stop ends the daemon, and a client that asks again starts one', async () => {
    const client = new LineClient(ways.pump(home), home);
    await client.initialize();
    const pid = runningPid();
    const { code, stdout } = await run(binary, [...options(home), 'stop']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`\\(pid ${pid}\\) has ended`));
    assert.equal(daemonsOf(home).length, 0);
    assert.match((await run(binary, [...options(home), 'stop'])).stdout, /No daemon runs/);
    assert.ok((await client.call('capabilities')).structuredContent);
    assert.match((await run(binary, [...options(home), 'logs', '-n', '50'])).stdout, /listening on/);
    await client.close();
    assert.equal(await stopDaemons(home), 1);
  });

  test('open and handoff', async () => {
    assert.equal((await cli(home, 'ingest', '--once')).code, 0);
    const open = await run(binary, [...options(home), 'open', history.upload.sessionId, '--print']);
    assert.match(open.stdout, new RegExp(`^cd ${history.upload.cwd} && claude --resume ${history.upload.sessionId}\n$`));
    const gone = await run(binary, [...options(home), 'open', history.upload.sessionId]);
    assert.equal(gone.code, 1); // its directory does not exist
    assert.match(gone.stderr, /is not there/);
    const file = join(home.root, 'pack.md');
    const args = ['handoff', history.upload.sessionId, '--to', 'codex', '-o', file];
    assert.equal((await run(binary, [...options(home), ...args])).code, 0);
    assert.match(readFileSync(file, 'utf8'), /^You take over the work[\s\S]*store\.py/);
    const refused = await run(binary, [...options(home), 'handoff', history.upload.sessionId, '--to', 'zed', '--start']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /zed cannot be started with a prompt/);
    // A stand-in for the agent prints its working directory and arguments.
    const cwd = join(home.root, 'work');
    mkdirSync(cwd);
    const bin = join(home.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\nprintf "%s|%s" "$PWD" "$1"\n', { mode: 0o755 });
    const session = join(home.dir, '.claude/projects/-w/00000000-0000-4000-8000-0000000000aa.jsonl');
    mkdirSync(dirname(session), { recursive: true });
    const record = { type: 'user', uuid: 'u', sessionId: '00000000-0000-4000-8000-0000000000aa', cwd, timestamp: '2026-03-01T00:00:00Z', message: { role: 'user', content: 'Sort the list of parcels by weight' } };
    writeFileSync(session, `${JSON.stringify(record)}\n`);
    assert.equal((await cli(home, 'ingest', '--once')).code, 0);
    const env = { ...environment(home), PATH: `${bin}:${process.env.PATH}` };
    const started = await run(binary, [...options(home), 'handoff', '00000000-0000-4000-8000-0000000000aa', '--to', 'codex', '--start'], env);
    assert.equal(started.code, 0, started.stderr);
    assert.ok(started.stdout.startsWith(`${cwd}|You take over`), started.stdout);
    assert.match(started.stdout, /parcels by weight/);
  });

  test('setup and uninstall leave a home as it was', async () => {
    const settings = join(home.dir, '.cursor', 'mcp.json');
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, '{\n  "mcpServers": {} // none\n}\n');
    const { code, json } = await cli(home, 'setup', 'cursor');
    assert.equal(code, 0);
    assert.equal(json.changes[0].change, 'added');
    const { memd } = JSON.parse(readFileSync(settings, 'utf8').replace('// none', '')).mcpServers;
    // A client starts the command that is registered.
    const client = new LineClient(memd, home);
    await client.initialize();
    const { result } = await client.request('tools/list');
    assert.ok(result.tools.length >= 11);
    process.kill(runningPid(), 'SIGKILL');
    await eventually('an answer from the next daemon', async () => {
      const { result } = await client.modern('tools/call', { name: 'capabilities', arguments: {} });
      return result && !result.isError;
    });
    await client.close();
    assert.equal((await run(binary, [...options(home), 'uninstall'])).code, 0);
    assert.equal(readFileSync(settings, 'utf8'), '{\n  "mcpServers": {} // none\n}\n');
    assert.equal(daemonsOf(home).length, 0);
  });

  test('a broken file of one client stops only that client', async () => {
    const broken = join(home.dir, '.gemini', 'settings.json');
    const settings = join(home.dir, '.cursor', 'mcp.json');
    const config = join(home.dir, '.codex', 'config.toml');
    for (const [file, text] of [[broken, '[]'], [settings, '{}\n'], [config, 'a = 1\n']]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const here = environment(home);
    here.PATH = '/usr/bin:/bin';
    const setup = await run(binary, [...options(home), 'setup', '-y'], here);
    assert.equal(setup.code, 1, setup.stdout);
    assert.match(setup.stdout, /gemini +failed/);
    assert.match(setup.stdout, /gemini: .*settings\.json/);
    assert.match(readFileSync(settings, 'utf8'), /memd/);
    assert.match(readFileSync(config, 'utf8'), /memd/);
    assert.equal(readFileSync(broken, 'utf8'), '[]');
    // A registration that was cut off is completed.
    rmSync(join(home.dir, '.codex', 'hooks.json'));
    const again = await cli(home, 'setup');
    assert.deepEqual(again.json.clients.find(({ client }) => client === 'codex').missing, ['hook']);
    assert.equal((await run(binary, [...options(home), 'setup', '-y'], here)).code, 1);
    assert.ok(existsSync(join(home.dir, '.codex', 'hooks.json')));
    // memd is not in this file, whatever it is.
    writeFileSync(broken, '{"theme":"x",}');
    assert.equal((await run(binary, [...options(home), 'uninstall'], here)).code, 0);
    // Here it may be.
    writeFileSync(broken, '{"mcpServers":{"memd":{}},}');
    assert.equal((await run(binary, [...options(home), 'setup', 'cursor', 'codex'], here)).code, 0);
    const uninstall = await run(binary, [...options(home), 'uninstall', '--data'], here);
    assert.equal(uninstall.code, 1, uninstall.stdout);
    assert.match(uninstall.stdout, /gemini +failed/);
    assert.equal(readFileSync(settings, 'utf8'), '{}\n');
    assert.equal(readFileSync(config, 'utf8'), 'a = 1\n');
    assert.ok(existsSync(home.data));
    assert.deepEqual(readdirSync(join(home.dir, '.cursor')), ['mcp.json']);
    assert.deepEqual(readdirSync(join(home.dir, '.codex')), ['config.toml']);
  });

  test('a project gets a file that holds on other machines', async () => {
    const project = join(home.root, 'project');
    mkdirSync(join(project, '.git'), { recursive: true });
    const report = await new Promise((resolve) => {
      execFile(binary, [...options(home), '--json', 'setup', 'cursor', '--project'], { env: environment(home), cwd: project }, (error, stdout) =>
        resolve(JSON.parse(stdout)),
      );
    });
    const { memd } = JSON.parse(readFileSync(join(project, '.cursor', 'mcp.json'), 'utf8')).mcpServers;
    assert.deepEqual(memd, { command: 'memd', args: ['--stdio'] });
    assert.match(report.changes[0].note, /options of this machine are not written: --data-dir/);
  });
});
