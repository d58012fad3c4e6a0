// memd web, and its page in a tab.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// Starts memd web for a Home: {origin, token, address, port, stop()}.
export async function serve(at) {
  const child = spawn(process.env.MEMD_BINARY, ['--data-dir', at.data, '--home', at.dir, 'web'], { env: { HOME: at.dir, PATH: process.env.PATH, XDG_RUNTIME_DIR: at.root } });
  const [address] = await Promise.race([new Promise((resolve) => createInterface(child.stdout).once('line', (line) => resolve([line]))),
    new Promise((_, reject) => child.once('exit', (code) => reject(new Error(`memd web ended: ${code}`))))]);
  const url = new URL(address);
  return { child, address, origin: url.origin, port: Number(url.port), token: url.hash.replace('#token=', ''), stop: () => new Promise((resolve) => { child.once('exit', resolve); child.kill(); }) };
}

// Returns {page, problems, close}: `problems` are console errors, exceptions, and requests to elsewhere.
export async function open(browser, at, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (made) => !made.url().startsWith(`${at.origin}/`) && !made.url().startsWith('data:') && problems.push(`request: ${made.url()}`));
  await page.goto(at.address);
  await page.locator('.list .row').first().waitFor();
  return { page, problems, close: () => context.close() };
}
