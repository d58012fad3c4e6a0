// The protocol's own conformance suite, which also checks every message against the schema of its revision. It speaks
// HTTP, so a passthrough stands before the servers: the sample server, which has the tools the suite calls, and memd.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { listen } from './support/http_passthrough.mjs';
import { Home, writeHistory } from './support/history.mjs';
import { cleanUp, environment, sampleServer, ways } from './support/memd.mjs';

const suite = fileURLToPath(new URL('./node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));

// What the suite asks of images, audio, binary resources, elicitation, roots and tasks memd does not offer; what it asks
// of HTTP headers is not memd's.
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
// What it asks of any server.
const general = {
  '2025-11-25': ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'resources-list', 'prompts-list'],
  '2026-07-28': ['server-stateless', 'caching', 'tools-list', 'resources-list', 'prompts-list'],
};
const notOurs = new Set([
  'sep-2575-http-server-header-mismatch-400', // of HTTP
  'sep-2575-http-server-method-not-found-404-initialize', // memd serves both eras on one connection
  // They want tools that memd has no use for.
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

const missing = [suite, sampleServer].find((path) => !existsSync(path));

// The checks of each scenario. The suite exits with 1 for whatever is not offered; its files say what went how.
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
