// A store with the generated history, and memd to query it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Home } from '../../e2e/support/history.mjs';
import { writeDemo } from './demo.mjs';

const run = promisify(execFile);

// `more` may add transcripts before the first ingest.
export async function demoStore(more = () => {}) {
  const home = new Home();
  const memd = (...args) =>
    run(process.env.MEMD_BINARY, ['--data-dir', home.data, '--home', home.dir, ...args], { env: { HOME: home.dir, PATH: process.env.PATH } });
  const events = join(home.root, 'events.jsonl');
  writeDemo(home.dir, events);
  more(home);
  await memd('ingest', '--once');
  await memd('import', events);
  await memd('ingest', '--once'); // also extracts the topics of imported sessions
  return { home, memd };
}
