// `memd setup service` under a real user manager of systemd, with its sandbox.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Home, writeHistory } from './support/history.mjs';
import { LineClient, cleanUp, cli, eventually, keepAsking, untilIndexed } from './support/memd.mjs';
import { SshHost, hasSshServer } from './support/ssh_host.mjs';
import { UserManager, whyNoUserManager } from './support/user_manager.mjs';

describe('a service of systemd', { skip: whyNoUserManager() }, () => {
  const home = new Home();
  const manager = new UserManager(home);
  const host = new Home(); // of another machine
  const ssh = new SshHost(host, join(home.dir, 'bin'));
  const units = join(home.dir, '.config', 'systemd', 'user');
  const runningPid = () => readFileSync(join(home.dir, '.local', 'share', 'memd', 'memd.pid'), 'utf8').split('\n')[0];
  const state = async (unit) => (await manager.run('systemctl', '--user', 'is-active', unit)).stdout.trim();
  const isService = async () => (await state('memd.service')) === 'active' && (await manager.show('memd.service', 'MainPID')) === runningPid();
  let history, client;

  before(async () => {
    history = writeHistory(home);
    await manager.start();
    client = new LineClient(manager.pump, home);
    await client.initialize();
    await untilIndexed(client, history);
  });
  after(async () => {
    await manager.stop();
    await cleanUp(home);
  });

  test('takes over from a client\'s daemon, and none of its calls fails', async () => {
    const first = runningPid();
    const asking = keepAsking(client);
    const { code, stdout, stderr } = await manager.memd('setup', 'service');
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /runs as a service and starts with the session/);
    await eventually('the service is the daemon', isService);
    const { answered, failed } = await asking.stop();
    assert.deepEqual(failed, []);
    assert.ok(answered > 0);
    assert.notEqual(runningPid(), first);
    assert.equal(await state('memd.socket'), 'active');
    for (const unit of ['memd.service', 'memd.socket'])
      assert.equal((await manager.run('systemctl', '--user', 'is-enabled', unit)).stdout.trim(), 'enabled');
  });

  test('its sandbox lets it see what agents write', async () => {
    assert.equal(await manager.show('memd.service', 'ProtectHome'), 'read-only');
    history.cache.prompt('Does the pelican need a second cache?').answer('No, one is enough.');
    await eventually('the line is found', async () => {
      const { structuredContent } = await client.call('semantic_search', { query: 'pelican', mode: 'lexical' });
      return structuredContent.results.length > 0;
    });
  });

  test('killed, it comes back; stopped, the next call starts it', async () => {
    const killed = runningPid();
    await manager.run('systemctl', '--user', 'kill', '--signal', 'KILL', 'memd.service');
    assert.ok((await client.call('list_sessions')).structuredContent);
    await eventually('a new process is the service', async () => (await isService()) && runningPid() !== killed);
    await manager.run('systemctl', '--user', 'stop', 'memd.service');
    assert.equal(await state('memd.service'), 'inactive');
    assert.equal(await state('memd.socket'), 'active');
    assert.ok((await client.call('list_sessions')).structuredContent);
    assert.equal((await manager.memd('search', 'pelican')).code, 0);
    await eventually('its socket has started it', isService);
  });

  test('memd restart makes a new process of it', async () => {
    const before = runningPid();
    const { code, stdout, stderr } = await manager.memd('restart');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^memd \S+ runs/);
    assert.ok(await isService());
    assert.notEqual(runningPid(), before);
  });

  test('a share opens its place for it, and leaving closes it', async () => {
    const dropIn = join(units, 'memd.service.d', 'shares.conf');
    const share = (...words) => manager.memd('share', words[0], '--project', 'parcel', ...words.slice(1));
    mkdirSync(join(home.dir, 'Sync'), { mode: 0o700 });
    const segments = () => {
      const all = join(home.dir, 'Sync', 'parcel.memd', 'segments');
      return readdirSync(all).flatMap((machine) => readdirSync(join(all, machine))).length;
    };
    const { code, stderr } = await share('init', '--to', join(manager.env.HOME, 'Sync'));
    assert.equal(code, 0, stderr);
    assert.ok(await isService());
    assert.match(await manager.show('memd.service', 'ReadWritePaths'), /Sync/);
    assert.equal(await manager.show('memd.service', 'PrivateNetwork'), 'yes');
    const before = segments();
    history.limiter.prompt('Does the heron need a third cache?').answer('No, it has two.');
    await eventually('the service writes a segment', () => segments() > before);
    // A share that does not come about opens nothing.
    assert.notEqual((await share('join', 'nobody@nowhere.invalid')).code, 0);
    assert.equal(await manager.show('memd.service', 'PrivateNetwork'), 'yes');
    assert.equal((await manager.memd('setup', 'service')).code, 0);
    assert.match(readFileSync(dropIn, 'utf8'), /Sync/);
    assert.equal((await share('leave')).code, 0);
    assert.ok(!existsSync(dropIn));
    assert.doesNotMatch(await manager.show('memd.service', 'ReadWritePaths'), /Sync/);
    assert.ok(await isService());
  });

  const whyNotBySsh = hasSshServer ? false : 'there is no sshd here';
  test('a share by ssh opens the network for it, and it runs ssh itself', { skip: whyNotBySsh }, async () => {
    const share = (...words) => manager.memd('share', ...words, '--project', 'parcel');
    const finds = async (word) => (await cli(host, 'search', word)).stdout.includes(`a ${word} cache`);
    try {
      await ssh.start();
      await manager.run('systemctl', '--user', 'set-environment', `PATH=${manager.env.HOME}/bin:/usr/bin:/bin`); // where its ssh is
      const { code, stderr } = await share('init', '--to', ssh.place);
      assert.equal(code, 0, stderr);
      assert.equal(await manager.show('memd.service', 'PrivateNetwork'), 'no');
      assert.ok(await isService());
      history.limiter.prompt('Does the egret need a cache?').answer('Yes, an egret cache and a stork cache.');
      await eventually('the host has what the service has sent', () => finds('stork'), 60_000);
      assert.equal((await share('leave')).code, 0);
      assert.equal(await manager.show('memd.service', 'PrivateNetwork'), 'yes');
    } finally {
      ssh.stop();
      await cleanUp(host);
    }
  });

  test('removed, nothing of it is left, and a client starts a daemon of its own', async () => {
    const { code, stderr } = await manager.memd('setup', 'service', '--remove');
    assert.equal(code, 0, stderr);
    for (const unit of ['memd.service', 'memd.socket']) {
      assert.equal(await state(unit), 'inactive');
      assert.equal(await manager.show(unit, 'LoadState'), 'not-found');
    }
    assert.ok(!existsSync(units) || !existsSync(join(units, 'memd.service')));
    assert.ok((await client.call('list_sessions')).structuredContent);
    await client.close();
  });
});
