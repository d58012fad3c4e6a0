// Every official client, over every transport: the handshake, the list of tools, and each tool.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { clients } from './support/clients.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { LineClient, cleanUp, startDaemon, stopDaemons, untilIndexed, ways } from './support/memd.mjs';

const toolNames = [
  'capabilities',
  'file_history',
  'get_exchange',
  'list_observations',
  'list_sessions',
  'memory_health',
  'memory_read',
  'memory_search',
  'memory_write',
  'recent_turns',
  'resume_context',
  'semantic_search',
  'session_summary',
  'temporal_query',
  'topic_search',
];

// The kinds of argument that every known client and model API accepts: an object of scalars, enums, and arrays of them.
function assertFlat(schema, where) {
  assert.equal(schema.type, 'object', where);
  for (const key of ['$ref', '$defs', 'definitions', 'anyOf', 'oneOf', 'allOf', 'not', 'if'])
    assert.ok(!(key in schema), `${where}: ${key} at the root`);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    assert.equal(typeof property.type, 'string', `${where}.${name}: one type`);
    assert.ok(!/\$ref|"(any|one|all)Of"/.test(JSON.stringify(property)), `${where}.${name}: plain`);
    if (property.type === 'array') assert.ok(property.items, `${where}.${name}: items`);
  }
  for (const name of schema.required ?? []) assert.ok(schema.properties[name], `${where}: required ${name} exists`);
}

function assertTool(tool) {
  assert.match(tool.name, /^[a-z0-9_]{1,40}$/);
  assert.ok(tool.title, `${tool.name}: title`);
  assert.ok(tool.description.length > 40 && tool.description.length <= 2048, `${tool.name}: description`);
  assertFlat(tool.inputSchema, `${tool.name} input`);
  assert.ok(tool.inputSchema.additionalProperties === undefined || tool.inputSchema.additionalProperties === false);
  assert.equal(tool.outputSchema?.type, 'object', `${tool.name}: output schema`);
  assert.deepEqual(
    tool.annotations && { ...tool.annotations, title: undefined },
    tool.name === 'memory_write'
      ? { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false, title: undefined }
      : { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false, title: undefined },
    `${tool.name}: all four hints`,
  );
}

