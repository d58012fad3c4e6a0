// The page of `memd web` in headless Chromium: read, searched, followed, and attacked.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { checked, launch } from './support/chromium.mjs';
import { demoStore } from './support/demo_store.mjs';
import { open, serve } from './support/web.mjs';

const sizes = { desktop: { width: 1280, height: 860 }, tablet: { width: 820, height: 1100 }, phone: { width: 390, height: 800 } };

// Texts that other pages have run as markup or script.
const payloads = [
  '<script>document.title="taken"</script>', '</script><script>document.title="taken"</script>', '<img src=x onerror=alert(1)>', '<svg onload=alert(1)>',
  '"><svg/onload=alert(1)>', "'><img src=x onerror=alert(1)>", '<iframe src="javascript:alert(1)"></iframe>', '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)', '<body onload=alert(1)>', '<input autofocus onfocus=alert(1)>', '<details open ontoggle=alert(1)>', '<video><source onerror=alert(1)>',
  '<math><mi xlink:href="javascript:alert(1)">', '<style>*{display:none}</style>', '<link rel=stylesheet href=//evil.example/x.css>', '<base href=//evil.example>',
  '<meta http-equiv=refresh content="0;url=//evil.example">', '<object data=//evil.example>', '<embed src=//evil.example>', '<form action=//evil.example><button>x',
  '<template><script>alert(1)</script></template>', '<!--><script>alert(1)</script>', '<![CDATA[<script>alert(1)</script>]]>', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><script>alert(1)</script></textarea>', '<title><img src=x onerror=alert(1)></title>', '<xmp><script>alert(1)</script>', '<plaintext>', '${alert(1)}',
  '{{constructor.constructor("alert(1)")()}}', '`${document.title="taken"}`', '<div style="background:url(//evil.example)">', '<p style="position:fixed;inset:0">', '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u202e<script>alert(1)</script>', '<scr\u0000ipt>alert(1)</scr\u0000ipt>', '```html\n<script>alert(1)</script>\n```', '**<img src=x onerror=alert(1)>**', '__proto__[x]=<svg onload=alert(1)>',
];

let home;
let memd;
let browser;
let web;

const show = async (page, hash) => {
  await page.evaluate((to) => { location.hash = to; }, hash);
};

before(async () => {
  ({ home, memd } = await demoStore((h) => {
    const session = h.session({ cwd: '/home/ada/src/<img src=x onerror=alert(1)>', branch: '<svg onload=alert(1)>', start: '2026-07-06T10:00:00Z' });
    for (const payload of payloads)
      session.prompt(`Read this: ${payload}`).tool('Bash', { command: `echo '${payload}'` }, payload, true)
        .tool('Edit', { file_path: `/home/ada/${payload}.js`, old_string: payload, new_string: `${payload}!` }, 'The file has been updated.').answer(payload);
    // Each also as the name of what lists show: a project, a branch, a title, a tool; and as a decision.
    payloads.forEach((payload, i) => h.session({ cwd: `/home/ada/src/${payload.replaceAll(/[/\0\n]/g, '_')}`, branch: payload, start: `2026-07-05T${10 + (i >> 3)}:${10 + (i & 7) * 6}:00Z` })
      .prompt(`We want ${payload} instead of quotes because it breaks pages.`).choose('Which quotes?', payload).tool(payload, { command: payload }, payload).answer(`I will use ${payload}.`).title(payload));
    session.title(`Zebra ${payloads[1]}`);
    // Calls at the same time, answered in another order; two projects of one name.
    const calls = h.session({ cwd: '/home/ada/one/twin', branch: 'main', start: '2026-07-04T10:00:00Z' }).prompt('Look at both giraffes.');
    const ids = [['Read', { file_path: '/home/ada/one/twin/a.txt' }], ['Read', { file_path: '/home/ada/one/twin/b.txt' }]].map(([name, input], i) => {
      calls.assistant({ type: 'tool_use', id: `toolu_giraffe_${i}`, name, input }, 'tool_use');
      return `toolu_giraffe_${i}`;
    });
    for (const [i, isError] of [[1, true], [0, false]])
      calls.chained('user', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: ids[i], content: `result of ${'ab'[i]}`, is_error: isError }] } });
    calls.tool('Edit', { file_path: '/home/ada/one/twin/a.txt', old_string: 'short neck\n  spots', new_string: 'long neck\n  spots', replace_all: false }, 'The file has been updated.')
      .answer('Both giraffes are right.');
    h.session({ cwd: '/home/ada/two/twin', branch: 'main', start: '2026-07-04T11:00:00Z' }).prompt('And here?').answer('Nothing.');
  }));
  const file = join(home.root, 'memory.md');
  writeFileSync(file, `What ${payloads[0]} says.\n`);
  await memd('memory', 'write', '--type', 'learning', '--title', `Rules ${payloads[2]}`, '--slug', 'learning-rules', file);
  browser = await launch();
  web = await serve(home);
});

