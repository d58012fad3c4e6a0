// The screens in docs/cli.md and the README are what memd shows. MEMD_UPDATE_GOLDEN=1 writes them anew.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Home } from './support/history.mjs';
import { cleanUp, cli } from './support/memd.mjs';
import { block, commands, document, screen, widths, withScreen, writeWeeks } from './support/screens.mjs';

const home = new Home();
const updating = process.env.MEMD_UPDATE_GOLDEN === '1';
before(() => writeWeeks(home, async () => {
  const { code, stderr } = await cli(home, 'ingest', '--once');
  assert.equal(code, 0, stderr);
}));
after(() => cleanUp(home));

async function check(path, name, columns, args) {
  const shown = await screen(home, columns, args);
  for (const line of shown.split('\n')) assert.ok([...line].length <= columns, `${columns} columns: ${line}`);
  const file = document(path);
  const before = file.read();
  const after = withScreen(before, name, block(args, shown));
  if (updating) file.write(after);
  else assert.equal(before, after, `${path}: MEMD_UPDATE_GOLDEN=1 writes its screens anew`);
}

describe('screens', () => {
  for (const [name, args] of Object.entries(commands))
    for (const columns of widths) test(`${name}, ${columns} columns`, () => check('docs/cli.md', `${name} ${columns}`, columns, args));
  test('of the README', () => check('README.md', 'search', 100, [...commands.search, '-n', '2']));
});
