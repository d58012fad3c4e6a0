#!/usr/bin/env node
// Starts the memd that is installed on this machine. Neither contains nor downloads a program.
'use strict';
const { spawn } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join } = require('node:path');

const places = [process.env.MEMD, join(homedir(), '.local/bin/memd'), '/usr/bin/memd', '/usr/local/bin/memd', '/opt/homebrew/bin/memd'];
for (const directory of (process.env.PATH ?? '').split(delimiter)) places.push(directory && join(directory, 'memd'));
const memd = places.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});
if (!memd) {
  console.error('memd-mcp: memd is not installed, or not executable; $MEMD may name it');
  process.exit(1);
}
const args = process.argv.length > 2 ? process.argv.slice(2) : ['--stdio'];
const child = spawn(memd, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`memd-mcp: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
