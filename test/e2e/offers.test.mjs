// The features of memd besides tools, with the official clients of both eras: resources, prompts, completion, a live
// tail, and the client's own model.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { clients } from './support/clients.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { LineClient, sampleServer, cleanUp, eventually, startDaemon, stopDaemons, untilIndexed, ways } from './support/memd.mjs';
import { daemonsOf } from './support/processes.mjs';

const sessionUri = (transcript) => `memd://session/${encodeURIComponent(`claude_code:${transcript.sessionId}`)}`;

for (const [wayName, way] of Object.entries(ways)) {
  describe(`resources and prompts over ${wayName}`, () => {
    const home = new Home();
    let history;
    before(async () => {
      history = writeHistory(home);
      if (wayName === 'socket') await startDaemon(home);
      const lines = new LineClient(way(home), home);
      await untilIndexed(lines, history);
      await lines.close();
    });
    after(() => cleanUp(home));

    for (const [clientName, { era, connect }] of Object.entries(clients)) {
      describe(clientName, () => {
        const updated = [];
        let memd, listChanges = 0;
        before(async () => {
          memd = await connect(way, home, {
            updated: (uri) => updated.push(uri),
            listChanged: () => ++listChanges,
          });
          // A standalone process ingests again for each client.
          await eventually('all is indexed', async () => {
            const { structuredContent } = await memd.call('list_sessions', {});
            return structuredContent.total >= history.sessions;
          });
        });

        test('says what it offers', () => {
          const { resources, prompts, completions } = memd.client.getServerCapabilities();
          assert.deepEqual(resources, { listChanged: true, subscribe: true });
          assert.ok(prompts && completions);
        });

        test('lists resources that can be read', async () => {
          const { resources } = await memd.client.listResources();
          const uris = resources.map(({ uri }) => uri);
          assert.ok(uris.includes(sessionUri(history.upload)), uris.join('\n'));
          assert.ok(uris.some((uri) => uri.startsWith('memd://project/')));
          for (const { uri } of resources) {
            const { contents } = await memd.client.readResource({ uri });
            assert.equal(contents.length, 1);
            assert.equal(contents[0].uri, uri);
            assert.equal(contents[0].mimeType, 'text/markdown');
            assert.match(contents[0].text, /<history>[^]*<\/history>/);
          }
        });

        test('reads what a template names', async () => {
          const { resourceTemplates } = await memd.client.listResourceTemplates();
          assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate),
            ['memd://session/{id}', 'memd://exchange/{id}', 'memd://project/{key}/recent', 'memd://diagnostics/{platform}',
              'memory://{scope}/{slug}/of/{project}', 'memory://{scope}/{slug}']);
          const read = async (uri) => (await memd.client.readResource({ uri })).contents[0].text;
          const session = await read(`memd://session/${history.limiter.sessionId}`);
          assert.match(session, /token bucket/);
          const [id] = session.match(/\bx\d+\b/);
          assert.match(await read(`memd://exchange/${id}`), /token bucket/);
          assert.match(await read('memd://project/parcel/recent'), /Upload test races the rename/);
        });

        test('a resource that is not there is an error of its era', async () => {
          for (const uri of ['memd://session/no-such-session', 'memd://exchange/x99999', 'memd://exchange/forty-two', 'memd://elsewhere'])
            await assert.rejects(memd.client.readResource({ uri }), (error) => {
              // The newer SDK shows both codes as the newer one.
              assert.ok(error.code === -32602 || (era === 'legacy' && error.code === -32002), `${uri}: ${error.code}`);
              assert.equal(error.data?.uri, uri);
              return true;
            });
        });

        test('completes sessions, projects and topics', async () => {
          const complete = async (ref, name, value) => (await memd.client.complete({ ref, argument: { name, value } })).completion;
          const session = { type: 'ref/resource', uri: 'memd://session/{id}' };
          const ids = await complete(session, 'id', 'rate limiter');
          assert.deepEqual(ids.values, [`claude_code:${history.limiter.sessionId}`]);
          assert.equal(ids.hasMore, false);
          assert.equal((await complete(session, 'id', history.cache.sessionId)).values.length, 1);
          const project = { type: 'ref/resource', uri: 'memd://project/{key}/recent' };
          assert.deepEqual((await complete(project, 'key', 'parc')).values, ['parcel']);
          assert.ok(Array.isArray((await complete({ type: 'ref/prompt', name: 'recall' }, 'query', '')).values));
        });

        test('prompts keep our words apart from those of history', async () => {
          const { prompts } = await memd.client.listPrompts();
          assert.ok(prompts.some(({ name }) => name === 'recall'));
          for (const { name, arguments: args } of prompts) {
            const given = Object.fromEntries(args.filter(({ required }) => required).map((arg) => [arg.name, 'rate limiter']));
            if (args.some((arg) => arg.name === 'project')) given.project = 'parcel';
            const { messages } = await memd.client.getPrompt({ name, arguments: given });
            assert.ok(messages.length >= 2, name);
            assert.ok(messages.every(({ role, content }) => role === 'user' && content.type === 'text'));
            assert.ok(!/<history>\n/.test(messages[0].content.text), `${name}: no history in our message`);
            assert.match(messages.at(-1).content.text, /<history>\n[^]*<\/history>/);
          }
          await assert.rejects(memd.client.getPrompt({ name: 'recall', arguments: {} }), (error) => error.code === -32602);
        });

        test('follows a session while it is written', async () => {
          const transcript = history.cache;
          const uri = sessionUri(transcript);
          const project = 'memd://project/notes/recent';
          let stream;
          await memd.client.listResources(); // and so is notified when the list changes
          if (era === 'modern') {
            stream = await memd.client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri, project, 'memd://session/none'] });
            assert.deepEqual(stream.honoredFilter.resourceSubscriptions, [uri, project]);
          } else {
            await memd.client.subscribeResource({ uri });
            await memd.client.subscribeResource({ uri: project });
          }
          updated.length = listChanges = 0;
          transcript.prompt(`And where are the notes of ${clientName}?`).answer('In ~/notes.');
          await eventually('both are told of', () => updated.includes(uri) && updated.includes(project));
          await eventually('what was written is read', async () =>
            (await memd.client.readResource({ uri })).contents[0].text.includes(`notes of ${clientName}`));
          assert.equal(listChanges, 0);

          home.session({ cwd: '/home/ada/src/notes', branch: 'main', start: '2026-03-13T09:00:00Z' })
            .prompt(`A new session of ${clientName}.`).answer('Indeed.');
          await eventually('the list has changed', () => listChanges > 0);
          if (stream) await stream.close();
          else await memd.client.unsubscribeResource({ uri });
        });

        test('ends with its input', () => memd.close());
      });
    }

    test('the daemon stops', () => stopDaemons(home));
  });
}

