// Ten thousand random calls over a home with real histories, in both eras. No answer exceeds max_tokens by the real
// tokenizer, violates its output schema, or states different facts in its two forms; every invalid argument is named.
import Ajv from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';

import { missingFacts } from './support/facts.mjs';
import { Home } from './support/history.mjs';
import { LineClient, cleanUp, startDaemon, ways } from './support/memd.mjs';
import { Random, randomCall } from './support/random_calls.mjs';

const corpus = process.env.MEMD_CORPUS;
const calls = Number(process.env.MEMD_RANDOM_CALLS ?? 10_000);
const seed = Number(process.env.MEMD_RANDOM_SEED ?? 1);
const together = 8; // calls in flight
const defaultTokens = 2000;
const mostTokens = 8000;
const leastTokens = 700; // any answer fits into this budget
const special = { allowedSpecial: 'all' };
const minutes = 60_000;

const skip = corpus ? false : 'MEMD_CORPUS IS NOT SET: THE RANDOM CALLS OVER A CORPUS DID NOT RUN';

describe('random calls over a corpus', { skip }, () => {
  const home = corpus ? Object.assign(new Home(), { dir: corpus }) : undefined;
  const eras = [];
  let tools, validators, pools;

  const ask = (era, name, args) => era(name, args).then(({ result, error }) => ({ result, error }));

  before(
    async () => {
      await startDaemon(home);
      const modern = new LineClient(ways.socket(home), home);
      const legacy = new LineClient(ways.socket(home), home);
      await legacy.initialize();
      await modern.modern('memd/ingest', {}, 5 * minutes);
      eras.push(
        (name, args) => modern.modern('tools/call', { name, arguments: args }, minutes),
        (name, args) => legacy.request('tools/call', { name, arguments: args }, minutes),
      );
      tools = (await modern.modern('tools/list')).result.tools;
      const ajv = new Ajv({ strict: false });
      validators = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
      pools = await poolsOf(async (name, args) => (await ask(eras[0], name, args)).result.structuredContent);
    },
    { timeout: 10 * minutes },
  );
  after(() => cleanUp(home));

  test(`${calls} calls`, { timeout: 30 * minutes }, async (t) => {
    const random = new Random(seed);
    const problems = [];
    const sizes = { estimated: 0, counted: 0, answers: 0, errors: 0 };
    for (let done = 0; done < calls && problems.length < 20; done += together) {
      const batch = Array.from({ length: Math.min(together, calls - done) }, () => randomCall(random, tools, pools));
      const answers = await Promise.all(batch.map((call, i) => ask(eras[i % eras.length], call.name, call.arguments)));
      batch.forEach((call, i) => {
        for (const problem of judge(call, answers[i], sizes))
          problems.push(`${call.name} ${JSON.stringify(call.arguments).slice(0, 300)}: ${problem}`);
      });
    }
    const ratio = sizes.estimated / sizes.counted;
    t.diagnostic(`${sizes.answers} answers, ${sizes.errors} refusals; estimate / tokens: ${ratio.toFixed(3)}`);
    assert.deepEqual(problems, []);
    assert.ok(ratio >= 1 && ratio <= 1.1, `the estimate is ${ratio} of what was counted`);
  });

  function* judge(call, { result, error }, sizes) {
    if (!result) return yield `JSON-RPC error ${JSON.stringify(error)}`;
    const text = result.content.map((block) => block.text).join('\n');
    if (result.isError) {
      sizes.errors += 1;
      yield* judgeRefusal(call, result, text);
      return;
    }
    if (call.invalid) yield `${call.invalid} is wrong and was taken`;
    const { structuredContent: structured } = result;
    const validate = validators.get(call.name);
    if (!validate(structured)) yield `schema: ${JSON.stringify(validate.errors[0])}`;
    const json = JSON.stringify(structured);
    const counted = countTokens(json, special);
    const limit = call.arguments.max_tokens ?? (takesMaxTokens(call.name) ? defaultTokens : mostTokens);
    const inText = countTokens(text, special);
    if (Math.max(counted, inText) > limit) yield `${counted} tokens, ${inText} in the text, of ${limit}`;
    if (structured.est_tokens < counted) yield `${counted} tokens, estimated ${structured.est_tokens}`;
    sizes.answers += 1;
    sizes.counted += counted;
    sizes.estimated += structured.est_tokens;
    const missing = missingFacts(structured, text);
    if (missing.length) yield `not in the text: ${missing.slice(0, 4).join('; ')}`;
    if (structured.next && pools.pages.length < 300)
      pools.pages.push({ name: call.name, args: call.arguments, next: structured.next });
  }

  function* judgeRefusal(call, result, text) {
    if (result.structuredContent) yield 'an error with an answer';
    if (call.invalid && !text.includes(call.invalid)) yield `${call.invalid} is not named: ${text.slice(0, 200)}`;
    if (/internal|exception|sqlite|unexpected|terminate/i.test(text.split('\n')[0])) yield `unclear: ${text.slice(0, 200)}`;
    if (text.length < 15) yield `unclear: ${text}`;
    if (/too little for this answer/.test(text) && (call.arguments.max_tokens ?? defaultTokens) >= leastTokens) yield text;
  }

  const takesMaxTokens = (name) => tools.find((tool) => tool.name === name).inputSchema.properties?.max_tokens;

  // Values that a client could know from earlier answers.
  async function poolsOf(answer) {
    const { sessions } = await answer('list_sessions', { n_results: 200, include_subagents: true, max_tokens: mostTokens });
    const topics = (await answer('topic_search', { max_tokens: mostTokens })).topics?.map(({ topic }) => topic) ?? [];
    const names = sessions.map((session) => session.session_name).filter(Boolean);
    const ids = Array.from({ length: 950 }, (_, i) => `x${i + 1}`);
    const paths = [];
    for (let i = 0; i < 10; ++i) {
      const { exchanges } = await answer('get_exchange', { ids: ids.slice(i * 90, i * 90 + 20), max_tokens: mostTokens });
      paths.push(...exchanges.flatMap((exchange) => exchange.files_referenced ?? []));
    }
    const session_id = [...sessions.map((session) => session.session_id), 'latest'];
    const project = [...new Set(sessions.map((session) => session.project).filter(Boolean))];
    const query = [...topics, ...names];
    return {
      pages: [],
      eager: { ids: 0.8, session_id: 0.4, path: 0.9, action: 0.95 },
      session_id,
      project,
      topic: topics,
      query,
      ids,
      cwd: [...new Set(sessions.map((session) => session.cwd).filter(Boolean))],
      path: [...new Set(paths)],
      file: [...new Set(paths)],
      commit: ['HEAD', '0a1b2c3', 'main'],
      before: ['auto', 'compaction', 'end', '1', '2', '99'],
    };
  }
});
