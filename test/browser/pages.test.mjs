// The report and an exported session in headless Chromium: rendered without a request or an error, and clicked.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { checked, launch, openPage } from './support/chromium.mjs';
import { demoStore } from './support/demo_store.mjs';

// As a title of a session: 80 characters with "Zebra ".
const hostile = '</script><script>document.title="taken"</script><svg onload=alert(2)>';

let home;
let memd;
let browser;
let report;
let session;
let map;

// Six memories: a hub, two that are linked, and one without links.
async function writeMemories() {
  const write = async (type, title, slug) => {
    const file = join(home.root, 'memory.md');
    writeFileSync(file, `What ${title} says.\n`);
    await memd('memory', 'write', '--type', type, '--title', title, '--slug', slug, '--tags', 'demo', file);
  };
  await write('hub', 'How uploads work', 'hub-uploads');
  for (let i = 0; i < 6; ++i) {
    await write(i % 2 ? 'decision' : 'learning', i ? `Upload rule ${i}` : hostile.slice(0, 150), `upload-${i}`);
    await memd('memory', 'link', `upload-${i}`, 'hub-uploads', '--label', 'part-of');
  }
  await memd('memory', 'link', 'upload-1', 'upload-2', '--label', 'supersedes');
  await write('gotcha', 'Nobody knows me', 'gotcha-alone');
}

before(async () => {
  ({ home, memd } = await demoStore((h) =>
    h
      .session({ cwd: `/home/ada/src/${hostile.replaceAll('/', '_')}`, branch: hostile, start: '2026-07-06T10:00:00Z' })
      .prompt(`Read this: ${hostile}\n\nWe want ${hostile} instead of quotes because it breaks pages.`)
      .choose('Which quotes?', hostile)
      .tool('Bash', { command: `echo '${hostile}'` }, hostile, true)
      .tool('Edit', { file_path: `/home/ada/${hostile}.js`, old_string: 'a', new_string: 'b' }, 'The file has been updated.')
      .answer(`Done.\n\n\`\`\`html\n${hostile}`)
      .title(`Zebra ${hostile}`)));
  await writeMemories();
  report = join(home.root, 'report.html');
  map = join(home.root, 'memories.html');
  await memd('memory', 'graph', '--html', '-o', map);
  session = join(home.root, 'session.html');
  await memd('report', '-o', report);
  await memd('export', 'latest', '--format', 'html', '-o', session);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  home?.remove();
});

const opened = (file, options) => openPage(browser, `file://${file}`, options);
const quiet = ({ problems, requests }) => {
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, []);
};

