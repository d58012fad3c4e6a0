// A terminal with a shell in it: tmux.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { binary, environment, eventually } from './memd.mjs';
import { now } from './screens.mjs';

export const has = (program) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

// Its tmux server has its own socket.
class Terminal {
  constructor(home, { columns = 80, rows = 24, shell, env = {} }) {
    this.home = home;
    this.env = env;
    this.directory = mkdtempSync(join(home.root, 'tmux-'));
    this.socket = join(this.directory, 's');
    const rc = join(this.directory, 'bashrc');
    writeFileSync(rc, "PS1='$ '\n" + 'unset PROMPT_COMMAND\nsource <(memd completion bash)\n');
    this.tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows),
      ...(shell ?? ['bash', '--noprofile', '--rcfile', rc]));
  }
  tmux(...args) {
    return execFileSync('tmux', ['-S', this.socket, ...args], {
      env: {
        ...environment(this.home), PATH: `${dirname(binary)}:${process.env.PATH}`, TERM: 'xterm-256color', LANG: 'C.UTF-8', MEMD_NOW: now,
        PS1: '$ ', ...this.env,
      },
      encoding: 'utf8',
    });
  }
  keys(...keys) {
    this.tmux('send-keys', ...(keys[0] === '-l' ? ['-l', '--', ...keys.slice(1)] : ['--', ...keys]));
  }
  // -e: includes the colour escape sequences.
  shown(...args) {
    return this.tmux('capture-pane', '-p', ...args);
  }
  async until(what, pattern, ...args) {
    let last = '';
    await eventually(what, () => {
      last = this.shown(...args);
      return pattern.test(last);
    }, 15_000).catch((error) => {
      throw new Error(`${error.message}\n${last}`);
    });
    return last;
  }
  close() {
    this.tmux('kill-server');
    rmSync(this.directory, { recursive: true, force: true });
  }
}

// options: columns, rows, shell (its command line as words; bash by default), env.
export async function inTerminal(home, use, options = {}) {
  const terminal = new Terminal(home, options);
  try {
    await terminal.until('a prompt', /\$/);
    await use(terminal);
  } finally {
    terminal.close();
  }
}
