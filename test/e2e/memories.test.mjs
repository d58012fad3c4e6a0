// Memories over MCP, with the official clients of both eras: written with the user's consent, linked, found,
// superseded, deleted and restored; followed as resources; and refused to clients without permission.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { clients } from './support/clients.mjs';
import { Home } from './support/history.mjs';
import { cleanUp, cli, eventually, startDaemon, stopDaemons, ways } from './support/memd.mjs';

const directoryOf = (home) => join(home.dir, '.claude', 'memory');
const textOf = ({ content }) => content.map(({ text }) => text).join('\n');

for (const wayName of ['standalone', 'socket']) {
  const way = ways[wayName];
  describe(`memories over ${wayName}`, () => {
    const home = new Home();
    before(() => (wayName === 'socket' ? startDaemon(home) : undefined));
    after(() => cleanUp(home));

    for (const [clientName, { era, connect }] of Object.entries(clients))
      describe(clientName, () => {
        const asked = [];
        const updated = [];
        let answer = 'accept';
        let memd;
        const write = async (args) => {
          const result = await memd.call('memory_write', args);
          assert.ok(!result.isError, textOf(result));
          return result.structuredContent;
        };
        const read = async (args) => (await memd.call('memory_read', args)).structuredContent;
        before(async () => {
          memd = await connect(way, home, {
            updated: (uri) => updated.push(uri),
            confirm: (params) => {
              asked.push(params);
              return answer === 'accept' ? { action: answer, content: {} } : { action: answer };
            },
          });
        });

        test('write, link, find, supersede, delete, bring back', async () => {
          const name = clientName.replace(/[^a-z0-9]+/g, '-');
          const first = await write({ action: 'create', type: 'decision', title: `Rename first (${name})`, text: `Rename before you answer, says ${name}.`, tags: ['upload', 'store'], force: true });
          assert.match(asked.at(-1).message, /^memd: write this memory\?\ntitle: Rename first/);
          assert.equal(readFileSync(first.path, 'utf8').includes(`says ${name}`), true);
          const second = await write({ action: 'create', type: 'decision', title: `Sync, then rename (${name})`, text: `A rename without a sync may be empty, found ${name}.`, force: true });
          const link = await write({ action: 'link', slug: second.slug, target: first.slug, label: 'supersedes' });
          assert.equal(link.changed, true);

          const [whole] = (await read({ slug: first.slug })).memories;
          assert.equal(whole.links[0].label, 'superseded-by');
          assert.equal(whole.links[0].slug, second.slug);
          assert.ok((await read({})).memories.some(({ slug }) => slug === second.slug));
          const edited = await write({ action: 'update', slug: first.slug, text: `Rename, then answer, says ${name}.`, version: whole.version });
          const late = await memd.call('memory_write', { action: 'update', slug: first.slug, text: 'Too late.', version: whole.version });
          assert.ok(late.isError);
          assert.match(textOf(late), /was changed meanwhile[^]*Rename, then answer/);
          assert.match(readFileSync(edited.path, 'utf8'), /Rename, then answer/);

          await write({ action: 'delete', slug: first.slug });
          assert.ok(!existsSync(first.path));
          assert.equal((await read({ slug: second.slug })).memories[0].links, undefined);
          assert.equal((await write({ action: 'undo' })).slug, first.slug);
          assert.equal((await read({ slug: second.slug })).memories[0].links[0].label, 'supersedes');
          const { json } = await cli(home, 'memory', 'graph');
          assert.ok(json.edges.some(({ source, target, label }) => source === second.slug && target === first.slug && label === 'supersedes'));
        });

        test('what is written is found, and what is edited by hand is told', async () => {
          const word = `quokka${clientName.length}`;
          const { slug, path } = await write({ action: 'create', type: 'learning', title: `The ${word} sleeps by day`, text: `A ${word} is seen at night.`, force: true });
          const found = () => memd.call('memory_search', { query: `when is a ${word} seen` });
          await eventually('it is found', async () => (await found()).structuredContent.memories[0]?.memory.slug === slug);
          const uri = `memory://global/${slug}`;
          const [{ text }] = (await memd.client.readResource({ uri })).contents;
          assert.match(text, /seen at night/);
          const stream = era === 'modern' ? await memd.client.listen({ resourceSubscriptions: [uri] }) : await memd.client.subscribeResource({ uri });
          updated.length = 0;
          appendFileSync(path, '\nSeen at noon once, by hand.\n');
          await eventually('the edit is told', () => updated.includes(uri));
          assert.match((await memd.client.readResource({ uri })).contents[0].text, /Seen at noon/);
          await stream.close?.();
          await write({ action: 'delete', slug });
        });

        test('a person who says no is obeyed', async () => {
          const files = readdirSync(directoryOf(home));
          for (answer of ['decline', 'cancel']) {
            const refused = await memd.call('memory_write', { action: 'create', type: 'learning', title: 'Not this one', text: 'No.' });
            assert.ok(refused.isError);
            assert.match(textOf(refused), /nothing was changed: the user/);
          }
          answer = 'accept';
          assert.deepEqual(readdirSync(directoryOf(home)), files);
        });

        test('ends with its input', () => memd.close());

        test('a client that cannot ask its person changes nothing, and reads', async () => {
          const other = await connect(way, home);
          const files = readdirSync(directoryOf(home));
          for (const args of [{ action: 'create', type: 'learning', title: 'Unasked', text: 'x' }, { action: 'undo' }]) {
            const refused = await other.call('memory_write', args);
            assert.ok(refused.isError, JSON.stringify(refused));
            assert.match(textOf(refused), /does not let memd ask the user[^]*write: allow/);
          }
          assert.deepEqual(readdirSync(directoryOf(home)), files);
          assert.ok((await other.call('memory_read', {})).structuredContent.total >= 2);
          assert.equal((await other.call('memory_health', {})).isError ?? false, false);
          await other.close();
        });
      });

    test('the daemon stops', () => stopDaemons(home));
  });
}