describe('the report', () => {
  for (const colorScheme of ['light', 'dark'])
    test(`draws all its parts, ${colorScheme}, without a request or an error`, async () => {
      const tab = await opened(report, { colorScheme });
      const { page } = tab;
      for (const id of ['overview', 'activity', 'sessions', 'topics', 'memories', 'tokens', 'files', 'tools', 'coverage', 'gaps'])
        assert.equal(await page.locator(`#${id} .empty`).count(), 0, id);
      const days = await page.evaluate(() => {
        const all = JSON.parse(document.getElementById('data').textContent).activity.map((row) => row.day).filter(Boolean);
        return Math.min((Math.max(...all) - Math.min(...all)) / 86_400_000, 52 * 7) + 1;
      });
      assert.equal(await page.locator('.heat rect').count(), days, 'the calendar fits its span');
      assert.ok((await page.locator('#activity .session').count()) > 5);
      assert.ok((await page.locator('#tokens svg .fill').count()) > 50);
      assert.equal(await page.title(), 'memd report');
      const brightness = await page.evaluate(() => {
        const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
        return r + g + b;
      });
      assert.ok(colorScheme === 'light' ? brightness > 600 : brightness < 150, `${brightness}`);
      await checked(page, 'report');
      quiet(tab);
      await tab.close();
    });

  test('is readable by its owner only', () => assert.equal(statSync(report).mode & 0o777, 0o600));

  test('sessions are sorted, searched, filtered and opened', async () => {
    const tab = await opened(report);
    const { page } = tab;
    const titles = () => page.locator('.sessions .title').allTextContents();
    const numbers = async () => (await page.locator('.sessions tbody td:nth-child(4)').allTextContents()).map(Number);
    await page.locator('#sessions th button', { hasText: 'Turns' }).click();
    const down = await numbers();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    await page.locator('#sessions th button', { hasText: 'Turns' }).click();
    const up = await numbers();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.ok(down[0] > up[0]);
    assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);

    const before = (await titles()).length;
    await page.getByRole('button', { name: /^Show \d+ more$/ }).first().click();
    assert.ok((await titles()).length > before);
    await page.getByLabel('Agent').first().selectOption('codex');
    assert.ok((await page.locator('.sessions .where').allTextContents()).every((where) => where.startsWith('Codex')));
    await page.getByLabel('Agent').first().selectOption('');
    await page.getByRole('searchbox').fill('zebra');
    assert.deepEqual(await titles(), [`Zebra ${hostile}`]);

    const row = page.locator('.sessions button.plain');
    await row.focus();
    await page.keyboard.press('Enter');
    assert.equal(await row.getAttribute('aria-expanded'), 'true');
    const panel = await page.locator('.panel').innerText();
    assert.ok(panel.includes(`Read this: ${hostile}`), panel);
    assert.match(panel, /Decisions/);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.panel').count(), 0);
    await page.getByRole('searchbox').fill('there is no such session');
    assert.match(await page.locator('#sessions [role="status"]').innerText(), /No session fits/);
    quiet(tab);
    await tab.close();
  });

  test('a day of the heat map and a topic choose sessions; the keyboard moves', async () => {
    const tab = await opened(report);
    const { page } = tab;
    const first = page.locator('.heat rect[tabindex="0"]');
    await first.focus();
    const day = await first.getAttribute('data-day');
    await page.keyboard.press('ArrowLeft');
    assert.equal(Number(day) - Number(await page.evaluate(() => document.activeElement.dataset.day)), 7 * 86_400_000);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const chip = page.getByRole('button', { name: /^active on 2026-/ });
    assert.equal(await chip.count(), 1);
    const shown = await page.locator('#sessions [role="status"]').innerText();
    await chip.click();
    assert.notEqual(await page.locator('#sessions [role="status"]').innerText(), shown);
    const topic = page.locator('#topics td.topic button').first();
    await topic.click();
    assert.equal(await page.getByRole('searchbox').inputValue(), await topic.innerText());
    assert.ok((await page.locator('.sessions .title').count()) > 0);
    quiet(tab);
    await tab.close();
  });

  test('memories are a picture that is enlarged, moved and walked', async () => {
    for (const file of [report, map]) {
      const tab = await opened(file);
      const { page } = tab;
      const dots = page.locator('#memories .memory');
      assert.equal(await dots.count(), 8);
      assert.equal(await page.locator('#memories .edge').count(), 7, 'each edge once');
      // No two overlap, and all are in the box.
      const boxes = await page.locator('#memories .memory circle.fill').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ x, y, width }) => ({ x: x + width / 2, y: y + width / 2 })));
      const frame = await page.locator('.graph-box').boundingBox();
      for (const [i, one] of boxes.entries()) {
        assert.ok(one.x > frame.x && one.x < frame.x + frame.width && one.y > frame.y && one.y < frame.y + frame.height, `${i}`);
        for (const other of boxes.slice(i + 1)) assert.ok(Math.hypot(one.x - other.x, one.y - other.y) > 12, `${i}`);
      }
      const hub = page.locator('.memory[data-slug="hub-uploads"]');
      const where = async () => (await hub.boundingBox()).x;
      const before = await where();
      await page.getByRole('button', { name: 'Enlarge' }).click();
      assert.equal(await page.locator('.graph').getAttribute('data-zoom'), '1.50');
      await page.getByRole('button', { name: 'Fit all' }).click();
      assert.ok(Math.abs((await where()) - before) < 1);
      await page.locator('.graph-box').scrollIntoViewIfNeeded();
      const corner = await page.locator('.graph-box').boundingBox();
      await page.mouse.move(corner.x + 15, corner.y + 15);
      await page.mouse.down();
      await page.mouse.move(corner.x + 75, corner.y + 15);
      await page.mouse.up();
      assert.ok(Math.abs((await where()) - before - 60) < 2, 'moved');
      await page.getByRole('button', { name: 'Fit all' }).click();

      await hub.focus();
      await page.keyboard.press('Enter');
      const panel = page.locator('#memories .panel');
      assert.match(await panel.innerText(), /How uploads work[^]*hub-uploads[^]*contains /);
      assert.equal(await page.locator('.edge.chosen').count(), 6);
      assert.equal(await page.locator('.memory.faint').count(), 1);
      await panel.getByRole('button', { name: hostile.slice(0, 150) }).click();
      assert.ok((await panel.locator('h3').innerText()).startsWith('</script><script>'));
      await page.keyboard.press('Escape');
      await page.locator('#memories summary').click();
      assert.equal(await page.locator('#memories tbody tr').count(), 8);
      assert.match(await page.locator('#memories tbody').innerText(), /Nobody knows me\s+gotcha\s+global\s+0/);
      quiet(tab);
      await tab.close();
    }
  });

  test('tooltips tell what is under the pointer, as text', async () => {
    const tab = await opened(report);
    const { page } = tab;
    await page.locator('#activity .session').last().hover();
    assert.equal(await page.locator('#tip').isVisible(), true);
    assert.match(await page.locator('#tip').innerText(), /turn/);
    await page.locator('#tokens svg g').nth(5).hover();
    assert.match(await page.locator('#tip').innerText(), /2026-/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#tip').isVisible(), false);
    quiet(tab);
    await tab.close();
  });

  test('tokens and cost are shown by day', async () => {
    const tab = await opened(report);
    const { page } = tab;
    const bars = () => page.locator('#tokens svg .fill').count();
    const written = await bars();
    await page.getByLabel('What is shown').selectOption('cost');
    assert.ok((await bars()) > 0 && (await bars()) < written, 'only one agent reckons cost');
    assert.match(await page.locator('#tokens svg').innerHTML(), /\$\d/);
    quiet(tab);
    await tab.close();
  });

  test('days and times are of the zone it was made in', async () => {
    const file = join(home.root, 'zone.html');
    const config = join(home.dir, '.config', 'memd');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.yaml'), 'time_zone: Pacific/Kiritimati\n');
    await memd('report', '-o', file);
    rmSync(config, { recursive: true });
    const tab = await opened(file);
    const { page } = tab;
    assert.match(await page.locator('#scope').innerText(), /Pacific\/Kiritimati \(UTC\+14:00\)/);
    assert.match(await page.locator('#overview').innerText(), /days and times in Pacific\/Kiritimati/);
    await page.getByRole('searchbox').fill('zebra');
    await page.locator('.sessions button.plain').click();
    assert.match(await page.locator('.panel').innerText(), /2026-07-07 00:0\d to 2026-07-07/);
    quiet(tab);
    await tab.close();
  });

  test('the theme goes through system, light and dark', async () => {
    const tab = await opened(report, { colorScheme: 'light' });
    const { page } = tab;
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    const button = page.locator('#theme');
    await button.click();
    assert.equal(await background(), light);
    await button.click();
    assert.notEqual(await background(), light);
    assert.match(await button.innerText(), /dark/);
    await button.click();
    assert.equal(await background(), light);
    quiet(tab);
    await tab.close();
  });

  test('fits a phone, and a link opens a session', async () => {
    const tab = await opened(report, { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true });
    const { page } = tab;
    const id = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).sessions.find((s) => s.turns && s.files).id);
    await page.evaluate((uid) => (location.hash = `s=${encodeURIComponent(uid)}`), id);
    await page.locator('.panel').waitFor();
    assert.ok((await page.locator('.panel').innerText()).includes(id));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375);
    quiet(tab);
    await tab.close();
  });

  test('names and labels are there for those who do not see it', async () => {
    const tab = await opened(report);
    const { page } = tab;
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, a, svg')]
        .filter((node) => !(node.textContent.trim() || node.getAttribute('aria-label') || node.labels?.length))
        .map((node) => node.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('table')].filter((table) => !table.caption && !table.closest('.panel')).length), 0);
    quiet(tab);
    await tab.close();
  });

  test('a report of nothing says so', async () => {
    const empty = join(home.root, 'empty.html');
    await memd('report', '--project', 'no-such-project', '-o', empty);
    const tab = await opened(empty);
    assert.match(await tab.page.locator('#sessions').innerText(), /No session fits/);
    assert.match(await tab.page.locator('#overview').innerText(), /no history here yet|no-such-project/);
    quiet(tab);
    await tab.close();
  });
});

describe('an exported session', () => {
  test('unfolds, holds hostile text as text, and asks for nothing', async () => {
    const tab = await opened(session);
    const { page } = tab;
    assert.equal(await page.title(), `Zebra ${hostile}`);
    assert.ok((await page.locator('main').innerText()).includes(`Read this: ${hostile}`));
    assert.equal(await page.locator('details[open]').count(), 0);
    await page.locator('#unfold').click();
    assert.equal(await page.locator('details[open]').count(), await page.locator('details').count());
    assert.ok((await page.locator('pre').allTextContents()).some((text) => text.includes(hostile)));
    await checked(page, 'session');
    const turns = await page.locator('.exchange').count();
    await page.getByRole('searchbox').fill('no such words');
    assert.equal(await page.locator('.exchange:visible').count(), 0);
    await page.getByRole('searchbox').fill('read this');
    assert.ok(turns > 0 && (await page.locator('.exchange:visible').count()) > 0, 'search');
    assert.ok((await page.evaluate(() => CSS.highlights.get('found').size)) >= 2, 'both words are marked');
    await page.getByRole('searchbox').fill('');
    assert.equal(await page.evaluate(() => CSS.highlights.get('found').size), 0);
    quiet(tab);
    await tab.close();
  });
});
