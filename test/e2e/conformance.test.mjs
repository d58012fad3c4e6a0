// The protocol's own conformance suite, which also checks every message against the schema of its revision. It uses
// HTTP, so a passthrough runs in front of the servers: the sample server, which has the tools that the suite calls, and
// memd.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { listen } from './support/http_passthrough.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { cleanUp, environment, sampleServer, ways } from './support/memd.mjs';

const suite = fileURLToPath(new URL('./node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));

const common = [
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-list',
  'resources-read-text',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
];
const scenarios = {
  '2025-11-25': [
    ...common,
    'server-initialize',
    'logging-set-level',
    'ping',
    'tools-call-sampling',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  '2026-07-28': [
    ...common,
    'server-stateless',
    'caching',
    'sep-2164-resource-not-found',
    'input-required-result-basic-sampling',
    'input-required-result-request-state',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
};
// The scenarios that apply to any server.
const general = {
  '2025-11-25': ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'resources-list', 'prompts-list'],
  '2026-07-28': ['server-stateless', 'caching', 'tools-list', 'resources-list', 'prompts-list'],
};
const notOurs = new Set([
  'sep-2575-http-server-header-mismatch-400', // HTTP only
  'sep-2575-http-server-method-not-found-404-initialize', // memd serves both eras on one connection
  // These need tools that memd has no use for.
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

// The reasons why the other scenarios do not apply. A newer suite may add scenarios: a test below names those that are
// in no list.
const http = 'of HTTP, which memd does not speak';
const elicits = 'memd asks people nothing: it has no elicitation';
const noContent = 'memd answers with text and structured content alone';
const notTools = 'memd has no tool that would ask so';
const inapplicable = {
  'server-session-lifecycle': http,
  'server-sse-polling': http,
  'server-sse-multiple-streams': http,
  'dns-rebinding-protection': http,
  'http-header-validation': http,
  'http-custom-header-server-validation': http,
  'tools-call-image': noContent,
  'tools-call-audio': noContent,
  'tools-call-embedded-resource': noContent,
  'tools-call-mixed-content': noContent,
  'resources-read-binary': 'all resources are text',
  'prompts-get-embedded-resource': 'prompts are text',
  'prompts-get-with-image': 'prompts are text',
  'tools-call-with-logging': 'no tool of memd logs to its client; logging-set-level is answered',
  'json-schema-2020-12': 'it wants a tool with $defs and $anchor; schemas of memd are flat',
  'tools-call-elicitation': elicits,
  'elicitation-sep1034-defaults': elicits,
  'elicitation-sep1330-enums': elicits,
  'input-required-result-basic-elicitation': elicits,
  'input-required-result-basic-list-roots': 'stateless clients send cwd; roots are asked of clients of the handshake alone',
  'input-required-result-multiple-input-requests': `${elicits}, and asks for one sampling at a time`,
  'input-required-result-multi-round': elicits,
  'input-required-result-non-tool-request': 'no prompt of memd asks for input',
  'input-required-result-result-type': notTools,
  'input-required-result-tampered-state': notTools,
  'input-required-result-capability-check': notTools,
};
const extension = /^(tasks|sep-2640)-/; // not offered by any revision of memd

const missing = [suite, sampleServer].find((path) => !existsSync(path));

// Returns the checks of each scenario. The suite exits with 1 if anything is not offered, so its result files are read.
async function run(revision, names, server, variables) {
  const out = mkdtempSync(join(tmpdir(), 'memd-conformance-'));
  const passthrough = await listen(server, variables);
  const common = ['server', '--url', passthrough.url, '--timeout', '20000', '-o', out];
  const runs = names
    ? names.map((name) => [...common, '--spec-version', revision, '--scenario', name])
    : [[...common, '--requirements', revision]];
  for (const args of runs) await new Promise((resolve) => execFile(process.execPath, [suite, ...args], resolve));
  await passthrough.close();
  const checks = new Map();
  for (const file of globSync(join(out, '**', 'checks.json'))) {
    const name = basename(dirname(file)).replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    checks.set(name, JSON.parse(readFileSync(file, 'utf8')));
  }
  rmSync(out, { recursive: true, force: true });
  return checks;
}

function assertPassed(checks, name) {
  const found = checks.get(name);
  assert.ok(found, `it ran; there are ${[...checks.keys()]}`);
  assert.ok(found.some(({ status }) => status === 'SUCCESS'));
  const failed = found.filter(({ status, id }) => status === 'FAILURE' && !notOurs.has(id));
  assert.deepEqual(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`), []);
}

// "  - ping [2025-06-18,2025-11-25]"
function scenariosOfTheSuite() {
  const listed = execFileSync(process.execPath, [suite, 'list'], { encoding: 'utf8' });
  const ofServers = listed.slice(0, listed.indexOf('Client scenarios'));
  return [...ofServers.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].map(([, name, revisions]) => ({ name, revisions: revisions.split(',') }));
}

test('every scenario of the suite is run, or has the reason why not', { skip: missing && `${missing} is not there` }, () => {
  const all = scenariosOfTheSuite();
  assert.ok(all.length > 40, `${all.length} scenarios`);
  for (const { name, revisions } of all) {
    if (extension.test(name)) continue;
    for (const revision of Object.keys(scenarios).filter((one) => revisions.includes(one)))
      assert.ok(scenarios[revision].includes(name) || inapplicable[name], `${name} of ${revision}`);
  }
  for (const name of Object.keys(inapplicable)) assert.ok(all.some((one) => one.name === name), `${name} is gone`);
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  describe(`conformance with ${revision}`, { skip: missing && `${missing} is not there` }, () => {
    const home = new Home();
    let sample, memd;
    before(async () => {
      writeHistory(home);
      sample = await run(revision, null, { command: sampleServer, args: [] }, { PATH: process.env.PATH });
      memd = await run(revision, general[revision], ways.standalone(home), environment(home));
    }, { timeout: 300_000 });
    after(() => cleanUp(home));

    for (const name of scenarios[revision]) test(`the sample server: ${name}`, () => assertPassed(sample, name));
    for (const name of general[revision]) test(`memd: ${name}`, () => assertPassed(memd, name));
  });
}
