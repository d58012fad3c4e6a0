// The screens in docs/cli.md, screens.txt and the README equal the output of memd. MEMD_UPDATE_GOLDEN=1 rewrites them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Home } from './support/history.mjs';
import { cleanUp, cli, options } from './support/memd.mjs';
import { block, browsing, commands, document, pageOf, screen, widths, withScreen, writeWeeks } from './support/screens.mjs';
import { has, inTerminal } from './support/terminal.mjs';

const home = new Home();
const updating = process.env.MEMD_UPDATE_GOLDEN === '1';
before(() => writeWeeks(home, async () => {
  const { code, stderr } = await cli(home, 'ingest', '--once');
  assert.equal(code, 0, stderr);
}));
after(() => cleanUp(home));

function keep(path, name, columns, args, shown) {
  for (const line of shown.split('\n')) assert.ok([...line].length <= columns, `${columns} columns: ${line}`);
  const file = document(path);
  const before = file.read();
  const after = withScreen(before, name, block(args, shown));
  if (updating) file.write(after);
  else assert.equal(before, after, `${path}: MEMD_UPDATE_GOLDEN=1 writes its screens anew`);
}

async function check(path, name, columns, args) {
  keep(path, name, columns, args, await screen(home, columns, args));
}

async function checkBrowser(name, { args, keys }) {
  const env = { HOME: '/home/ada', NO_COLOR: '1' };
  await inTerminal(home, async (terminal) => {
    terminal.keys('-l', `cd /; clear; memd ${[...options(home), ...args].join(' ')}`);
    terminal.keys('Enter');
    await terminal.until('the list', /sessions?\n|hits?\n/);
    for (const [key, pattern] of keys) {
      if (key) terminal.keys(...(key === 'Enter' ? [key] : ['-l', key]));
      await terminal.until(key, pattern);
    }
    const shown = terminal.shown().split('\n').map((line) => line.trimEnd());
    keep(pageOf(name, 80), `${name} 80`, 80, args, shown.join('\n'));
  }, { columns: 80, rows: 18, env });
}

describe('screens', () => {
  for (const [name, args] of Object.entries(commands))
    for (const columns of widths) test(`${name}, ${columns} columns`, () => check(pageOf(name, columns), `${name} ${columns}`, columns, args));
  for (const [name, one] of Object.entries(browsing))
    test(name, { skip: has('tmux') ? false : 'there is no tmux here' }, () => checkBrowser(name, one));
  test('of the README', async () => {
    await check('README.md', 'search', 100, [...commands.search, '-n', '2']);
    await check('README.md', 'resume', 100, ['resume', 'd27a9f16']);
  });
});
