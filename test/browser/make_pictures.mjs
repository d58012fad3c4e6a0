// Pictures for the README: make_pictures.mjs FOLDER
import { join } from 'node:path';

import { launch, openPage } from './support/chromium.mjs';
import { demoStore } from './support/demo_store.mjs';

const folder = process.argv[2];
const { home, memd } = await demoStore();
const browser = await launch();
try {
  const file = join(home.root, 'report.html');
  await memd('report', '-o', file);
  const { page } = await openPage(browser, `file://${file}`, { colorScheme: 'light', viewport: { width: 1180, height: 1010 } });
  // The time of creation would change each picture.
  await page.evaluate(() => (document.getElementById('scope').textContent = ''));
  await page.screenshot({ path: join(folder, 'report.png') });
} finally {
  await browser.close();
  home.remove();
}
