// Codex without its model: its app server lists and calls the tools of the servers in its configuration.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { within } from './memd.mjs';

export class CodexServer {
  constructor(command, { cwd, env }) {
    this.child = spawn(command, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdin.on('error', () => {});
    this.waiting = new Map();
    this.lastId = 0;
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    });
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async ask(method, params = {}) {
    const id = ++this.lastId;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await within(60_000, method, answer);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async start() {
    await this.ask('initialize', { clientInfo: { name: 'memd-e2e', title: 'memd-e2e', version: '1' } });
    this.send({ method: 'initialized' });
    return this;
  }

  close() {
    this.child.kill('SIGTERM');
  }
}
