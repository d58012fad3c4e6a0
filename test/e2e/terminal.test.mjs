// Output on a terminal: colour, the pager, completion. tmux is the terminal.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { Home } from './support/history.mjs';
import { binary, cleanUp, cli, environment, options, startDaemon, stopDaemons } from './support/memd.mjs';
import { screen, writeWeeks } from './support/screens.mjs';
import { has, inTerminal as inTerminalOf } from './support/terminal.mjs';

const home = new Home();
before(async () => {
  await writeWeeks(home, () => {});
  // Includes sequences that no terminal may execute.
  home.session({ cwd: '/home/ada/src/evil', branch: 'main', start: '2026-03-12T08:00:00Z' })
    .prompt('evilprompt \u001b]0;owned\u0007\u001b[2J\u001b[31mred \u202Ereversed')
    .answer('evilprompt seen \u001b[2J and gone').title('An evil \u001b]0;title\u0007 of a session');
  const { code, stderr } = await cli(home, 'ingest', '--once');
  assert.equal(code, 0, stderr);
});
after(() => cleanUp(home));

const memd = ['memd', ...options(home)].join(' ');

const inTerminal = (use, columns, rows) => inTerminalOf(home, use, { columns, rows });

describe('what is written', () => {
  const written = (args, env) => screen(home, 80, args, env).catch(({ stdout }) => stdout);

  test('a page or a session on standard output has no progress bar beside it', async () => {
    for (const args of [['report', '-o', '-'], ['export', 'latest', '--format', 'markdown', '-o', '-'], ['export', 'latest', '--format', 'html', '-o', '-']])
      assert.doesNotMatch(await written(args), /reporting|exporting|█|░/, args.join(' '));
  });

  test('an editor that writes nothing makes no memory', async () => {
    assert.match(await written(['memory', 'write', '--type', 'learning', '--title', 'Nothing'], { EDITOR: 'true' }), /nothing was written/);
  });
});