test('a client that watches is told of what went by when its daemon was killed', async () => {
  const home = new Home();
  try {
    const { cache } = writeHistory(home);
    for (const { era, connect } of [clients['sdk, legacy'], clients['client, auto']]) {
      const updated = [];
      const memd = await connect(ways.pump, home, { updated: (uri) => updated.push(uri) });
      const uri = sessionUri(cache);
      const indexed = async () => (await memd.call('list_sessions', {})).structuredContent.total >= 3;
      await eventually('all is indexed', indexed, 20_000);
      const stream = era === 'modern' && (await memd.client.listen({ resourceSubscriptions: [uri] }));
      if (!stream) await memd.client.subscribeResource({ uri });
      // An orderly stop would end the streams of the newest revision, which clients would notice.
      for (const { pid } of daemonsOf(home)) process.kill(pid, 'SIGKILL');
      await eventually('the daemon is gone', () => daemonsOf(home).length === 0);
      cache.prompt(`Nobody looks, ${era}.`).answer('Somebody will.');
      await eventually('another daemon answers', () => indexed().catch(() => false), 20_000);
      await eventually('the client is told', () => updated.includes(uri));
      if (stream) await stream.close();
      await memd.close();
    }
  } finally {
    await cleanUp(home);
  }
});

describe('the client\'s own model', { skip: !existsSync(sampleServer) && `${sampleServer} is not built` }, () => {
  const home = new Home();
  const way = () => ({ command: sampleServer, args: [] });
  after(() => cleanUp(home));

  for (const [clientName, { connect }] of Object.entries(clients)) {
    test(`${clientName}: is asked, several times at once and one after the other`, async () => {
      const asked = [];
      const memd = await connect(way, home, {
        sample: ({ messages, systemPrompt, maxTokens }) => {
          const { text } = messages[0].content;
          asked.push({ text, systemPrompt, maxTokens });
          return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: { type: 'text', text: `<${text}>` } };
        },
      });
      const several = await memd.call('ask', { text: 'q', times: 3 });
      assert.equal(several.content[0].text, 'echo: <q0>(m)<q1>(m)<q2>(m)');
      assert.deepEqual(asked[1], { text: 'q1', systemPrompt: 'Be brief.', maxTokens: 50 });
      assert.equal((await memd.call('chain', { text: 'q', times: 4 })).structuredContent.text, '<<<<q>>>>');
      assert.equal(asked.length, 7);
      await memd.close();
    });

    test(`${clientName}: a refusal reaches whoever called, and nothing hangs`, async () => {
      const memd = await connect(way, home, {
        sample: () => {
          throw new Error('the user said no');
        },
      });
      const outcome = await memd.call('ask', { text: 'q', times: 2 }).catch((error) => error);
      assert.match(outcome.message ?? outcome.content[0].text, /the user said no/);
      await memd.close();
    });

    test(`${clientName}: one that offers none is not asked`, async () => {
      const memd = await connect(way, home);
      assert.equal((await memd.call('ask', { text: 'q' })).content[0].text, 'echo: no model');
      await memd.close();
    });
  }
});

describe('a summary by the client\'s own model', () => {
  for (const [clientName, { connect }] of Object.entries(clients))
    for (const provider of ['client', null])
      test(`${clientName}: ${provider ? 'where the configuration says so' : 'never without configuration'}`, async () => {
        const home = new Home();
        try {
          const { limiter } = writeHistory(home);
          const directory = join(home.dir, '.config', 'memd');
          mkdirSync(directory, { recursive: true });
          if (provider) writeFileSync(join(directory, 'config.yaml'), `summaries:\n  provider: ${provider}\n`);
          const prompts = [];
          const memd = await connect(ways.standalone, home, {
            sample: ({ messages }) => {
              prompts.push(messages[0].content.text);
              return { role: 'assistant', model: 'm', content: { type: 'text', text: 'They settled on a token bucket.' } };
            },
          });
          await eventually('all is indexed', async () => (await memd.call('list_sessions', {})).structuredContent.total >= 3);
          const result = await memd.call('session_summary', { session_id: limiter.sessionId, strategy: 'hierarchical' });
          assert.ok(!result.isError, result.content[0].text);
          assert.equal(prompts.length > 0, provider !== null);
          assert.equal(result.structuredContent.summary.includes('They settled on'), provider !== null);
          if (provider) assert.match(prompts[0], /token bucket/);
          await memd.close();
        } finally {
          await cleanUp(home);
        }
      });
});
