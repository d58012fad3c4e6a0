#!/usr/bin/env node
// Starts memd: $MEMD, the program of this package's platform package, or else one that is installed on this machine.
'use strict';
const { spawn } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join } = require('node:path');

let packaged;
try {
  packaged = require.resolve(`memd-mcp-${process.platform}-${process.arch}/bin/memd`);
} catch {} // npm left it out, or has none for this machine
const places = [process.env.MEMD, packaged, join(homedir(), '.local/bin/memd'), '/usr/bin/memd', '/usr/local/bin/memd', '/opt/homebrew/bin/memd'];
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
  console.error('memd-mcp: there is no program for this machine, nor is memd installed; $MEMD may name one');
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