describe('a terminal', { skip: has('tmux') ? false : 'there is no tmux here' }, () => {
  test('colour, and matches stand out', () =>
    inTerminal(async (terminal) => {
      terminal.keys(`${memd} search upload test`, 'Enter');
      await terminal.until('hits', /memd show x\d/);
      const coloured = terminal.shown('-e');
      assert.match(coloured, /\u001b\[36mx\d/, 'ids');
      assert.match(coloured, /\u001b\[1m\u001b\[33m[Uu]pload/, 'matches');
      assert.doesNotMatch(terminal.shown(), /«|»|<history>|get_exchange/);
    }));

  test('a pager for what is longer than the terminal, and none for what fits', () =>
    inTerminal(async (terminal) => {
      terminal.keys(`${memd} sessions`, 'Enter');
      await terminal.until('no pager', /memd summary \w+\s+\$\s*$/);
      terminal.keys('clear', 'Enter');
      terminal.keys(`${memd} show x1 x2 x3 x4 x5 x6`, 'Enter');
      const paged = await terminal.until('less waits', /:\s*$/);
      assert.match(paged, /x1/);
      terminal.keys('q');
      await terminal.until('the prompt is back', /\$\s*$/);
      terminal.keys('clear', 'Enter');
      terminal.keys(`${memd} --no-pager show x1 x2 x3 x4 x5 x6; echo code $?`, 'Enter');
      await terminal.until('all of it', /code 0\s+\$\s*$/);
    }));

  test('completion of commands, options, values and sessions', () =>
    inTerminal(async (terminal) => {
      terminal.keys('memd sess', 'Tab');
      await terminal.until('a command', /\$ memd sessions$/m);
      terminal.keys('--sta', 'Tab');
      await terminal.until('an option', /memd sessions --state$/m);
      terminal.keys('act', 'Tab');
      await terminal.until('a value', /memd sessions --state active$/m);
      terminal.keys('C-u', `${memd} summary d27a`, 'Tab');
      await terminal.until('a session', /d27a9f16-7a3c-4e0f/);
      terminal.keys('C-u', 'memd export latest --format h', 'Tab');
      await terminal.until('a format', /--format html$/m);
    }, 160));
});

// The completion scripts in their shells: zsh with its completion system on a terminal, fish through `complete`.
describe('completion of zsh', { skip: has('tmux') && has('zsh') ? false : 'there is no tmux or no zsh here' }, () => {
  const check = (load) => async () => {
    const where = join(home.root, 'completing');
    mkdirSync(join(where, 'functions'), { recursive: true });
    writeFileSync(join(where, 'a b.jsonl'), '');
    writeFileSync(join(where, 'functions', '_memd'), (await cli(home, 'completion', 'zsh')).stdout);
    await inTerminalOf(home, async (terminal) => {
      const shows = async (typed, what, pattern) => {
        terminal.keys('C-u', 'C-l');
        terminal.keys('-l', typed);
        terminal.keys('Tab');
        await terminal.until(what, pattern);
      };
      terminal.keys('-l', `cd ${where}; autoload -Uz compinit; ${load}`);
      terminal.keys('Enter', 'C-l');
      await shows('memd sess', 'a command', /^\$ memd sessions$/m);
      await shows('memd se', 'commands with what they do', /search +-- Find what was said[^]*sessions +-- List/);
      await shows('memd sessions --sta', 'an option', /^\$ memd sessions --state$/m);
      await shows('memd sessions --state act', 'a value', /^\$ memd sessions --state active$/m);
      await shows('memd export latest --format=h', 'a value behind =', /--format=html$/m);
      await shows('memd import a', 'a file', /^\$ memd import a\\ b\.jsonl$/m);
      await shows(`${memd} summary d27a`, 'a session', /summary d27a9f16-7a3c-4e0f/);
      await shows(`${memd} search --project not`, 'a project', /--project notes$/m);
    }, { columns: 160, shell: ['zsh', '-f', '-i'] });
  };
  test('sourced', check('compinit -u -d ./dump; source <(memd completion zsh)'));
  test('from the directory of functions', check('fpath=(./functions $fpath); compinit -u -d ./dump2'));
});

describe('completion of fish', { skip: has('fish') ? false : 'there is no fish here' }, () => {
  test('commands, options, values, files, sessions', async () => {
    const where = join(home.root, 'fish');
    mkdirSync(join(where, 'a directory'), { recursive: true });
    writeFileSync(join(where, 'a.jsonl'), '');
    const complete = async (typed) => {
      const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', 'memd completion fish | source; complete -C $argv[1]', typed],
        { env: { ...environment(home), PATH: `${dirname(binary)}:${process.env.PATH}`, XDG_DATA_HOME: where, XDG_CONFIG_HOME: where }, cwd: where });
      return stdout.split('\n').filter(Boolean).map((line) => line.split('\t')[0]);
    };
    assert.deepEqual(await complete('memd sess'), ['sessions']);
    assert.deepEqual(await complete('memd sessions --sta'), ['--state']);
    assert.deepEqual(await complete('memd sessions --state act'), ['active']);
    assert.deepEqual(await complete('memd export latest --format=h'), ['--format=html']);
    assert.deepEqual(await complete('memd import a'), ['a directory/', 'a.jsonl']);
    assert.deepEqual(await complete('memd --data-dir a'), ['a directory/']);
    assert.deepEqual(await complete(`${memd} summary d27a`), ['d27a9f16-7a3c-4e0f-b6b1-90be1c7f2e08']);
    assert.deepEqual(await complete(`${memd} search --project not`), ['notes']);
  });
});

// `memd browse` on the whole terminal.
describe('browse', { skip: has('tmux') ? false : 'there is no tmux here' }, () => {
  const chosen = (text) => new RegExp(`^> ${text}`, 'm');

  test('searches as one types, opens, goes back, filters, and leaves the terminal as it was', () =>
    inTerminal(async (terminal) => {
      terminal.keys(`echo before; ${memd} browse; echo code $?`, 'Enter');
      await terminal.until('all sessions', /5 sessions[^]*What the cache/);
      assert.doesNotMatch(terminal.shown(), /before/, 'the screen is all its own');
      terminal.keys('-l', 'token buck');
      await terminal.until('hits while typing', /token buck +\d hits?\n[^]*^> x\d/m);
      terminal.keys('BSpace', 'BSpace', 'BSpace', 'BSpace');
      await terminal.until('other hits', /> token +\d+ hits?\n[^]*^> x/m);
      terminal.keys('Enter');
      const opened = await terminal.until('an exchange', /turn 0[^]*A token bucket: it allows short bursts/);
      assert.match(opened, /^Rate limiter as a token bucket/);
      assert.match(terminal.shown('-e'), /\u001b\[1m\u001b\[33mtoken/, 'matches stand out');
      terminal.keys('s');
      await terminal.until('its session', /turn 0 of 1/);
      terminal.keys('y');
      await terminal.until('ids', /x\d {2}of claude_code:d27a9f16/);
      terminal.keys('O');
      await terminal.until('the command', /claude --resume d27a9f16-7a3c-4e0f/);
      terminal.keys('Escape');
      await terminal.until('the list again', chosen('x'));
      terminal.keys('c');
      await terminal.until('all sessions again', /5 sessions/);
      terminal.keys('p');
      terminal.keys('-l', 'notes');
      terminal.keys('Enter');
      const filtered = await terminal.until('one project', /1 session\n[^]*project notes[^]*What the cache/);
      assert.doesNotMatch(filtered, /Rate limiter/);
      terminal.keys('?');
      await terminal.until('help', /Everywhere/);
      terminal.keys('x', 'q');
      const left = await terminal.until('the shell', /code 0\s+\$\s*$/);
      assert.match(left, /before/);
      assert.doesNotMatch(left, /What the cache/);
      assert.match(terminal.tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}'), /^0 1/);
    }));

  test('follows a session that goes on, through the daemon', async () => {
    const daemon = new Home();
    const session = daemon.session({ cwd: '/home/ada/src/live', branch: 'main', start: new Date(Date.now() - 300_000).toISOString() })
      .prompt('Where were we?').answer('At the beginning.').title('A session that goes on');
    await startDaemon(daemon);
    try {
      await inTerminal(async (terminal) => {
        terminal.keys(`${['memd', ...options(daemon)].join(' ')} browse`, 'Enter');
        await terminal.until('the session, live', /running +live/);
        terminal.keys('Escape', 'f');
        await terminal.until('its end', /following[^]*At the beginning\./);
        session.tool('Bash', { command: 'make check', description: 'Check it' }, 'all 12 passed');
        await terminal.until('an event', /Bash: make check/);
        session.answer('Now in the middle.').prompt('And then?').answer('検索 the end.');
        await terminal.until('further turns', /検索 the end\./);
        terminal.keys('q');
        await terminal.until('the shell', /\$\s*$/);
      }, 100, 40);
    } finally {
      await stopDaemons(daemon);
      cleanUp(daemon);
    }
  });

  test('another size of the terminal, and one that is too small', () =>
    inTerminal(async (terminal) => {
      terminal.keys(`${memd} browse upload test`, 'Enter');
      await terminal.until('hits', chosen('x'));
      terminal.tmux('resize-window', '-x', '44', '-y', '12');
      await terminal.until('narrower', /^> x\d.{1,42}$/m);
      for (const line of terminal.shown().split('\n')) assert.ok([...line].length <= 44, line);
      terminal.tmux('resize-window', '-x', '20', '-y', '5');
      await terminal.until('too small', /too small/);
      terminal.tmux('resize-window', '-x', '90', '-y', '20');
      await terminal.until('as it was', chosen('x'));
      terminal.keys('C-c');
      await terminal.until('the shell', /\$\s*$/);
      terminal.tmux('resize-window', '-x', '20', '-y', '5');
      terminal.keys('clear; until [ "$(stty size)" = "5 20" ]; do :; done; clear', 'Enter'); // tmux resizes with a delay
      terminal.keys(`${memd} browse 2>${terminal.directory}/told; echo code $?`, 'Enter');
      await terminal.until('refused', /code 1/);
      assert.match(readFileSync(join(terminal.directory, 'told'), 'utf8'), /the terminal has 20 columns and 5 rows; browse needs 30 and 6/);
    }));

  test('control characters of a history reach no terminal, and NO_COLOR is kept', () =>
    inTerminal(async (terminal) => {
      terminal.keys(`NO_COLOR=1 ${memd} browse evilprompt`, 'Enter');
      await terminal.until('the hit', chosen('x'));
      terminal.keys('Enter');
      await terminal.until('the exchange', /evilprompt seen/);
      terminal.keys('Enter');
      const shown = terminal.shown('-e').replace(/\u001b\[(?:0|1|2|4|7|;)*m|\u001b\[39m|\u001b\[49m/g, '');
      assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      assert.doesNotMatch(terminal.tmux('display-message', '-p', '#{pane_title}'), /owned|title/);
    }));

  test('where there is no terminal, it says so', async () => {
    const { code, stderr } = await promisify(execFile)(binary, [...options(home), 'browse'], { env: environment(home) }).catch((error) => error);
    assert.equal(code, 1);
    assert.match(stderr, /browse needs a terminal; `memd search`/);
    const dumb = await screen(home, 80, ['browse'], { TERM: 'dumb' }).catch((error) => `${error.stdout}${error.stderr}`);
    assert.match(dumb, /cannot draw on a terminal of the kind "dumb"/);
  });
});

describe('output', () => {
  test('control characters of a history reach no terminal', async () => {
    for (const args of [['search', 'evilprompt'], ['sessions'], ['recent', 'latest'], ['timeline', '--since', '2026-03-12'], []]) {
      const shown = await screen(home, 80, args, { NO_COLOR: '' });
      const withoutColours = shown.replace(/\u001b\[[0-9;]*m/g, '');
      assert.doesNotMatch(withoutColours, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/, args.join(' '));
      assert.doesNotMatch(shown, /\u001b\[31mred/, args.join(' '));
    }
  });

  test('nor those of a memory', () => {
    const run = (args, input) => execFileSync(binary, [...options(home), 'memory', ...args], { env: environment(home), cwd: home.root, input, encoding: 'utf8' });
    const written = run(['write', '--type', 'learning', '--title', 'Harmless title', '--scope', 'global'], 'First \u001b]0;owned\u0007\u001b[2J and last.\n');
    const file = written.trim().replace(/^.*: /, '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('# Harmless title', '# Harmless \u001b[2Jtitle'));
    for (const shown of [run(['list']), run(['show', 'learning-harmless-title']), run(['health'])])
      assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    assert.match(run(['list']), /SLUG +SCOPE +TYPE +TITLE/);
  });

  test('plain, whole and without a pager where a program reads', async () => {
    const { stdout } = await promisify(execFile)(binary, [...options(home), 'sessions'], { env: { ...environment(home), PAGER: 'false' } });
    assert.doesNotMatch(stdout, /\u001b|…/);
    assert.match(stdout, /claude_code:d27a9f16-7a3c-4e0f-b6b1-90be1c7f2e08 +2026-03-10 14:00/);
    const coloured = await promisify(execFile)(binary, [...options(home), '--color', 'always', 'sessions'], { env: environment(home) });
    assert.match(coloured.stdout, /\u001b\[/);
  });

  test('a reader that goes away is no failure', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', `"${binary}" ${options(home).join(' ')} show x1 x2 x3 x4 x5 | head -n 1; echo done`],
      { env: environment(home) });
    assert.match(stdout, /done/);
  });
});
