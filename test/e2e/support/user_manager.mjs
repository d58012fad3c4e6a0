// A systemd user manager for one test, in its own namespaces: with its own /run, and without access to the user's.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { binary, environment, eventually } from './memd.mjs';

const systemd = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd'].find(existsSync);
// Paths of home and program inside: units do not see /tmp (PrivateTmp=).
const insideHome = '/run/ada';
const insideProgram = '/run/memd/bin';
const runtime = `/run/user/${process.getuid()}`;

const start = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /run
mkdir -p -m 0755 /run/systemd/system ${insideHome} ${insideProgram} /run/user
mkdir -m 0700 ${runtime}
# What the system's manager makes: units mount it over what they may not see.
cd /run/systemd && mkdir -m 0 inaccessible inaccessible/dir && cd inaccessible
mkfifo -m 0 fifo && mknod -m 0 chr c 0 0 && mknod -m 0 blk b 0 0 && touch reg sock && chmod 0 reg sock && cd /
mount --bind "$1" ${insideHome}
mount --bind "$2" ${insideProgram}
"$3" --user --log-level=err`;

// Returns why there can be no user manager here; false if there can.
export function whyNoUserManager() {
  if (!systemd) return 'there is no systemd here';
  if (process.getuid() !== 0) return 'control groups need root here';
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there are no namespaces here';
  }
}

export class UserManager {
  constructor(home) {
    this.home = home;
    this.env = { ...environment(home), HOME: insideHome, XDG_RUNTIME_DIR: runtime };
  }

  async start() {
    const words = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', start, 'sh', this.home.dir, dirname(binary), systemd];
    this.child = spawn('unshare', words, { env: this.env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.said = '';
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.said += text));
    const children = `/proc/${this.child.pid}/task/${this.child.pid}/children`;
    this.pid = await eventually('the namespaces are there', () => existsSync(children) && readFileSync(children, 'utf8').trim());
    const isUp = async () => ['running', 'degraded'].includes((await this.run('systemctl', '--user', 'is-system-running')).stdout.trim());
    await eventually(`the user manager is up: ${this.said}`, isUp, 20_000);
  }

  // Returns the command that runs `words` in the manager's namespaces, as its user.
  command(...words) {
    const env = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    return { command: 'nsenter', args: ['--target', this.pid, '--mount', '--pid', '--', 'env', '-i', ...env, ...words] };
  }

  run(...words) {
    const { command, args } = this.command(...words);
    return new Promise((resolve) => {
      execFile(command, args, { timeout: 60_000 }, (error, stdout, stderr) => resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }));
    });
  }

  memd(...words) {
    return this.run(`${insideProgram}/memd`, ...words);
  }

  // Returns the command that a client spawns.
  get pump() {
    return this.command(`${insideProgram}/memd`, '--stdio');
  }

  // Returns a property of a unit.
  async show(unit, property) {
    return (await this.run('systemctl', '--user', 'show', '--property', property, '--value', unit)).stdout.trim();
  }

  // All its processes end with it.
  async stop() {
    if (!this.child) return;
    const gone = new Promise((resolve) => this.child.on('close', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}
