// Prints the cost for a model: the tokens (cl100k) of tools/list and of twenty typical answers over a home with real
// histories. Usage: MEMD_BINARY=… tokens.mjs HOME [DATA], where DATA is a data directory that already contains them.
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';

import { Home } from './support/history.mjs';
import { LineClient, cleanUp, eventually, ways } from './support/memd.mjs';

const special = { allowedSpecial: 'all' };
const tokens = (text) => countTokens(text, special);
const minutes = 60_000;
const frame = [
  'searched', 'outside', 'freshness', 'platforms_searched', 'platforms_skipped', 'notice', 'est_tokens', 'next', 'time_zone',
];

const [corpus = process.env.MEMD_CORPUS, data] = process.argv.slice(2);
if (!corpus) throw new Error('tokens.mjs HOME [DATA]');
const home = Object.assign(new Home(), { dir: corpus }, data && { data });
const client = new LineClient(ways.standalone(home), home);

// Text between the marks is content, the lines around it are the envelope.
const around = (text) => text.replace(/<history>[\s\S]*?<\/history>/g, '');

async function typicalCalls() {
  const { sessions } = (await client.call('list_sessions', { n_results: 200, max_tokens: 8000 })).structuredContent;
  const longest = sessions.reduce((a, b) => (a.exchanges > b.exchanges ? a : b));
  const newest = sessions[0];
  const topic = await eventually('topics', async () => (await client.call('topic_search', {})).structuredContent.topics[0]?.topic, minutes);
  const hit = (await client.call('semantic_search', { query: topic })).structuredContent.results[0];
  const files = (await client.call('session_summary', { session_id: longest.session_id })).structuredContent.files_modified;
  const cwd = longest.cwd;
  return [
    ['resume_context', { cwd }],
    ['resume_context', { session_id: longest.session_id, max_tokens: 1000 }],
    ['semantic_search', { query: 'How did we fix the failing test?', cwd }],
    ['semantic_search', { query: topic, n_results: 5, all_projects: true }],
    ['semantic_search', { query: 'recipe for sourdough bread' }],
    ['semantic_search', { query: 'which database do we use', cwd, max_tokens: 1000 }],
    ['get_exchange', { ids: [hit.exchange_id] }],
    ['get_exchange', { ids: [hit.exchange_id], around: 1, include_tools: true }],
    ['recent_turns', { cwd }],
    ['recent_turns', { session_id: newest.session_id, n_turns: 3, style: 'brief' }],
    ['session_summary', { session_id: longest.session_id }],
    ['session_summary', { session_id: newest.session_id, max_tokens: 800 }],
    ['topic_search', { topic, all_projects: true }],
    ['topic_search', {}],
    ['temporal_query', { since: longest.started_at.slice(0, 10), until: longest.started_at.slice(0, 10) }],
    ['temporal_query', { since: '1999-01-01', until: '1999-01-02' }],
    ['file_history', { path: files[0]?.path ?? 'README.md' }],
    ['list_observations', { kind: 'decision', cwd }],
    ['list_sessions', { cwd }],
    ['capabilities', {}],
  ];
}

try {
  await client.modern('memd/ingest', {}, 10 * minutes);
  const { tools } = (await client.modern('tools/list')).result;
  const shown = ({ name, description, inputSchema }) => ({ name, description, inputSchema });
  console.log('| tool | description and arguments | with the schema of its results |\n|---|---|---|');
  for (const tool of tools)
    console.log(`| ${tool.name} | ${tokens(JSON.stringify(shown(tool)))} | ${tokens(JSON.stringify(tool))} |`);
  console.log(`| all | ${tokens(JSON.stringify(tools.map(shown)))} | ${tokens(JSON.stringify(tools))} |\n`);

  console.log('| answer | max_tokens | text | structured | frame of the text | frame of the structured form |\n|---|---|---|---|---|---|');
  const sums = [0, 0, 0, 0];
  for (const [name, args] of await typicalCalls()) {
    const { content, structuredContent: structured, isError } = await client.call(name, args, minutes);
    const text = content.map((block) => block.text).join('\n');
    const envelope = structured && Object.fromEntries(frame.filter((key) => key in structured).map((key) => [key, structured[key]]));
    const costs = isError
      ? [tokens(text), 0, 0, 0]
      : [tokens(text), tokens(JSON.stringify(structured)), tokens(around(text)), tokens(JSON.stringify(envelope))];
    costs.forEach((cost, i) => (sums[i] += cost));
    const asked = Object.entries(args).filter(([key]) => !['cwd', 'session_id', 'path', 'ids', 'max_tokens'].includes(key));
    const words = asked.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(', ').replaceAll('|', '\\|');
    console.log(`| ${name}${words && ` (${words})`} | ${args.max_tokens ?? 2000} | ${costs.join(' | ')} |`);
    if (process.env.MEMD_SHOW) console.log(text);
  }
  console.log(`| sum | | ${sums.join(' | ')} |`);
} finally {
  client.child.kill('SIGTERM');
  await client.exit;
}
