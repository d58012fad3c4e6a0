// The page of `memd web` over 5,000 sessions, one of 6,000 turns, and one that runs.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { Home } from '../e2e/support/history.mjs';
import { launch } from './support/chromium.mjs';
import { open, serve } from './support/web.mjs';

let browser;
let large;
let daemon;
let running;
let server;
before(async () => {
  large = new Home();
  const events = join(large.root, 'events.jsonl');
  const lines = [];
  let id = 0;
  const add = (session_id, at, actor, text) => lines.push(JSON.stringify({ v: 1, id: `e${++id}`, ts: new Date(at).toISOString(), session_id, actor, kind: 'message', body: { cwd: `/home/ada/src/p${id % 40}`, text } }));
  const start = Date.UTC(2026, 0, 5);
  for (let i = 0; i < 5000; ++i) {
    add(`codex:many-${i}`, start + i * 600_000, 'user', `Question ${i} about the parser`);
    add(`codex:many-${i}`, start + i * 600_000 + 5000, 'agent', `Answer ${i}.`);
  }
  for (let i = 0; i < 6000; ++i) {
    add('codex:long', start + i * 60_000, 'user', `Turn number ${i + 1} of the long one`);
    add('codex:long', start + i * 60_000 + 5000, 'agent', `Said ${i + 1}. ${'More of it. '.repeat(i % 30)}`);
  }
  writeFileSync(events, `${lines.join('\n')}\n`);
  running = large.session({ cwd: '/home/ada/src/live', branch: 'main', start: new Date().toISOString() }).prompt('Begin.').answer('Begun.').title('The one that runs');
  const env = { HOME: large.dir, PATH: process.env.PATH, XDG_RUNTIME_DIR: large.root };
  const run = promisify(execFile);
  await run(process.env.MEMD_BINARY, ['--data-dir', large.data, '--home', large.dir, 'import', events], { env });
  daemon = spawn(process.env.MEMD_BINARY, ['--data-dir', large.data, '--home', large.dir, '--socket'], { env });
  await new Promise((resolve) => createInterface(daemon.stderr).on('line', (line) => line.includes('listening') && resolve()));
  browser = await launch();
  server = await serve(large);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  daemon?.kill();
  large?.remove();
});

test('5,000 sessions: the first of them are there at once, and all can be reached', async () => {
  const { page, problems, close } = await open(browser, server);
  await page.reload();
  await page.locator('.list .row').first().waitFor();
  const took = await page.evaluate(() => performance.getEntriesByName('first-list')[0].startTime);
  console.log(`# first list after ${Math.round(took)} ms`);
  const sent = await page.evaluate(() => performance.getEntriesByName(`${location.origin}/api/list_sessions`)[0].startTime - performance.getEntriesByName('drawn')[0].startTime);
  assert.ok(sent < 0, `the list is asked for ${sent} ms after the page is drawn`);
  assert.ok(took < 1000, `${took} ms; 200 are the aim on a machine that does nothing else`);
  await page.waitForFunction(() => document.querySelector('.told').textContent.includes('5,00'));
  await page.waitForFunction(() => { const box = document.querySelector('.list .scroller'); box.scrollTop = box.scrollHeight; return document.querySelector('.list').textContent.includes('Question 0 '); });
  assert.ok((await page.locator('.list .row').count()) < 60);
  assert.deepEqual(problems, []);
  await close();
});

test('the first list waits for no Intl, whose first use is slow, and its numbers and times are those of Intl', async () => {
  const context = await browser.newContext({ timezoneId: 'Asia/Kathmandu' });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.made = [];
    for (const name of ['NumberFormat', 'DateTimeFormat'])
      Intl[name] = new Proxy(Intl[name], { construct: (what, args) => { window.made.push(name); return Reflect.construct(what, args); } });
  });
  await page.goto(server.address);
  await page.locator('.list .row').first().waitFor();
  assert.deepEqual(await page.evaluate(() => window.made), []);
  const differ = await page.evaluate(() => {
    const [whole, compact] = [{}, { notation: 'compact', maximumFractionDigits: 1 }].map((how) => new Intl.NumberFormat('en', how));
    const numbers = [0, 7, 999, 1000, 1049, 1050, 12345, 999949, 999950, 1234567, 5e9, 7.6e12].filter((n) => num(n) !== whole.format(n) || short(n) !== compact.format(n));
    const times = ['2026-02-05T18:20:00Z', '2026-12-31T23:59:59Z'].filter((time) => `${isoDay(time)} ${timeOf(time)}` !== new Date(time).toLocaleString('sv').slice(0, 16));
    return [...numbers, ...times];
  });
  assert.deepEqual(differ, []);
  await context.close();
});

test('6,000 turns: to the end, to the middle, and few of them are in the page', async () => {
  const { page, problems, close } = await open(browser, server);
  await page.evaluate(() => { location.hash = `#/s/${encodeURIComponent('codex:long')}`; });
  await page.locator('.turn').first().waitFor();
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.locator('.turn', { hasText: 'Turn number 6000 of' }).waitFor();
  assert.ok((await page.locator('.turn').count()) < 60);
  await page.evaluate(() => { const box = document.querySelector('.reading .scroller'); box.scrollTop = box.scrollHeight / 2; });
  await page.locator('.turn', { hasText: /Turn number (2|3)\d\d\d of/ }).first().waitFor();
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const box = document.querySelector('.reading .scroller');
    let n = 0;
    let worst = 0;
    let last = performance.now();
    const step = (now) => {
      worst = Math.max(worst, now - last);
      last = now;
      box.scrollTop += 120;
      if (++n < 60) requestAnimationFrame(step);
      else resolve(Math.round(worst));
    };
    requestAnimationFrame(step);
  }));
  console.log(`# longest frame while scrolling: ${frames} ms`);
  assert.deepEqual(problems, []);
  await close();
});

test('a turn of a running session comes on the screen by itself', async () => {
  const { page, problems, close } = await open(browser, server);
  await page.locator('.row', { hasText: 'The one that runs' }).first().click();
  await page.locator('.turn', { hasText: 'Begun.' }).waitFor();
  running.time = Date.now();
  const began = Date.now();
  running.prompt('And now something new.').answer('It is on the screen.');
  await page.locator('.turn', { hasText: 'And now something new.' }).waitFor();
  const took = Date.now() - began;
  console.log(`# live turn after ${took} ms`);
  assert.ok(took < 3000, `${took} ms; 500 are the aim on a machine that does nothing else`);
  assert.deepEqual(problems, []);
  await close();
});