after(async () => {
  await browser?.close();
  await web?.stop();
  home?.remove();
});

test('the library is the one of the lock file', () => {
  const kept = readFileSync(new URL('../../daemon/report/page/htm-preact.js', import.meta.url));
  const packed = readFileSync(new URL('node_modules/htm/preact/standalone.umd.js', import.meta.url));
  assert.ok(kept.equals(packed), 'npm has checked the package by its integrity');
});

describe('views', () => {
  for (const [name, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'])
      test(`all views have no finding of axe: ${name}, ${colorScheme}`, async () => {
        const { page, problems, close } = await open(browser, web, { viewport, colorScheme });
        const fits = async (what) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width, what);
        await checked(page, 'sessions');
        await page.locator('.search').fill('upload race');
        await page.locator('.row.hit').first().waitFor();
        await checked(page, 'hits');
        await page.locator('.row.hit').first().click();
        await page.locator('.turn').first().waitFor();
        await page.locator('.turn summary').first().click();
        await checked(page, 'reading');
        await fits('reading');
        await show(page, '#/usage');
        await page.locator('table.usage tbody tr').first().waitFor();
        await checked(page, 'usage');
        await fits('usage');
        await show(page, '#/memories');
        await page.locator('.search').fill('');
        await page.locator('.two .row').first().waitFor();
        await checked(page, 'list of memories');
        if (name !== 'desktop') await page.getByRole('link', { name: 'Graph' }).click();
        await page.locator('.graph .memory').first().click();
        await page.locator('.memory-graph .panel h3').waitFor();
        await checked(page, 'graph');
        await fits('graph');
        await show(page, '#/memories/learning-rules');
        await page.locator('.memory h2').waitFor();
        await checked(page, 'memories');
        await fits('memories');
        await show(page, '#/files/limiter.py');
        await page.locator('.uses li').first().waitFor();
        await checked(page, 'files');
        await fits('files');
        await show(page, '#/report');
        await page.locator('#gaps').waitFor();
        await page.locator('.sessions button.plain').first().click();
        await page.locator('.sessions .panel').waitFor();
        await checked(page, 'report');
        await fits('report');
        assert.deepEqual(problems, []);
        await close();
      });

  test('a session is read from start to end, with what was run where it stands', async () => {
    const { page, problems, close } = await open(browser, web);
    await page.locator('.search').fill('rate limiter token bucket sliding window');
    await page.locator('.row.hit').first().click();
    await page.locator('.turn').first().waitFor();
    const turn = page.locator('.turn').first();
    const kinds = await turn.locator(':scope > div, :scope > details').evaluateAll((all) => all.map((node) => node.className));
    assert.ok(kinds[0].includes('user') && kinds.includes('steps') && kinds.at(-1).includes('agent'), kinds.join());
    await turn.locator('.steps > summary').first().click();
    await turn.locator('.step summary').first().click();
    assert.ok((await turn.locator('.step pre').count()) > 0);
    await page.getByRole('button', { name: 'Continue in its agent' }).click();
    assert.match(await page.locator('dialog[open] pre').innerText(), /claude --resume/);
    await page.keyboard.press('Escape');
    assert.deepEqual(problems, []);
    await close();
  });

  test('a result stands below its call, an edit as a diff, and a failure counts once', async () => {
    const { page, problems, close } = await open(browser, web);
    await page.locator('.search').fill('giraffes');
    await page.locator('.row.hit').first().click();
    const steps = page.locator('.steps').first();
    await steps.waitFor();
    assert.match(await steps.locator(':scope > summary').innerText(), /^3 tool calls · 1 failed/);
    for (const summary of await steps.locator('summary').all()) await summary.click();
    const texts = await steps.locator('.step').allInnerTexts();
    const of = (name) => texts.find((text) => text.startsWith(`Read ${name}`)) ?? texts.join(' | ');
    assert.match(of('a.txt'), /result of a/);
    assert.match(of('b.txt'), /result of b/);
    assert.deepEqual(await steps.locator('.diff .removed').allInnerTexts(), ['-short neck', '-  spots']);
    assert.deepEqual(await steps.locator('.diff .added').allInnerTexts(), ['+long neck', '+  spots']);
    assert.deepEqual(problems, []);
    await close();
  });

  test('keys', async () => {
    const { page, problems, close } = await open(browser, web);
    await page.keyboard.press('?');
    assert.ok(await page.locator('dialog[open]').isVisible());
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    assert.equal(await page.evaluate(() => [...document.querySelectorAll('.list .row')].indexOf(document.activeElement)), 1);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.locator('.turn').first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.reading').count(), 0);
    await page.keyboard.press('/');
    await page.keyboard.type('upload');
    await page.locator('.row.hit').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.row:not(.hit)').first().waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('filters choose sessions', async () => {
    const { page, close } = await open(browser, web);
    await page.getByLabel('Agent').selectOption('codex');
    await page.waitForFunction(() => [...document.querySelectorAll('.list .facts')].every((node) => node.textContent.startsWith('Codex')));
    await page.getByRole('button', { name: 'By project' }).click();
    await page.locator('h2.day', { hasText: 'atlas' }).waitFor();
    await page.getByRole('searchbox', { name: 'Project' }).fill('no such project');
    await page.locator('.list .empty').waitFor();
    await close();
  });

  test('the project of the filter is summarised', async () => {
    const { page, problems, close } = await open(browser, web);
    await page.getByRole('searchbox', { name: 'Project' }).fill('atlas');
    const project = page.getByRole('region', { name: 'Project' });
    await project.getByRole('heading', { name: 'atlas' }).waitFor();
    assert.match(await project.innerText(), /\d+ sessions?, \d+ turns?/);
    await checked(page, 'project');
    assert.match(await project.innerText(), /Open[^]*: failed \(tests failed/);
    assert.equal(await project.getByRole('link', { name: /^src\/tiles\/cache\.ts$/ }).count(), 1, 'a path from the project on');
    assert.deepEqual(problems, []);
    await page.getByRole('searchbox', { name: 'Project' }).fill('twin');
    await page.locator('.nothing .empty', { hasText: 'fits 2 projects' }).waitFor();
    assert.match(await page.locator('.nothing .empty').innerText(), /^twin fits 2 projects; name one by:\none\/twin \(/);
    await close();
  });

  test('a phone shows the project, too', async () => {
    const { page, problems, close } = await open(browser, web, { viewport: sizes.phone });
    await page.getByRole('searchbox', { name: 'Project' }).fill('atlas');
    await page.getByRole('link', { name: 'About this project' }).click();
    await page.getByRole('region', { name: 'Project' }).getByRole('heading', { name: 'atlas' }).waitFor();
    await checked(page, 'project on a phone');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.locator('.list .row').first().waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('a memory is held against git', async () => {
    const { page, problems, close } = await open(browser, web);
    const found = { slug: 'learning-rules', status: 'stale', base: '0123456789abcdef', commits: [{ sha: 'fedcba9876543210', subject: 'Use spaces' }] };
    await page.route('**/api/memory_verify', (route) => route.fulfill({ json: { memories: [found] } }));
    await show(page, '#/memories/learning-rules');
    await page.locator('.memory h2').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Verify' }).count(), 0, 'it belongs to no repository');
    await page.locator('.filters select').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('.memory [role=status]', { hasText: 'stale · since 0123456789ab · fedcba987654 Use spaces' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('a memory is edited, deleted and brought back', async () => {
    const { page, problems, close } = await open(browser, web);
    await show(page, '#/memories/learning-rules');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text').fill('Something else.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.memory .prose', { hasText: 'Something else.' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.memory .prose', { hasText: 'Something else.' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });
});

describe('the first page', () => {
  // Opens it with its script held back: {page, problems, release(), close()}.
  const held = async (at) => {
    const server = await serve(at);
    const context = await browser.newContext({ viewport: sizes.desktop, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const problems = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('dialog', (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    let release;
    const go = new Promise((resolve) => { release = resolve; });
    await page.route('**/page.js', async (route) => { await go; await route.continue(); });
    await page.goto(server.address, { waitUntil: 'commit' });
    await page.locator('.list .row').first().waitFor();
    return { page, problems, server, release, close: async () => { release(); await context.close(); await server.stop(); } };
  };
  // What is seen of it, and where.
  const seen = (page) => page.evaluate(() => [...document.querySelectorAll('.top > *, .top a, .filters > *, .told > *, .list .day, .list .row, .list .row span, .list time')]
    .filter((node) => !node.matches('.live') && node.getBoundingClientRect().width > 0 && node.getBoundingClientRect().bottom < innerHeight)
    .map((node) => [node.tagName, node.className, node.matches('select') ? '' : node.textContent.replace(/\n */g, ''), node.getAttribute('href'), ...['x', 'y', 'width', 'height'].map((side) => Math.round(node.getBoundingClientRect()[side]))].join(' ')));

  test('is what the script draws, element by element, in the same places', async () => {
    await memd('ingest', '--once').catch(() => {}); // what the tests before this one wrote, unless it is read already
    const { page, problems, release, close } = await held(home);
    const before = await seen(page);
    assert.ok(before.filter((one) => one.includes('row')).length > 5);
    await checked(page, 'before the script is here');
    await page.evaluate(() => { window.kept = [...document.querySelectorAll('.list .row')].slice(0, 5); });
    release();
    await page.waitForFunction(() => performance.getEntriesByName('first-list').length);
    assert.deepEqual(await seen(page), before);
    assert.ok(await page.evaluate(() => window.kept.every((row) => row.isConnected)), 'the rows are taken over');
    assert.equal(await page.evaluate(() => location.pathname + location.search), '/', 'the ticket has left the address');
    assert.deepEqual(problems, []);
    await close();
  });

  test('takes keys before its script is here', async () => {
    const { page, problems, release, close } = await held(home);
    await page.keyboard.press('j');
    await page.keyboard.press('/');
    await page.keyboard.type('upload race');
    release();
    await page.locator('.row.hit').first().waitFor();
    assert.equal(await page.locator('.search').inputValue(), 'upload race');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.row:not(.hit)').first().waitFor();
    assert.deepEqual(problems, []);
    await close();
    const other = await held(home);
    await other.page.keyboard.press('j');
    other.release();
    await other.page.waitForFunction(() => document.activeElement.matches('.list .row'));
    await other.close();
  });

  test('opens once', async () => {
    const server = await serve(home);
    const read = async () => (await fetch(`${server.origin}/${new URL(server.address).search}`)).text();
    assert.match(await read(), /id="first-list">{/);
    assert.match(await read(), /id="first-list"><\/script>/);
    await server.stop();
  });

  test('texts of history stay text in it', async () => {
    for (const some of [payloads.slice(0, 20), payloads.slice(20)]) {
      const { home: small } = await demoStore((h) => some.forEach((payload, i) => h.session({ cwd: `/home/ada/src/${payload.replaceAll(/[/\0\n]/g, '_')}`, branch: payload, start: new Date(Date.now() - (i + 1) * 60_000).toISOString() })
        .prompt(`We want ${payload}.`).answer('Yes.').title(payload)));
      const { page, problems, close } = await held(small);
      const titles = await page.locator('.list .title').allTextContents();
      for (const payload of some) {
        const shown = payload.replaceAll(/[\u0000\u202e]/g, '').split('\n')[0].slice(0, 30);
        assert.ok(titles.some((title) => title.replaceAll(/[\u0000\u202e\ufffd]/g, '').includes(shown)), `${payload} in ${titles.join(' | ')}`);
      }
      assert.equal(await page.locator('img, svg, iframe, object, embed, form, base, #app script, #app style, #app link, #app [style], [onload], [onerror]').count(), 0);
      assert.equal(await page.title(), 'memd');
      assert.deepEqual(problems, []);
      await close();
      small.remove();
    }
  });
});

describe('attacks', () => {
  test(`${payloads.length} texts of history stay text`, async () => {
    const { page, problems, close } = await open(browser, web);
    await page.locator('.row', { hasText: 'Zebra' }).first().click();
    const read = new Set();
    await page.locator('.turn').first().waitFor();
    for (let turn = 0; turn < payloads.length; ++turn) {
      await page.evaluate((n) => new Promise((drawn) => { // the rows of the place are asked for in the frame after the scroll
        const box = document.querySelector('.reading .scroller');
        box.scrollTop = (box.scrollHeight * n) / 40;
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      }), turn);
      await page.waitForFunction(() => !document.querySelector('.reading .waiting'));
      await page.evaluate(() => document.querySelectorAll('.turn details').forEach((one) => { one.open = true; }));
      for (const text of await page.locator('.turn .said.user').allTextContents()) read.add(text);
    }
    for (const payload of payloads) {
      const shown = payload.replaceAll(/```html\n|\n```|\*\*|`|[\u0000\u202e]/g, ''); // markup of Markdown, and what misleads the eye
      assert.ok([...read].some((text) => text.replaceAll(/[\u0000\u202e�]/g, '').includes(shown)), payload);
    }
    const isText = async (where) => {
      assert.equal(await page.locator(`img, svg:not(.chart):not(.heat), iframe, object, embed, form:not(.editor), base, #app script, #app style, #app link`).count(), 0, where);
      assert.ok(!(await page.title()).includes('taken'), where);
      assert.deepEqual(problems.filter((one) => !one.startsWith('Failed to load resource')), [], where); // a project that there is not
    };
    await isText('reading');
    await show(page, '#/files/home');
    await page.locator('.uses li').first().waitFor();
    await isText('files');
    await page.locator('.search').fill('Zebra onerror');
    await page.locator('.row.hit').first().waitFor();
    await isText('hits');
    await page.locator('.search').fill('');
    await page.getByRole('button', { name: 'By project' }).click();
    for (const payload of payloads) { // a project of that name, summarised
      await page.getByRole('searchbox', { name: 'Project' }).fill(payload.replaceAll(/[/\0\n]/g, '_').slice(0, 60));
      await page.waitForFunction(() => !document.querySelector('.told').textContent.includes('…'));
      await isText(`project ${payload}`);
    }
    await page.getByRole('searchbox', { name: 'Project' }).fill('');
    await show(page, '#/usage');
    for (const by of ['model', 'project', 'branch', 'session']) {
      await page.getByRole('button', { name: by, exact: true }).click();
      await page.locator('table.usage tbody tr').first().waitFor();
      await isText(`usage by ${by}`);
    }
    await show(page, '#/report');
    await page.locator('#gaps').waitFor();
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('quotes');
    for (let i = 0; i < 20; ++i) await page.locator('.sessions button.plain').nth(i).click();
    await page.locator('.sessions .panel').nth(19).waitFor();
    await isText('report');
    await show(page, '#/memories');
    await page.locator('.two .row').first().waitFor();
    await isText('memories');
    await close();
  });

  const asked = (path, headers, { method = 'GET', body } = {}) => new Promise((resolve, reject) => {
    const made = request({ host: '127.0.0.1', port: web.port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      response.destroy();
    });
    made.once('error', reject);
    made.end(body);
  });
  const api = (headers = {}) => asked('/api/list_sessions', { 'Content-Type': 'application/json', Authorization: `Bearer ${web.token}`, ...headers }, { method: 'POST', body: '{}' });

  test('nobody else is answered', async () => {
    assert.equal(await api(), 200);
    assert.equal(await api({ Authorization: '' }), 401);
    assert.equal(await api({ Authorization: `Bearer ${'0'.repeat(64)}` }), 401);
    assert.equal(await api({ Host: 'rebound.example' }), 403);
    assert.equal(await api({ Host: `rebound.example:${web.port}` }), 403);
    assert.equal(await api({ Origin: 'http://evil.example' }), 403);
    assert.equal(await api({ Origin: 'null' }), 403);
    assert.equal(await asked('/', { Host: 'rebound.example' }), 403);
    assert.equal(await asked('/live', {}), 401);
    assert.equal(await asked('/api/forget', { 'Content-Type': 'application/json', Authorization: `Bearer ${web.token}` }, { method: 'POST', body: '{}' }), 404);
  });

  test('the token of an earlier start opens nothing, and the page says so', async () => {
    const other = await serve(home);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${other.origin}/#token=${web.token}`);
    await page.locator('.problem').first().waitFor();
    assert.equal(await page.locator('.row').count(), 0);
    await context.close();
    await other.stop();
  });

  test('another page reads nothing', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto('data:text/html,<title>evil</title>');
    const got = await page.evaluate(async ([origin, token]) => {
      const one = await fetch(`${origin}/api/list_sessions`, { method: 'POST', mode: 'cors', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }, body: '{}' }).then(() => 'read', () => 'refused');
      const two = await fetch(`${origin}/`).then(() => 'read', () => 'refused');
      return [one, two];
    }, [web.origin, web.token]);
    assert.deepEqual(got, ['refused', 'refused']);
    await context.close();
  });
});
