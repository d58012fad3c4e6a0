// The protocol's own conformance suite, which also checks every message against the schema of its revision. It speaks
// HTTP, so a passthrough stands before the sample server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { listen } from './support/http_passthrough.mjs';
import { sampleServer } from './support/memd.mjs';

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

for (const [revision, names] of Object.entries(scenarios)) {
  describe(`conformance with ${revision}`, { skip: missing && `${missing} is not there` }, () => {
    const checks = new Map();
    let out;

    before(async () => {
      out = mkdtempSync(join(tmpdir(), 'memd-conformance-'));
      const passthrough = await listen({ command: sampleServer, args: [] }, { PATH: process.env.PATH });
      const args = ['server', '--url', passthrough.url, '--requirements', revision, '--timeout', '20000', '-o', out];
      // It exits with 1 for whatever is not offered; the files say what went how.
      await new Promise((resolve) => execFile(process.execPath, [suite, ...args], resolve));
      await passthrough.close();
      for (const file of globSync(join(out, '**', 'checks.json'))) {
        const name = basename(dirname(file)).replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
        checks.set(name, JSON.parse(readFileSync(file, 'utf8')));
      }
    }, { timeout: 110_000 });
    after(() => rmSync(out, { recursive: true, force: true }));

    for (const name of names)
      test(name, () => {
        const found = checks.get(name);
        assert.ok(found, `it ran; there are ${[...checks.keys()]}`);
        assert.ok(found.some(({ status }) => status === 'SUCCESS'));
        const failed = found.filter(({ status, id }) => status === 'FAILURE' && !notOurs.has(id));
        assert.deepEqual(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`), []);
      });
  });
}
