// The subcommands scripts rely on, and the inspector's command line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import Ajv from 'ajv/dist/2020.js';

import { Home, uploadSession, writeHistory } from './support/history.mjs';
import { binary, cleanUp, cli, environment, options, startDaemon, stopDaemons, ways } from './support/memd.mjs';
import { daemonsOf } from './support/processes.mjs';

const home = new Home();
let history;
before(() => (history = writeHistory(home)));
after(() => cleanUp(home));

describe('subcommands', () => {
  test('ingest --once accounts for every byte, and finds nothing the second time', async () => {
    const first = await cli(home, 'ingest', '--once');
    assert.equal(first.code, 0, first.stderr);
    const { sources, sessions, exchanges, bytes_total, bytes_indexed, bytes_skipped, bytes_unknown, bytes_pending } = first.json;
    assert.deepEqual({ sources, sessions, exchanges }, { sources: 3, sessions: history.sessions, exchanges: history.exchanges });
    assert.equal(bytes_indexed + bytes_skipped + bytes_unknown + bytes_pending, bytes_total);
    for (const field of ['events', 'diagnostics', 'seconds', 'mb_per_s', 'peak_rss_mb'])
      assert.equal(typeof first.json[field], 'number', field);
    const [claude] = first.json.platforms.filter(({ platform }) => platform === 'claude_code');
    assert.equal(claude.exchanges, history.exchanges);
    const second = await cli(home, 'ingest', '--once');
    assert.equal(second.json.exchanges, history.exchanges);
    assert.equal(second.json.events, first.json.events);
    assert.equal(second.json.events_written, 0);
  });

  test('ingest --once makes vectors of the second look of the newest turns, with --second-look of all', async () => {
    const many = new Home();
    try {
      const session = many.session({ cwd: '/home/ada/src/parcel', branch: 'main', start: '2026-03-03T09:00:00Z' });
      for (let i = 0; i < 50; i++) session.prompt(`Rename step ${i}`).answer(`Renamed ${i}`);
      assert.equal((await cli(many, 'ingest', '--once')).json.second_look.exchanges, 32);
      const { code, stderr, json } = await cli(many, 'ingest', '--once', '--second-look');
      assert.equal(code, 0, stderr);
      assert.deepEqual([json.second_look.exchanges, json.second_look.waiting], [18, 0]);
      assert.equal((await cli(many, 'status')).json.second_look.made, 50);
    } finally {
      await cleanUp(many);
    }
  });

  const asked = {
    search: [['upload test', '-n', '2'], ({ results }) => assert.ok(results[0].session_id.endsWith(history.upload.sessionId))],
    sessions: [['-n', '2'], ({ sessions }) => assert.equal(sessions.length, 2)],
    recent: [() => [history.limiter.sessionId, '-n', '1'], (json) => assert.match(JSON.stringify(json), /token bucket/)],
    topic: [['token bucket'], (json) => assert.match(JSON.stringify(json), /claude_code/)],
    'file-history': [['server/store.py', '--symbol', 'rename()'],
      ({ sessions }) => assert.ok(sessions[0].session_id.endsWith(history.upload.sessionId))],
    timeline: [['--since', '2026-03-01', '--until', '2026-04-01'], (json) => assert.match(JSON.stringify(json), /2026-03-10/)],
    capabilities: [[], (json) => {
      assert.match(JSON.stringify(json), /claude_code/);
      assert.equal(json.server.ranking, 'hybrid');
    }],
    coverage: [[], (json) => assert.match(JSON.stringify(json), /ai-title/)],
    status: [[], (json) => assert.equal(typeof json, 'object')],
    tools: [[], (json) => assert.match(JSON.stringify(json), /"semantic_search"/)],
  };
  for (const [name, [args, check]] of Object.entries(asked)) {
    test(name, async () => {
      const { code, json, stderr } = await cli(home, name, ...(typeof args === 'function' ? args() : args));
      assert.equal(code, 0, stderr);
      check(json);
    });
  }

  test('show and call give the same exchange', async () => {
    const { json } = await cli(home, 'search', 'upload');
    const id = json.results[0].exchange_id;
    const shown = await cli(home, 'show', id);
    const called = await cli(home, 'call', 'get_exchange', JSON.stringify({ ids: [id] }));
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(JSON.stringify(shown.json), new RegExp(`"${id}"`));
    assert.match(JSON.stringify(called.json), new RegExp(`"${id}"`));
  });

  test('a session goes out as a file of events and comes back the same', async () => {
    const file = join(home.root, 'session.jsonl');
    const out = await cli(home, 'export', history.upload.sessionId, '-o', file);
    assert.equal(out.code, 0, out.stderr);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
    assert.ok(lines.length > 4);
    assert.ok(lines.every(({ v, session_id }) => v === 1 && session_id.endsWith(history.upload.sessionId)));
    const other = new Home();
    try {
      const checked = await cli(other, 'import', '--check', file);
      assert.equal(checked.code, 0, checked.stderr);
      assert.equal(checked.json.files[0].check.refused, 0);
      for (const expected of ['events', 'known']) {
        const { code, json, stderr } = await cli(other, 'import', file);
        assert.equal(code, 0, stderr);
        if (expected === 'events') assert.equal(json.files[0].taken.events, lines.length - 1);
        else assert.equal(json.files[0].taken.events, 0);
      }
      const again = await cli(other, 'export', history.upload.sessionId);
      // The session line also has where and when its store read it, and its analysis: these differ between stores.
      const told = (all) => all.map((line) => {
        const { source_path, source_bytes, watermarks, digest, outcome, ...session } = line.body?.session ?? {};
        return line.body?.session ? { ...line, body: { ...line.body, session } } : line;
      });
      assert.deepEqual(told(again.stdout.trimEnd().split('\n').map(JSON.parse)), told(lines));
    } finally {
      await cleanUp(other);
    }
    // Imported into its own store through the daemon, it adds nothing.
    await startDaemon(home);
    const back = await cli(home, 'import', file);
    assert.equal(back.code, 0, back.stderr);
    assert.equal(back.json.files[0].taken.events, 0);
    assert.ok(back.json.files[0].taken.known > 0);
    await stopDaemons(home);
  });

  test('a log of another tool goes out as it came in, also when the log is gone', async () => {
    const written = readFileSync(fileURLToPath(new URL('../golden/imported/all_kinds/input.jsonl', import.meta.url)), 'utf8');
    const other = new Home();
    try {
      const file = join(other.root, 'log.jsonl');
      writeFileSync(file, written);
      const { code, json, stderr } = await cli(other, 'import', file);
      assert.equal(code, 0, stderr);
      assert.equal(json.files[0].check.refused, 0);
      for (const there of [true, false]) {
        if (!there) rmSync(file);
        const out = await cli(other, 'export', 'imported:talk-7');
        assert.equal(out.code, 0, out.stderr);
        assert.equal(out.stdout, written);
      }
    } finally {
      await cleanUp(other);
    }
  });

  test('a session goes out to be read, and as JSON', async () => {
    const file = join(home.root, 'session.out');
    for (const [format, begin] of [['md', '# Upload test races the rename\n'], ['html', '<!doctype html>'], ['json', '{"format":"transcript.v1"']]) {
      const { code, stderr } = await cli(home, 'export', history.upload.sessionId, '--format', format, '-o', file);
      assert.equal(code, 0, stderr);
      const text = readFileSync(file, 'utf8');
      assert.ok(text.startsWith(begin), text.slice(0, 60));
      assert.match(text, /200 runs of the upload test pass/);
      if (format === 'json') assert.equal(JSON.parse(text).sessions[0].exchanges.length, 2);
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
    assert.equal((await cli(home, 'export', history.upload.sessionId, '--format', 'pdf')).code, 2);
  });

  // test/browser tests the page itself.
  test('the data of a report', async () => {
    const file = join(home.root, 'report.html');
    const { code, stderr } = await cli(home, 'report', '--project', 'parcel', '--since', '2026-03-01', '-o', file);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /2 sessions, 4 turns, 2026-03-03 to 2026-03-10/);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).sessions.length, 2);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const all = await cli(home, 'report');
    assert.equal(all.json.sums.sessions, history.sessions);
    assert.equal(all.json.sums.exchanges, history.exchanges);
    const unknown = await cli(home, 'report', '--platform', 'emacs', '-o', file);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /--agent: "emacs" is no agent memd knows: send one of claude_code/);
    assert.equal((await cli(home, 'report', '--since', 'soon', '-o', file)).code, 2);
  });

  test('a file that is no events.v1 is refused by line and field', async () => {
    const file = join(home.root, 'broken.jsonl');
    writeFileSync(file, '{"v":1,"id":"a","session_id":"s","actor":"user","kind":"message","body":{"text":"no time"}}\nnot json\n');
    for (const args of [['import', '--check', file], ['import', file]]) {
      const { code, stderr } = await cli(home, ...args);
      assert.equal(code, 1);
      assert.match(stderr, /broken\.jsonl:1: refused: missing_field ts\n.*broken\.jsonl:2: refused: damaged_record/s);
    }
    assert.equal((await cli(home, 'export', 'no-such-session')).code, 1);
  });

  test('the hook of a session that starts fails open, whatever is there', async () => {
    const silent = createServer((connection) => connection.on('error', () => {}));
    const started = JSON.stringify({ hook_event_name: 'SessionStart', source: 'compact', cwd: '/home/ada/src/parcel',
      session_id: history.upload.sessionId });
    const hook = (input, ...args) => new Promise((resolve) => {
      const child = execFile(binary, [...args, 'hook', 'session-start'], { env: environment(home) },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
      if (input !== undefined) child.stdin.end(input);
    });
    const nothing = { code: 0, stdout: '', stderr: '' };
    assert.deepEqual(await hook(started, ...options(home)), nothing, 'off by default');
    assert.deepEqual(await hook(' '.repeat(1 << 18) + started, ...options(home)), nothing, 'off, and the input is read to its end');
    const on = join(home.root, 'hooks.yaml');
    writeFileSync(on, 'hooks: {compaction: true}\n');
    const spoke = await hook(started, ...options(home), '--config', on);
    assert.match(JSON.parse(spoke.stdout).hookSpecificOutput.additionalContext, /Upload|upload/, 'without a daemon');
    assert.deepEqual(daemonsOf(home), []);
    assert.deepEqual(await hook('no json', ...options(home), '--config', on), nothing);
    assert.deepEqual(await hook(undefined, ...options(home), '--config', on), nothing, 'a stdin that never ends');
    const broken = join(home.root, 'broken.yaml');
    writeFileSync(broken, 'no_such_key: 1\n');
    assert.deepEqual(await hook(' '.repeat(1 << 18) + started, ...options(home), '--config', broken), nothing);
    await new Promise((resolve) => silent.listen(join(home.data, 'memd.sock'), resolve));
    assert.deepEqual(await hook(started, ...options(home), '--config', on), nothing, 'a daemon that never answers');
    silent.close();
    silent.closeAllConnections?.();
    assert.equal((await cli(home, 'hook', 'no-such-hook')).code, 1, '2 would be a veto');
  });

  test('mistakes end with a code and a message, and no JSON to mistake for an answer', async () => {
    for (const args of [['show', 'x999999999'], ['no-such-command'], ['search'], ['call', 'capabilities', '{broken']]) {
      const { code, stderr, stdout } = await cli(home, ...args);
      assert.notEqual(code, 0, args.join(' '));
      assert.equal(stdout, '', args.join(' '));
      assert.match(stderr, /^memd: \S/, args.join(' '));
    }
  });

  test('the help of a command is about that command', async () => {
    const [all, one] = [await cli(home, '--help'), await cli(home, 'search', '--help')];
    assert.match(all.stdout, /Examples:[^]*Exit codes:/);
    assert.match(one.stdout, /--since/);
    assert.doesNotMatch(one.stdout, /Examples:|Exit codes:/);
  });

  test('completion for three shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await cli(home, 'completion', shell);
      assert.equal(code, 0);
      assert.match(stdout, /memd/);
    }
    const asked = async (...words) => (await cli(home, 'complete', '--', ...words)).stdout;
    assert.match(await asked('rep'), /^report\t/);
    assert.match(await asked('export', '--format', 'h'), /^html\t/);
    assert.match(await asked('export', 'latest', '-o', ''), /^@files$/m);
    assert.match(await asked(...options(home), 'search', '--project', 'par'), /^parcel\t/);
    assert.match(await asked(...options(home), 'summary', ''), /^latest\t[^]*^00000000-0000-4000-8000-/m);
  });

  test('words without quotes are a query, also those that are commands', async () => {
    const quoted = await cli(home, 'search', 'upload test rename');
    const words = await cli(home, 'search', 'upload', 'test', 'rename');
    assert.deepEqual(words.json.results, quoted.json.results);
    const { code, json } = await cli(home, 'search', 'status', 'of', 'sessions');
    assert.equal(code, 0);
    assert.equal(json.query, 'status of sessions');
  });

  test('there are as many rows as are asked for', async () => {
    assert.equal((await cli(home, 'sessions', '-n', '0')).json.sessions.length, history.sessions);
    const hits = await cli(home, 'search', 'the', '-n', '100');
    assert.equal(hits.code, 0, hits.stderr);
    const found = hits.json.results.length;
    assert.ok(found > 1);
    assert.equal((await cli(home, 'search', 'the', '-n', String(found - 1))).json.results.length, found - 1);
    const turns = await cli(home, 'recent', history.upload.sessionId, '-n', '0');
    assert.equal(turns.json.turns.length, 2);
  });

  test('-n sets the number of rows of every list', async () => {
    const since = ['--since', '2000-01-01'];
    const counts = {};
    for (const [args, rows] of [
      [['log'], 'entries'],
      [['diagnostics'], 'diagnostics'],
      [['coverage'], 'coverage'],
      [['retention'], 'drops'],
      [['memory', 'list'], 'memories'],
      [['memory', 'suggest'], 'suggestions'],
      [['sessions'], 'sessions'],
      [['observations'], 'observations'],
    ]) {
      const one = await cli(home, ...args, '-n', '1');
      assert.equal(one.code, 0, `${args}: ${one.stderr}`);
      const all = await cli(home, ...args, '-n', '0');
      assert.equal(all.code, 0, args.join(' '));
      assert.equal(one.json[rows].length, Math.min(1, all.json[rows].length), args.join(' '));
      counts[rows] = all.json[rows].length;
    }
    assert.equal(counts.sessions, history.sessions);
    assert.ok(counts.coverage > 1 && counts.entries > 1, JSON.stringify(counts));
    const lines = (json) => json.summary.split('\n').filter((line) => line.startsWith('- ')).length;
    const all = (await cli(home, 'timeline', ...since)).json;
    assert.ok(lines(all) > 1);
    assert.equal(lines((await cli(home, 'timeline', ...since, '-n', '1')).json), 1);
    assert.equal(lines((await cli(home, 'timeline', ...since, '-n', '0')).json), lines(all));
  });

  test('the original records of an exchange and of an event', async () => {
    const [hit] = (await cli(home, 'search', 'upload')).json.results;
    const { code, json } = await cli(home, 'record', hit.exchange_id);
    assert.equal(code, 0);
    assert.ok(json.records.length > 0);
    for (const { event, record, trouble } of json.records) {
      assert.equal(trouble, '');
      assert.ok(JSON.parse(record).uuid);
      assert.deepEqual((await cli(home, 'record', event)).json.records[0].record, record);
    }
    const unknown = await cli(home, 'record', 'evt_0123456789abcdef');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /there is no event evt_0123456789abcdef/);
    assert.equal((await cli(home, 'record', 'nothing')).code, 2);
  });

  test('a failed command is shown with its error and what ended it', async () => {
    const { stdout } = await promisify(execFile)(binary, [...options(home), 'fix', 'pytest'], { env: environment(home) });
    assert.match(stdout, /pytest tests\/test_upload.py --count 40\n +38 passed, 2 failed: FileNotFoundError.*\n +ended by `pytest tests\/test_upload.py --count 200`/);
  });

  test('an exported page has times of the zone of its reader', async () => {
    const env = { ...environment(home), TZ: 'Asia/Tokyo' };
    const words = ['export', history.upload.sessionId, '--format', 'html', '-o', '-'];
    const { stdout } = await promisify(execFile)(binary, [...options(home), ...words], { env, maxBuffer: 1 << 26 });
    assert.match(stdout, /2026-03-03 18:12:\d\d to .* Asia\/Tokyo \(UTC\+09:00\)/);
  });

  test('a mistyped command or option is answered with the nearest', async () => {
    for (const [args, said, expected] of [
      [['serach', 'upload'], /^memd: there is no command `serach`: did you mean `memd search`\?/],
      [['frobnicate'], /^memd: there is no command `frobnicate`; memd help lists them/],
      [['search', 'upload', '--sinse', '7d'], /^memd: memd search has no option --sinse: did you mean --since\?/],
      [['search', 'upload', '--since', 'soon'], /^memd: --since: "soon" is no time/],
      [['sessions', '--state', 'odd'], /^memd: --state: /],
      [['memory', 'lst'], /^memd: there is no command `memd memory lst`: did you mean `memd memory list`\?/],
      [['capture', 'pasue'], /^memd: there is no command `memd capture pasue`: did you mean `memd capture pause`\?/],
      [['memory', 'frobnicate'], /^memd: there is no command `memd memory frobnicate`; memd memory --help lists them/],
      [['show', 'upload'], /^memd: no session "upload"/, 1],
    ]) {
      const { code, stderr, stdout } = await cli(home, ...args);
      assert.equal(code, expected ?? 2, args.join(' '));
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /semantic_search|get_exchange|n_results/);
      assert.equal(stdout, '');
    }
  });

  test('help and version in all their ways', async () => {
    const [help, dashes] = [await cli(home, 'help', 'search'), await cli(home, 'search', '--help')];
    assert.equal(help.stdout, dashes.stdout);
    assert.equal((await cli(home, 'help')).stdout, (await cli(home, '--help')).stdout);
    assert.match((await cli(home, '-V')).stdout, /^memd \d/);
    assert.doesNotMatch((await cli(home, 'help')).stdout, /^ +complete /m);
  });

  test('the manual says what help says', async () => {
    const page = await cli(home, 'man', 'search');
    assert.match(page.stdout, /^\.TH MEMD-SEARCH 1/);
    const all = await cli(home, 'man');
    for (const code of [0, 1, 2, 3]) assert.match(all.stdout, new RegExp(`^\\.B ${code}$`, 'm'));
  });

  test('what --json prints is as its schema says', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const text = join(home.root, 'memory.txt');
    writeFileSync(text, 'Rename before the answer, or the test is too early.\n');
    const events = join(home.root, 'talk.jsonl');
    writeFileSync(events, '{"v":1,"id":"1","ts":"2026-03-03T09:12:00Z","session_id":"talk-1","actor":"user","kind":"message","body":{"text":"Where do parcels wait?"}}\n');
    mkdirSync(join(home.dir, '.cursor'), { recursive: true });
    writeFileSync(join(home.dir, '.cursor', 'mcp.json'), '{}\n');
    const write = ['--type', 'learning', '--scope', 'global', '--title'];
    // The order matters: later commands use results of earlier ones.
    const quill = join(home.root, 'quill.yaml');
    writeFileSync(quill, 'agent: quill\nname: Quill\nsources: [{roots: [~/.quill], files: "{session}.jsonl", format: jsonl, rules: [{prompt: /text}]}]\n');
    const ran = {
      ingest: ['--once'], search: ['upload test', '--explain'], show: ['x1', '--tools'], recent: [], summary: [], resume: ['latest'], sessions: [],
      record: ['x1'], timeline: ['--since', '2026-03-01'], topic: ['token bucket'], observations: [], 'file-history': ['server/store.py'],
      status: [], coverage: [], log: [], diagnostics: [], doctor: [], forget: ['latest'], project: ['list'], retention: [],
      metrics: [], usage: [], report: [], cmd: [], fix: [], share: ['status'], platform: ['try', quill], capabilities: [], capture: ['status'], import: ['--check', events], setup: ['cursor', '--dry-run'],
      'memory write': [...write, 'Rename first', '--slug', 'rename-first', text],
      'memory list': [], 'memory show': ['rename-first'], 'memory edit': ['rename-first', '--title', 'Rename, then answer'],
      'memory update': ['rename-first', '--title', 'Rename, then answer them'],
      'memory link': ['rename-first', 'rename-first'], 'memory unlink': ['rename-first', 'rename-first'], 'memory graph': [],
      'memory health': [], 'memory garden': [], 'memory rebuild': ['--state'], 'memory promote': ['x1', '--dry-run', '--scope', 'global'],
      'memory suggest': ['--days', '10000'], 'memory recap': ['2026-03-10', '--project', '/home/ada/src/parcel'], 'memory verify': [],
      'memory delete': ['rename-first'], 'memory undo': [],
      key: ['new', join(home.root, 'key')], restart: [], stop: [], rebuild: [], uninstall: ['--dry-run'],
    };
    const refused = new Set(['memory link', 'memory unlink', 'memory verify']); // a memory cannot be linked to itself, and there is no repository here
    const listed = (await cli(home, 'schema')).stdout.trim().split('\n');
    assert.deepEqual(listed.sort(), Object.keys(ran).sort(), 'every command that has a schema is tried here');
    for (const [name, args] of Object.entries(ran)) {
      const words = name.split(' ');
      const file = name === 'report' ? 'report.schema.json' : `cli/${words.join('-')}.schema.json`;
      const schema = JSON.parse(readFileSync(fileURLToPath(new URL(`../../schemas/json/${file}`, import.meta.url)), 'utf8'));
      assert.deepEqual(JSON.parse((await cli(home, 'schema', ...words)).stdout), schema);
      const { code, json, stderr } = await cli(home, ...words, ...args);
      if (refused.has(name) && code !== 0) continue;
      const validate = ajv.compile(schema);
      assert.ok(validate(json), `${name}: ${JSON.stringify(validate.errors)} ${stderr}`);
    }
    for (const command of ['browse', 'open', 'handoff', 'logs']) {
      const { code, stderr } = await cli(home, command);
      assert.equal(code, 2, command);
      assert.match(stderr, /prints no JSON document|is required/, command);
    }
  });

  test('memd alone tells of today, and how to begin', async () => {
    const { code, stdout } = await promisify(execFile)(binary, options(home), { env: environment(home) }).then((out) => ({ code: 0, ...out }));
    assert.equal(code, 0);
    assert.match(stdout, /3 sessions, 5 turns/);
    assert.match(stdout, /Rate limiter as a token bucket/);
    const empty = new Home();
    try {
      const { stdout: first } = await promisify(execFile)(binary, options(empty), { env: environment(empty) });
      assert.match(first, /No history of an agent was found/);
      assert.match(first, /memd setup/);
      assert.match(first, /memd ingest --once/);
      uploadSession(empty, { start: '2026-03-03T09:00:00Z' });
      const { stdout: found } = await promisify(execFile)(binary, options(empty), { env: environment(empty) });
      assert.match(found, /Found here: history of Claude Code\./);
      assert.match(found, /register memd with Claude Code/);
    } finally {
      await cleanUp(empty);
    }
  });
});

