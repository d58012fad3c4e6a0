// Asks the tool search of an installed Qwen Code. Usage: qwen.mjs PACKAGE_DIRECTORY; stdin: {tools: [{server, name,
// description}], requests: [text]}; stdout: the names found for each request.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const chunks = join(process.argv[2], 'chunks');
const file = readdirSync(chunks).find((name) => name.startsWith('tool-search-'));
const [, home] = readFileSync(join(chunks, file), 'utf8').match(/\bDiscoveredMCPTool\b[^}]*} from "(.*?)"/);
const { ToolSearchTool } = await import(join(chunks, file));
const { DiscoveredMCPTool } = await import(join(chunks, home));

const { tools, requests } = JSON.parse(await text(process.stdin));
const known = new Map(
  tools
    .map((t) => new DiscoveredMCPTool({}, t.server, t.name, t.description, { type: 'object' }))
    .map((tool, i) => [tool.name, { tool, name: tools[i].name }]),
);
const registry = {
  getTool: (name) => known.get(name)?.tool ?? name, // the search and the call of deferred tools are there
  getAllTools: () => [...known.values()].map(({ tool }) => tool),
  getAllToolNames: () => [...known.keys()],
  isDeferredAndHidden: () => true,
  isToolDeclared: () => true,
  ensureTool: async (name) => known.get(name)?.tool,
};
const anything = new Proxy(() => undefined, { get: (_, key) => (key === 'getToolRegistry' ? () => registry : () => undefined) });
const search = new ToolSearchTool(anything);
const answers = [];
for (const query of requests) {
  const { llmContent } = await search.createInvocation({ query }).execute();
  answers.push([...llmContent.matchAll(/<function>\{"name":"([^"]*)"/g)].map(([, name]) => known.get(name).name));
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
