// memd forget with exchanges and texts, on the command line, with and without a daemon.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';

import { Home, Transcript } from './support/history.mjs';
import { binary, cleanUp, cli, environment, options, startDaemon, stopDaemons } from './support/memd.mjs';

const home = new Home();
let talk;
const secret = 'canary "of" the\nsecond line';
before(() => {
  talk = new Transcript(home.dir, { cwd: '/home/ada/src/parcel', branch: 'main', start: '2026-03-03T09:00:00Z' });
  for (const word of ['first', 'forgettable', 'third']) talk.prompt(`Where is the ${word} parcel?`).assistant({ type: 'text', text: `The ${word} one is here.` });
  talk.prompt(`Use ${secret} here`).assistant({ type: 'text', text: 'Used.' });
});
after(() => cleanUp(home));

const forgetText = (input, ...args) => new Promise((resolve) => {
  const child = execFile(binary, [...options(home), '--json', 'forget', ...args], { env: environment(home) },
    (error, stdout, stderr) => resolve({ code: error?.code ?? 0, json: stdout ? JSON.parse(stdout) : null, stderr }));
  child.stdin.end(input);
});
const found = async (query) => JSON.stringify((await cli(home, 'search', query)).json);

describe('forget', () => {
  test('one exchange, by a command that has the store', async () => {
    assert.equal((await cli(home, 'ingest', '--once')).code, 0);
    assert.match(await found('forgettable'), /forgettable one is here/);
    const plan = await cli(home, 'forget', 'x2');
    assert.equal(plan.code, 0, plan.stderr);
    assert.equal(plan.json.done, false);
    assert.match(plan.json.single_exchanges[0].prompt, /forgettable/);
    assert.equal((await cli(home, 'forget', 'x2', '--yes')).json.done, true);
    assert.doesNotMatch(await found('forgettable'), /forgettable one is here/);
    assert.match(await found('third'), /third one is here/);
    assert.match((await cli(home, 'forget', 'x2', '--yes')).stderr, /there is no turn x2/);
    assert.equal((await cli(home, 'forget', 'x1', 'latest')).code !== 0, true);
  });

  test('a text, by a daemon; what an argument leaves behind is said', async () => {
    const asArgument = await forgetText('', '--text', secret);
    assert.equal(asArgument.json.exchanges, 1, asArgument.stderr);
    assert.match(asArgument.stderr, /the shell's history may keep this text/);
    assert.match((await forgetText('short\n', '--text', '-')).stderr, /at least 8 bytes, and this one has 5/);
    await startDaemon(home);
    const plan = await forgetText(`${secret}\n`, '--text', '-');
    assert.equal(plan.json.exchanges, 1);
    assert.doesNotMatch(plan.stderr, /history/);
    const done = await forgetText(`${secret}\n`, '--text', '-', '--yes');
    assert.equal(done.json?.done, true, done.stderr);
    const shown = JSON.stringify((await cli(home, 'show', 'x4')).json);
    assert.match(shown, /Use \[redacted:forgotten\] here/);
    assert.doesNotMatch(shown, /second line/);
    talk.prompt(`Again: ${secret}!`).assistant({ type: 'text', text: 'Again.' });
    await stopDaemons(home);
    assert.equal((await cli(home, 'ingest', '--once')).code, 0);
    assert.match(JSON.stringify((await cli(home, 'show', 'x5')).json), /Again: \[redacted:forgotten\]!/);
  });
});
