// memd share: homes that share a project through a directory, through git, and by ssh.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { Home, Transcript } from './support/history.mjs';
import { cleanUp, cli, eventually, startDaemon, stopDaemons } from './support/memd.mjs';
import { SshHost } from './support/ssh_host.mjs';

const project = 'parcel';
const kPatience = 30_000; // some 2 s on a quiet machine
const homes = [];
const places = [];
class Person extends Home {
  constructor(name) {
    super();
    this.dir = join(this.root, name);
    mkdirSync(this.dir, { mode: 0o700 });
    this.talk = new Transcript(this.dir, { cwd: `/home/${name}/src/parcel`, branch: 'main', start: '2026-03-03T09:00:00Z' });
    homes.push(this);
  }

  says(word) {
    this.talk.prompt(`Where is the ${word} parcel?`).answer(`The ${word} one is here.`);
    return this;
  }
}
const place = () => {
  places.push(mkdtempSync(join(tmpdir(), 'memd-place-')));
  return places.at(-1);
};
const ok = async (home, ...args) => {
  const { code, json, stderr } = await cli(home, ...args);
  assert.equal(code, 0, `memd ${args.join(' ')}: ${stderr}`);
  return json;
};
const share = (home, ...args) => ok(home, 'share', ...args);
const found = async (home, word) => JSON.stringify((await cli(home, 'search', word)).json).includes(`The ${word} one`);
const turns = async (home) => (await ok(home, 'sessions', '-n', '0')).sessions.reduce((sum, s) => sum + s.exchanges, 0);

after(async () => {
  for (const home of homes) await cleanUp(home);
  for (const directory of places) rmSync(directory, { recursive: true, force: true });
});

describe('share', () => {
  test('daemons find each other’s turns by themselves, with who wrote them', async () => {
    const [ada, bob] = [new Person('ada').says('walnut'), new Person('bob').says('quartz')];
    const there = place();
    await ok(ada, 'ingest', '--once');
    await share(ada, 'init', '--to', there, '--project', project);
    await startDaemon(ada);
    await startDaemon(bob);
    await share(bob, 'join', there, '--project', project);
    await eventually('bob finds what ada wrote', () => found(bob, 'walnut'), kPatience);
    await eventually('ada finds what bob wrote', () => found(ada, 'quartz'), kPatience);
    bob.says('juniper');
    await eventually('ada finds what bob writes', () => found(ada, 'juniper'), kPatience);
    assert.match(JSON.stringify(await ok(ada, 'sessions')), /bob@/);
    assert.deepEqual((await share(ada, 'verify')).problems, []);
    assert.equal((await share(bob, 'audit')).sessions.length, 1);
    await share(bob, 'leave', '--project', project);
    assert.equal((await share(bob, 'status')).shares.length, 0);
    for (const home of [ada, bob]) await stopDaemons(home);
  });

  test('errors say what to do', async () => {
    const eve = new Person('eve');
    const there = place();
    const missing = await cli(eve, 'share', 'join', there, '--project', project);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /has no share of the project "parcel".*memd share init/);
    assert.match((await cli(eve, 'share', 'init', '--to', join(there, 'no'), '--project', project)).stderr, /is no directory/);
    await share(eve, 'init', '--to', there, '--project', project);
    assert.match((await cli(eve, 'share', 'init', '--to', there, '--project', project)).stderr, /is a share already/);
  });

  test('git carries it, with pushes at once', async () => {
    const origin = place();
    const git = (cwd, ...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, stdio: 'pipe' });
    git(origin, 'init', '--bare', '-q', '-b', 'main');
    const people = ['ada', 'bob', 'cem'].map((name) => new Person(name).says(`${name}1`));
    const clones = people.map(() => place());
    for (const clone of clones) git(clone, 'clone', '-q', origin, '.');
    const carry = (clone) => {
      git(clone, 'add', '-A');
      try {
        git(clone, 'commit', '-qm', 'history');
      } catch {
        // nothing is new
      }
      if (git(clone, 'ls-remote', 'origin').length > 0) git(clone, 'pull', '-q', '--rebase', 'origin', 'main');
      git(clone, 'push', '-q', 'origin', 'HEAD:main');
    };
    await ok(people[0], 'ingest', '--once');
    await share(people[0], 'init', '--to', clones[0], '--project', project);
    carry(clones[0]);
    for (const i of [1, 2]) {
      git(clones[i], 'pull', '-q', 'origin', 'main');
      await ok(people[i], 'ingest', '--once');
      await share(people[i], 'join', clones[i], '--project', project);
      carry(clones[i]);
    }
    for (let round = 2; round < 4; ++round) {
      for (const [i, person] of people.entries()) {
        person.says(`${['ada', 'bob', 'cem'][i]}${round}`);
        await ok(person, 'ingest', '--once');
        await share(person, 'sync');
        git(clones[i], 'add', '-A');
        git(clones[i], 'commit', '-qm', 'history'); // before any of them is pushed
      }
      for (const clone of clones) carry(clone);
    }
    for (const [i, person] of people.entries()) {
      carry(clones[i]);
      await share(person, 'sync');
      assert.equal(await turns(person), 9);
    }
  });

  test('a host by ssh, both ways', async () => {
    const [ada, host] = [new Person('ada').says('walnut'), new Person('host').says('quartz')];
    const ssh = new SshHost(host, place());
    const path = process.env.PATH;
    process.env.PATH = `${ssh.bin}:${path}`;
    try {
      await ssh.start();
      for (const home of [ada, host]) await ok(home, 'ingest', '--once');
      await share(ada, 'init', '--to', ssh.place, '--project', project);
      assert.ok(await found(host, 'walnut'));
      assert.ok(await found(ada, 'quartz'));
      host.says('bramble');
      await ok(host, 'ingest', '--once');
      await share(ada, 'sync');
      assert.ok(await found(ada, 'bramble'));
      await ok(ada, 'forget', 'latest', '--yes'); // of the host: only here
      assert.ok(!(await found(ada, 'bramble')));
      const theirs = readdirSync(join(host.data, 'shared', 'place'));
      assert.deepEqual(theirs, ['parcel.memd']);
      // A backup of this machine, older than what it has sent.
      const backup = place();
      cpSync(ada.data, backup, { recursive: true });
      ada.says('cedar');
      await ok(ada, 'ingest', '--once');
      await share(ada, 'sync');
      assert.ok(await found(host, 'cedar'));
      rmSync(ada.data, { recursive: true });
      cpSync(backup, ada.data, { recursive: true });
      rmSync(ada.talk.path);
      assert.ok(!(await found(ada, 'cedar')));
      await share(ada, 'sync');
      assert.ok(await found(ada, 'cedar'), 'the host gives back what only it has');
      assert.ok(await found(host, 'cedar'));
    } finally {
      process.env.PATH = path;
      ssh.stop();
    }
  });
});
