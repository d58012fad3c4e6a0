// Headless Chromium of the system, with pages that report their errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const executable = execFileSync(fileURLToPath(new URL('../find_chromium.sh', import.meta.url)), { encoding: 'utf8' }).trim();

// Its sandbox does not run as root, nor in most containers, and only our own pages are opened. Containers have little
// shared memory.
export const launch = () => chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Fails on any finding of axe.
export async function checked(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], what);
}

// Returns {page, problems, requests, close}: `problems` are console errors and exceptions, `requests` all requests but
// the page itself.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => request.url() !== url.split('#')[0] && !request.url().startsWith('data:') && requests.push(request.url()));
  await page.goto(url);
  return { page, problems, requests, close: () => context.close() };
}