test('where writing is off there is no such tool, and a project is not written to without opt-in', async () => {
  const home = new Home();
  try {
    const config = join(home.dir, '.config', 'memd', 'config.yaml');
    const project = join(home.dir, 'app');
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(join(config, '..'), { recursive: true });
    const connect = (wants) => clients['client, auto'].connect(ways.standalone, home, wants);
    writeFileSync(config, 'memory: {write: off}\n');
    const off = await connect({ confirm: () => ({ action: 'accept', content: {} }) });
    assert.ok(!(await off.listTools()).some(({ name }) => name === 'memory_write'));
    await assert.rejects(off.call('memory_write', { action: 'undo' }), /unknown tool/);
    await off.close();
    writeFileSync(config, 'memory: {write: allow}\n');
    const allowed = await connect({});
    const args = { action: 'create', type: 'decision', title: 'Tabs it is', text: 'Because.', scope: 'project', cwd: project };
    assert.match(textOf(await allowed.call('memory_write', args)), /opt_in/);
    await allowed.close();
    writeFileSync(config, 'memory: {write: allow, opt_in: true}\n');
    const opted = await connect({});
    const { structuredContent } = await opted.call('memory_write', args);
    assert.equal(structuredContent.path, join(project, '.claude/memory/decision-tabs-it-is.md'));
    await opted.close();
  } finally {
    await cleanUp(home);
  }
});

test('memories are listed by the event, patch, session or turn that they come from', async () => {
  const home = new Home();
  try {
    await cli(home, 'import', fileURLToPath(new URL('../golden/imported/all_kinds/input.jsonl', import.meta.url)));
    const made = await cli(home, 'memory', 'promote', 'x1', '--scope', 'global');
    assert.equal(made.code, 0, made.stderr);
    for (const [id, found] of [['evt_0002', 1], ['patch_9', 1], ['imported:talk-7', 1], ['talk-7', 1], ['imported:talk-7#0', 1], ['evt_0003', 0]])
      assert.equal((await cli(home, 'memory', 'list', '--from', id)).json.memories.length, found, id);
    assert.match((await cli(home, 'record', 'evt_0002')).stderr, /"evt_0002" is no id that memd gave an event/);
  } finally {
    await cleanUp(home);
  }
});
