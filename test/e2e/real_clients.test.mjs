// The real clients: they must read what `memd setup` writes. Each one is registered, lists memd, calls it for a model
// on this machine, finds it again after the daemon was killed, and is unregistered. $MEMD_CLIENTS is a folder with
// their node_modules: npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai cline
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';

import { CodexServer } from './support/codex.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { LineClient, binary, cleanUp, environment, options, untilIndexed, ways } from './support/memd.mjs';
import { StandInModel } from './support/model.mjs';
import { daemonsOf } from './support/processes.mjs';

const bin = join(process.env.MEMD_CLIENTS ?? '/nonexistent', 'node_modules', '.bin');
const here = dirname(fileURLToPath(import.meta.url));
const inspector = join(here, 'node_modules', '.bin', 'mcp-inspector');

const home = new Home();
const project = join(home.dir, 'project');
const model = new StandInModel();
let history, modelUrl;

// Clients read nothing outside this home, and use only the model here.
const env = () => ({
  ...environment(home),
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'none',
  ENABLE_TOOL_SEARCH: 'false',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  GOOGLE_GEMINI_BASE_URL: modelUrl,
  GEMINI_API_KEY: 'none',
  OPENCODE_CONFIG_CONTENT: JSON.stringify({
    provider: { local: { npm: '@ai-sdk/openai-compatible', options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' }, models: { m: {} } } },
  }),
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  NO_COLOR: '1',
});

function run(command, ...args) {
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: project, env: env(), timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, text: `${stdout}\n${stderr}` }),
    );
    child.stdin.end();
  });
}
// The tool's answer as the client passed it on to the model.
async function throughModel(program, ...args) {
  const before = model.results.length;
  const { text } = await run(program, ...args);
  return model.results.slice(before).join('\n') || text;
}
const memd = (...args) => run(binary, ...options(home), ...args);

// Each client reports whether memd is listed, and whether it is connected.
const clients = {
  'claude-code': {
    program: join(bin, 'claude'),
    file: '.claude.json',
    list: async (program) => {
      const { text } = await run(program, 'mcp', 'list');
      return { listed: /^memd: /m.test(text), connected: /^memd: .*Connected/m.test(text) };
    },
    call: (program) => throughModel(program, '-p', 'say hello to me', '--allowedTools', 'mcp__memd__semantic_search'),
  },
  codex: {
    program: join(bin, 'codex'),
    file: '.codex/config.toml',
    list: async (program) => {
      const server = await new CodexServer(program, { cwd: project, env: env() }).start();
      try {
        const entry = (await server.ask('mcpServerStatus/list')).data.find(({ name }) => name === 'memd');
        return { listed: Boolean(entry), connected: Object.keys(entry?.tools ?? {}).length >= 11 };
      } finally {
        server.close();
      }
    },
    call: async (program) => {
      const server = await new CodexServer(program, { cwd: project, env: env() }).start();
      try {
        const { thread } = await server.ask('thread/start', { cwd: project });
        const call = { threadId: thread.id, server: 'memd', tool: 'semantic_search', arguments: { query: 'upload test', all_projects: true } };
        return JSON.stringify(await server.ask('mcpServer/tool/call', call));
      } finally {
        server.close();
      }
    },
  },
  gemini: {
    program: join(bin, 'gemini'),
    file: '.gemini/settings.json',
    list: async (program) => {
      const { text } = await run(program, 'mcp', 'list');
      return { listed: /memd: /.test(text), connected: /memd: .*Connected/.test(text) };
    },
    call: (program) => throughModel(program, '-m', 'gemini-2.5-flash', '-p', 'say hello to me', '--yolo'),
  },
  opencode: {
    program: join(bin, 'opencode'),
    file: '.config/opencode/opencode.json',
    list: async (program) => {
      const { text } = await run(program, 'mcp', 'list');
      return { listed: /\bmemd\b/.test(text), connected: /memd.*connected/.test(text) };
    },
    call: (program) => throughModel(program, 'run', '--model', 'local/m', 'say hello to me'),
  },
  cline: {
    program: join(bin, 'cline'),
    file: '.cline/data/settings/cline_mcp_settings.json',
    list: async (program) => {
      const { text } = await run(program, 'config', 'mcp', '--json');
      return { listed: /"name":"memd"/.test(text), connected: undefined }; // its list starts no server
    },
    call: async (program) => {
      await run(program, 'auth', 'openai-compatible', '-k', 'none', '-m', 'm', '-b', `${modelUrl}/v1`);
      return throughModel(program, '--provider', 'openai-compatible', '-m', 'm', '-k', 'none', '--auto-approve', 'true', 'say hello to me');
    },
  },
  // The inspector reads the file that Cursor reads.
  cursor: {
    program: inspector,
    file: '.cursor/mcp.json',
    list: async (program) => {
      const file = join(home.dir, '.cursor/mcp.json');
      const { text } = await run(program, '--cli', '--config', file, '--server', 'memd', '--method', 'tools/list');
      return { listed: /semantic_search/.test(text), connected: /semantic_search/.test(text) };
    },
    call: async (program) => {
      const file = join(home.dir, '.cursor/mcp.json');
      const args = ['--method', 'tools/call', '--tool-name', 'semantic_search', '--tool-arg', 'query=upload test', 'all_projects=true'];
      return (await run(program, '--cli', '--config', file, '--server', 'memd', ...args)).text;
    },
  },
};

before(async () => {
  modelUrl = await model.listen();
  history = writeHistory(home);
  mkdirSync(join(project, '.git'), { recursive: true });
  const lines = new LineClient(ways.pump(home), home);
  await lines.initialize();
  await untilIndexed(lines, history);
  await lines.close();
});
after(() => {
  model.close();
  return cleanUp(home);
});

for (const [key, client] of Object.entries(clients)) {
  describe(key, { skip: !existsSync(client.program) && `${client.program} is not there` }, () => {
    const file = join(home.dir, client.file);
    const originals = {
      codex: '# mine\nmodel = "gpt-5"\n',
      gemini: '{\n\t// mine\n\t"security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n',
    };
    const original = originals[key] ?? '{\n\t"mcpServers": {}\n}\n';

    test('is registered, lists memd, finds it after kill -9, and is unregistered', async () => {
      if (key !== 'claude-code' && key !== 'opencode') {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, original);
      }
      assert.equal((await memd('setup', key)).code, 0);
      const { listed, connected } = await client.list(client.program);
      assert.ok(listed, 'listed');
      assert.notEqual(connected, false, 'connected');
      assert.match(await client.call(client.program), /store\.py|rename/);
      for (const { pid } of daemonsOf(home)) process.kill(pid, 'SIGKILL');
      assert.match(await client.call(client.program), /store\.py|rename/, 'after kill -9');
      const here = readFileSync(file, 'utf8');
      assert.equal((await memd('setup', key, '--remove')).code, 0);
      assert.ok(!existsSync(file) || readFileSync(file, 'utf8') !== here);
      assert.ok(!(await client.list(client.program)).listed, 'not listed any more');
    });
  });
}