function textOf(result) {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

// The same steps for every client and transport.
let listing, listingText;

for (const [wayName, way] of Object.entries(ways)) {
  describe(wayName, () => {
    const home = new Home();
    let history, searched, exchangeId;

    before(async () => {
      history = writeHistory(home);
      if (wayName === 'socket') await startDaemon(home);
      const lines = new LineClient(way(home), home);
      await untilIndexed(lines, history);
      searched = (await lines.call('semantic_search', { query: 'upload test rename' })).structuredContent;
      exchangeId = searched.results[0].exchange_id;
      const { result } = await lines.modern('tools/list');
      listingText ??= JSON.stringify(result.tools);
      assert.equal(JSON.stringify(result.tools), listingText, 'to the letter');
      await lines.close();
    });
    after(() => cleanUp(home));

    for (const [clientName, { era, connect }] of Object.entries(clients)) {
      describe(clientName, () => {
        let memd;
        before(async () => (memd = await connect(way, home)));

        test('introduces itself', async () => {
          assert.equal(memd.client.getServerVersion().name, 'memd');
          assert.ok(memd.client.getServerCapabilities().tools);
          const instructions = memd.client.getInstructions();
          assert.ok(instructions.length > 100 && instructions.length <= 2048);
          if (memd.client.getProtocolEra) assert.equal(memd.client.getProtocolEra(), era);
        });

        test('lists tools that every client accepts, the same on every connection', async () => {
          const tools = await memd.listTools();
          assert.deepEqual(tools.map(({ name }) => name).sort(), toolNames);
          tools.forEach(assertTool);
          listing ??= tools;
          assert.deepEqual(tools, listing); // the clients reorder members, not tools
        });

        // The clients check each result against the tool's output schema once they have the list of tools.
        const calls = {
          capabilities: () => [{}, (content) => assert.match(JSON.stringify(content), /claude_code/)],
          list_sessions: () => [
            { n_results: 10, max_tokens: 8000 },
            ({ sessions }) => assert.equal(sessions.length, history.sessions),
          ],
          memory_read: () => [{}, ({ memories, total }) => assert.equal(memories.length, total)],
          memory_search: () => [{ query: 'upload' }, ({ memories }) => assert.ok(Array.isArray(memories))],
          memory_health: () => [{ garden: true }, ({ findings }) => assert.ok(Array.isArray(findings))],
          list_observations: () => [{ n_results: 5 }, ({ observations, total }) => assert.ok(observations.length <= total)],
          semantic_search: () => [
            { query: 'why does the upload test fail', n_results: 3 },
            ({ results }) => {
              assert.ok(results.length >= 1);
              assert.ok(results[0].session_id.endsWith(history.upload.sessionId));
              const scores = results.map((hit) => hit.relevance_score);
              assert.ok(scores.every((score) => score > 0 && score <= 1));
              assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
            },
          ],
          topic_search: () => [
            { topic: 'token bucket' },
            (content) => assert.ok(JSON.stringify(content).includes(history.limiter.sessionId)),
          ],
          temporal_query: () => [
            { since: '2026-03-12T00:00:00Z', until: '2026-03-13T00:00:00Z' },
            (content) => {
              const text = JSON.stringify(content);
              assert.ok(text.includes(history.cache.sessionId) && !text.includes(history.upload.sessionId));
            },
          ],
          recent_turns: () => [
            { session_id: history.limiter.sessionId },
            (content) => assert.match(JSON.stringify(content), /write it/),
          ],
          session_summary: () => [
            { session_id: history.limiter.sessionId },
            (content) => {
              assert.match(content.summary, /token bucket|write it/i);
              assert.equal(content.provenance.model, '');
            },
          ],
          file_history: () => [
            { path: 'server/store.py' },
            ({ sessions }) => {
              assert.ok(sessions[0].session_id.endsWith(history.upload.sessionId));
              assert.match(sessions[0].exchanges[0].said, /store\.py renames before it answers/);
            },
          ],
          get_exchange: () => [
            { ids: [exchangeId] },
            (content) => assert.ok(JSON.stringify(content).includes(exchangeId)),
          ],
        };
        for (const [name, make] of Object.entries(calls)) {
          test(`${name}: an answer, in text and typed`, async () => {
            const [args, check] = make();
            const result = await memd.call(name, args);
            assert.ok(!result.isError, textOf(result));
            check(result.structuredContent);
            assert.ok(textOf(result).length > 0);
            // Both forms state the same facts: each id in one is also in the other.
            for (const id of JSON.stringify(result.structuredContent).match(/\bx\d+\b/g) ?? [])
              assert.ok(textOf(result).includes(id), `${id} in the text of ${name}`);
          });

          test(`${name}: bad arguments come back as a result that says what to send`, async () => {
            for (const args of [{ no_such_argument: 1 }, { max_tokens: 'many' }]) {
              const result = await memd.call(name, args);
              assert.equal(result.isError, true, JSON.stringify(args));
              assert.match(textOf(result), new RegExp(Object.keys(args)[0]));
            }
          });
        }

        test('values that name nothing come back as results with isError', async () => {
          for (const [name, args] of [
            ['get_exchange', { ids: ['x999999999'] }],
            ['get_exchange', { ids: ['forty-two'] }],
            ['recent_turns', { session_id: 'no-such-session' }],
            ['temporal_query', { since: 'the day before the flood' }],
            ['semantic_search', { query: 'upload', platform: 'emacs' }],
          ]) {
            const result = await memd.call(name, args);
            assert.equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
            assert.ok(textOf(result).length > 10);
          }
        });

        test('an unknown tool is an error of the protocol', async () => {
          await assert.rejects(memd.call('drop_everything', {}), (error) => error.code === -32602);
        });

        test('fifty calls at once', async () => {
          const ids = searched.results.map((hit) => hit.exchange_id);
          const results = await Promise.all(
            Array.from({ length: 50 }, (_, i) => memd.call('get_exchange', { ids: [ids[i % ids.length]] })),
          );
          results.forEach((result, i) => assert.ok(JSON.stringify(result.structuredContent).includes(ids[i % ids.length])));
        });

        test('a cancelled call does not disturb the next', async () => {
          const abort = new AbortController();
          const call = memd.call('semantic_search', { query: 'upload' }, { signal: abort.signal });
          abort.abort('not needed');
          await assert.rejects(call);
          assert.ok(!(await memd.call('capabilities', {})).isError);
        });

        test('progress, if any, only grows', async () => {
          const seen = [];
          await memd.call('semantic_search', { query: 'upload' }, { onprogress: ({ progress }) => seen.push(progress) });
          assert.ok(seen.every((value, i) => i === 0 || value > seen[i - 1]), String(seen));
        });

        test('ends with its input', () => memd.close());
      });
    }

    test('the daemon stops on SIGTERM and takes its socket along', async () => {
      assert.equal(await stopDaemons(home), wayName === 'standalone' ? 0 : 1);
    });
  });
}
