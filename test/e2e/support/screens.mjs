// Screens of the command line from a generated history, shown in docs/cli.md, screens.txt and the README.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { cacheSession, limiterSession, uploadSession } from './history.mjs';
import { binary, options } from './memd.mjs';

const inTerminal = fileURLToPath(new URL('./in_terminal.py', import.meta.url));

// The time of the screens, after the generated history.
export const now = '2026-03-13T10:00:00Z';

// Writes some weeks of two projects. Awaits `read` after each session: if sessions are ingested one by one, exchanges
// have the same ids in every run.
export async function writeWeeks(home, read) {
  home.session({ cwd: '/home/ada/src/parcel', branch: 'main', start: '2026-02-20T10:05:00Z', id: '1f0c7e52-9b1d-4c57-8f0e-51f7a8f2f6a1' })
    .prompt('The worker drops jobs when Redis restarts. What are the options?')
    .answer('Two: persist the queue in Redis with AOF, or move it to SQLite, which the server has open anyway. ' +
      'I recommend SQLite: one process writes, and a job is a row in the same transaction as its parcel.')
    .prompt('Go with SQLite, and drop Redis.')
    .tool('Edit', { file_path: '/home/ada/src/parcel/server/queue.py', old_string: 'redis.lpush(job)', new_string: 'db.execute(INSERT, job)' },
      'The file has been updated.')
    .tool('Bash', { command: 'pytest tests/test_queue.py', description: 'Run the tests of the queue' }, '14 passed in 0.81s')
    .answer('Redis is gone: jobs are rows of the table jobs, and server/queue.py takes them with BEGIN IMMEDIATE. ' +
      'All 14 tests of the queue pass.')
    .title('Queue in SQLite instead of Redis');
  await read();
  uploadSession(home, { start: '2026-03-03T09:12:00Z', id: '8c3de0b4-42f3-4bb8-9a0d-0b4b6c7a3d55', fails: true });
  await read();
  limiterSession(home, { start: '2026-03-10T14:00:00Z', id: 'd27a9f16-7a3c-4e0f-b6b1-90be1c7f2e08' });
  await read();
  cacheSession(home, { start: '2026-03-13T08:30:00Z', id: '5b8e6a90-0c55-4d3e-8f6e-2c9d1a7b4e13' });
  await read();
  return home;
}

// The commands, by the name of their screen.
export const commands = {
  today: [],
  search: ['search', 'upload', 'test', 'rename'],
  show: ['show', 'x4'],
  sessions: ['sessions'],
  recent: ['recent', '8c3de0b4'],
  summary: ['summary', '8c3de0b4'],
  timeline: ['timeline', '--since', '2026-03-01'],
  topic: ['topic', 'token', 'bucket'],
  observations: ['observations'],
  'file-history': ['file-history', 'server/store.py'],
};
export const widths = [80, 160];

// Returns the file that contains the screen: the page of the command line, for a few of them.
const documented = ['show', 'sessions', 'browse'];
export const pageOf = (name, columns) => (columns === 80 && documented.includes(name) ? 'docs/cli.md' : 'test/e2e/screens.txt');

// Keys for `memd browse`, as [key, what the screen must show before the next key].
export const browsing = {
  browse: { args: ['browse'], keys: [['upload test', /> upload test +\d hits?\n> x/]] },
  'browse an exchange': { args: ['browse', 'upload', 'test'], keys: [['', /hits?\n> x/], ['Enter', /turn \d/]] },
};

// Returns the output of `memd ARGS…` on a terminal of that width.
export async function screen(home, columns, args, env = {}) {
  const { stdout } = await promisify(execFile)(
    'python3',
    [inTerminal, String(columns), '200', binary, ...options(home), '--no-pager', ...args],
    { env: { HOME: '/home/ada', PATH: process.env.PATH, TERM: 'xterm', TZ: 'UTC', NO_COLOR: '1', MEMD_NOW: now, ...env }, cwd: '/' },
  );
  return stdout;
}

// Returns the text of `file` with a new screen between its marks (<!-- screen: NAME --> … <!-- screen: end -->).
export function withScreen(text, name, shown) {
  const begin = `<!-- screen: ${name} -->\n`;
  const from = text.indexOf(begin);
  if (from < 0) throw new Error(`no screen "${name}"`);
  const to = text.indexOf('<!-- screen: end -->', from);
  return `${text.slice(0, from + begin.length)}${shown}${text.slice(to)}`;
}

export function block(args, shown) {
  return `\`\`\`console\n$ memd ${args.join(' ')}`.trimEnd() + `\n${shown.trimEnd()}\n\`\`\`\n`;
}

export const document = (path) => {
  const file = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  return { read: () => readFileSync(file, 'utf8'), write: (text) => writeFileSync(file, text) };
};