// The last step of packaging/install.sh.
describe('show_history.py', () => {
  const script = fileURLToPath(new URL('../../packaging/show_history.py', import.meta.url));
  const show = async (home) => {
    const report = join(home.root, 'report.json');
    writeFileSync(report, (await cli(home, 'ingest', '--once')).stdout);
    const { stdout } = await promisify(execFile)('python3', [script, report, binary, ...options(home)], { env: environment(home) });
    return stdout;
  };

  test('a table and a search that finds something', async () => {
    const stdout = await show(home);
    assert.match(stdout, /claude_code +3 +5 +2026-03-03 +2026-03-12/);
    assert.match(stdout, /\$ memd search '[a-z ]+' -n 3\n.*\S/s);
  });

  test('nothing to show is no failure', async () => {
    const empty = new Home();
    try {
      assert.match(await show(empty), /No history/);
    } finally {
      await cleanUp(empty);
    }
  });
});

describe('inspector', () => {
  const launcher = fileURLToPath(new URL('./node_modules/.bin/mcp-inspector', import.meta.url));
  const inspect = async (way, ...args) => {
    const { command, args: server } = ways[way](home);
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--cli', command, ...server, ...args], {
      env: { ...environment(home), MCP_CATALOG_PATH: `${home.root}/inspector.json` },
      timeout: 60_000,
      maxBuffer: 16 << 20,
    });
    return stdout;
  };
  for (const way of Object.keys(ways)) {
    for (const era of ['modern', 'auto', 'legacy']) {
      test(`${way}, ${era}: portable schemas`, async () => {
        await stopDaemons(home);
        if (way === 'socket') await startDaemon(home);
        const stdout = await inspect(way, '--method', 'tools/list', '--protocol-era', era, '--strict');
        assert.equal(JSON.parse(stdout).tools.length, 15);
      });
    }
  }

  test('two hundred calls, ten at a time', async () => {
    await stopDaemons(home);
    const stdout = await inspect('pump', '--method', 'tools/call', '--tool-name', 'semantic_search', '--tool-arg', 'query=upload',
      '--load', '--load-requests', '200');
    const { ok, toolErrors, errors } = JSON.parse(stdout);
    assert.deepEqual({ ok, toolErrors, errors }, { ok: 200, toolErrors: 0, errors: 0 });
    await stopDaemons(home);
  });
});
