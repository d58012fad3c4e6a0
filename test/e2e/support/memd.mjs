// Starts, queries and stops the binary under test.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { daemonsOf, processesOf, socketPaths, zombiesOf } from './processes.mjs';

export const binary = process.env.MEMD_BINARY;
// Every deadline is so many times as long as written: for an emulated processor.
export const patience = Number(process.env.MEMD_TEST_PATIENCE ?? 1);
// A server of the tests, built beside them.
export const sampleServer = process.env.MEMD_SAMPLE_SERVER ?? join(dirname(binary ?? '.'), '..', 'test', 'protocol', 'memd_sample_server');
export const bridge = fileURLToPath(new URL('./bridge.mjs', import.meta.url));

export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

// Clients pass on almost no environment; nothing of the user's own may leak in.
export const environment = (home) => ({ HOME: home.dir, PATH: process.env.PATH, TERM: 'dumb', TZ: 'UTC' });
export const options = (home) => ['--data-dir', home.data, '--home', home.dir];
export const socketOf = (home) => join(home.root, 's');

// Resolves to the first truthy value of `condition`, which is polled until the deadline.
export async function eventually(what, condition, ms = 10_000) {
  const deadline = performance.now() + ms * patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(performance.now() < deadline, `within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms * patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// The transports. Each returns the command that a client spawns; `socket` needs startDaemon first.
export const ways = {
  pump: (home) => ({ command: binary, args: [...options(home), '--stdio'] }),
  standalone: (home) => ({ command: binary, args: [...options(home), '--stdio', '--standalone'] }),
  socket: (home) => ({ command: process.execPath, args: [bridge, socketOf(home)] }),
};

// A client that only sends and reads lines, for details that the official ones hide.
export class LineClient {
  constructor({ command, args }, home, stdin = 'pipe') {
    this.child = spawn(command, args, { env: environment(home), stdio: [stdin, 'pipe', 'pipe'] });
    this.messages = [];
    this.garbage = [];
    this.waiting = new Map();
    this.lastId = 0;
    this.stderr = '';
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.child.stdin?.on('error', () => {}); // writing to a process that has ended
    createInterface({ input: this.child.stdout }).on('line', (line) => this.received(line));
    this.exit = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        resolve({ code, signal });
        for (const { reject } of this.waiting.values()) reject(new Error(`memd ended (${code ?? signal}): ${this.stderr}`));
      });
    });
  }

  received(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.garbage.push(line);
      return;
    }
    this.messages.push(message);
    this.waiting.get(message.id)?.resolve(message);
    this.waiting.delete(message.id);
  }

  send(...messages) {
    this.child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  }

  // Returns the whole response, error or result.
  answerTo(id, ms = 10_000) {
    return within(ms, `answer to ${id}`, new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject })));
  }

  request(method, params = {}, ms) {
    const id = ++this.lastId;
    const answer = this.answerTo(id, ms);
    this.send({ id, method, params });
    return answer;
  }

  modern(method, params = {}, ms) {
    return this.request(method, { ...params, _meta: { ...meta, ...params._meta } }, ms);
  }

  async call(name, args = {}, ms) {
    const { result, error } = await this.modern('tools/call', { name, arguments: args }, ms);
    assert.ok(result, `${name}: ${JSON.stringify(error)}`);
    return result;
  }

  async initialize() {
    const clientInfo = { name: 'lines', version: '1' };
    const { result } = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return result;
  }

  // Ends the process as a client does, and checks that it exits without output.
  async close() {
    this.child.stdin.end();
    const end = await within(10_000, 'end after EOF', this.exit);
    assert.deepEqual(end, { code: 0, signal: null }, this.stderr);
    assert.deepEqual(this.garbage, []);
  }
}

// Repeats `call` until it is stopped. Returns the number of successes, and the failures.
export function keepDoing(call) {
  let going = true;
  const failed = [];
  let answered = 0;
  const done = (async () => {
    while (going) {
      const wrong = await call();
      if (wrong) failed.push(wrong);
      else answered += 1;
    }
  })();
  return { stop: async () => ((going = false), await done, { answered, failed }), answered: () => answered };
}

export const keepAsking = (client) =>
  keepDoing(async () => {
    const { result, error } = await client.modern('tools/call', { name: 'list_sessions', arguments: {} });
    return result && !result.isError ? null : (error ?? result);
  });

export function startDaemon(home) {
  const child = spawn(binary, [...options(home), '--socket', socketOf(home)], { env: environment(home), stdio: 'ignore' });
  const exit = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  const accepts = () =>
    new Promise((resolve) => {
      const probe = connect(socketOf(home), () => resolve(true)).on('error', () => resolve(false));
      probe.on('connect', () => probe.destroy());
    });
  return eventually('the daemon accepts connections', accepts).then(() => ({ child, exit }));
}

// Waits until the history is in the store, as a client sees it.
export async function untilIndexed(client, { sessions }) {
  return eventually(
    `${sessions} sessions listed`,
    async () => {
      const { structuredContent } = await client.call('list_sessions', { n_results: 20 });
      return structuredContent?.sessions?.length === sessions && structuredContent;
    },
    20_000,
  );
}

// Stops every daemon of the test by SIGTERM. It must exit within five seconds, remove its socket, and leave nothing
// behind.
export async function stopDaemons(home) {
  const daemons = daemonsOf(home).map(({ pid }) => ({ pid, sockets: socketPaths(pid) }));
  for (const { pid } of daemons) process.kill(pid, 'SIGTERM');
  await eventually('no process is left', () => processesOf(home).length === 0);
  for (const { sockets } of daemons)
    for (const path of sockets) assert.ok(!existsSync(path), `socket ${path} is gone`);
  await eventually('no zombie is left', () => zombiesOf(home).length === 0);
  return daemons.length;
}

// For `after` hooks: removes whatever a failed test left.
export async function cleanUp(home) {
  for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL');
  await eventually('no process is left', () => processesOf(home).length === 0);
  home.remove();
}

// Runs a subcommand with --json: {code, json, stderr}.
export function cli(home, ...args) {
  return new Promise((resolve) => {
    execFile(binary, [...options(home), '--json', ...args], { env: environment(home), timeout: 30_000 * patience }, (error, stdout, stderr) => {
      let json = null;
      try {
        json = JSON.parse(stdout);
      } catch {
        // the caller checks the code
      }
      resolve({ code: error ? (error.code ?? error.signal) : 0, json, stdout, stderr });
    });
  });
}
