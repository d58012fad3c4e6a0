// A host that is reached by ssh: OpenSSH's own server on loopback where the machine has one, else a stand-in for both.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';

import { binary, eventually, options } from './memd.mjs';
import { allProcesses } from './processes.mjs';

const server = '/usr/sbin/sshd';

export const hasSshServer = existsSync(server);

export class SshHost {
  place = `${userInfo().username}@there`;

  // `home`: whose memd answers. `bin`: a directory, which then has keys and the program `ssh`; it may be seen under another path.
  constructor(home, bin) {
    this.bin = bin;
    mkdirSync(bin, { recursive: true, mode: 0o700 });
    // What the client asks for is "memd share serve …".
    this.write('serve', `#!/bin/sh\neval set -- "$SSH_ORIGINAL_COMMAND"\nshift\nexec '${binary}' ${options(home).join(' ')} "$@"\n`);
  }

  write(name, text) {
    writeFileSync(join(this.bin, name), text, { mode: 0o700 });
  }

  async start() {
    if (!hasSshServer) {
      this.write('ssh', `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nSSH_ORIGINAL_COMMAND="$*" exec '${this.bin}/serve'\n`);
      return;
    }
    const port = await new Promise((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = probe.address();
        probe.close(() => resolve(free));
      });
    });
    for (const key of ['host_key', 'key']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.bin, key)]);
    this.write('known', `there ${readFileSync(join(this.bin, 'host_key.pub'), 'utf8')}`);
    this.write('sshd_config', [`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${this.bin}/host_key`, `AuthorizedKeysFile ${this.bin}/key.pub`,
      'StrictModes no', 'UsePAM no', 'PermitRootLogin prohibit-password', 'PidFile none', `ForceCommand ${this.bin}/serve`, ''].join('\n'));
    this.write('config', `Host *\n  HostName 127.0.0.1\n  Port ${port}\n  HostKeyAlias there\n  IdentitiesOnly yes\n`);
    this.write('ssh', '#!/bin/sh\nd=$(dirname "$0")\nexec /usr/bin/ssh -F "$d/config" -i "$d/key" -o UserKnownHostsFile="$d/known" "$@"\n');
    if (process.getuid() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    this.child = spawn(server, ['-D', '-f', join(this.bin, 'sshd_config')], { stdio: 'ignore' });
    const answers = () => new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('data', () => socket.destroy());
    });
    await eventually('sshd answers', answers);
  }

  // With all that it has started.
  stop() {
    if (!this.child) return;
    this.child.kill('SIGSTOP'); // so that it accepts nobody meanwhile
    const pids = [this.child.pid];
    const all = allProcesses();
    for (const pid of pids) pids.push(...all.filter(({ ppid }) => ppid === pid).map((process) => process.pid));
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended meanwhile
      }
    }
  }
}
