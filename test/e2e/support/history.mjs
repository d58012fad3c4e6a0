// A temporary home directory with a small Claude Code history written for these tests.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let ids = 0;
const uuid = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;

// The file of one session. Every call appends whole lines, as the agent does.
export class Transcript {
  constructor(home, { cwd, branch, start, id = uuid() }) {
    this.sessionId = id;
    this.cwd = cwd;
    this.branch = branch;
    this.time = Date.parse(start);
    this.parent = null;
    const directory = join(home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9-]/g, '-'));
    mkdirSync(directory, { recursive: true });
    this.path = join(directory, `${this.sessionId}.jsonl`);
  }

  write(record) {
    appendFileSync(this.path, `${JSON.stringify(record)}\n`);
    return this;
  }

  chained(type, rest) {
    const id = uuid();
    this.time += 7_000;
    this.write({
      parentUuid: this.parent,
      isSidechain: false,
      type,
      uuid: id,
      timestamp: new Date(this.time).toISOString(),
      userType: 'external',
      cwd: this.cwd,
      sessionId: this.sessionId,
      version: '2.1.20',
      gitBranch: this.branch,
      ...rest,
    });
    this.parent = id;
    return this;
  }

  prompt(text) {
    return this.chained('user', { message: { role: 'user', content: text } });
  }

  assistant(block, stopReason) {
    return this.chained('assistant', {
      requestId: `req_${ids}`,
      message: {
        id: `msg_${ids}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-6',
        content: [block],
        stop_reason: stopReason,
        usage: { input_tokens: 9, output_tokens: 120, cache_read_input_tokens: 4000, cache_creation_input_tokens: 300 },
      },
    });
  }

  answer(text) {
    return this.assistant({ type: 'text', text }, 'end_turn');
  }

  tool(name, input, result, isError = false, more = {}) {
    const id = `toolu_${ids}`;
    this.assistant({ type: 'tool_use', id, name, input }, 'tool_use');
    const content = [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }];
    return this.chained('user', { message: { role: 'user', content }, ...more });
  }

  // The agent asks, and the person chooses.
  choose(question, answer) {
    return this.tool('AskUserQuestion', { questions: [{ question }] }, 'User has answered your questions.', false,
      { toolUseResult: { answers: { [question]: answer } } });
  }

  title(text) {
    return this.write({ type: 'ai-title', aiTitle: text, sessionId: this.sessionId });
  }
}

export class Home {
  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'memd-e2e-'));
    this.dir = join(this.root, 'home');
    this.data = join(this.root, 'data');
    mkdirSync(this.dir, { mode: 0o700 });
    mkdirSync(this.data, { mode: 0o700 });
  }

  session(options) {
    return new Transcript(this.dir, options);
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}

// Three sessions of a fictitious user. `fails`: the first run of the tests is recorded as an error.
export function uploadSession(home, { fails = false, ...options }) {
  return home
    .session({ cwd: '/home/ada/src/parcel', branch: 'main', ...options })
    .prompt('The upload test fails about once in twenty runs. Find out why before you change anything.')
    .tool('Bash', { command: 'pytest tests/test_upload.py --count 40', description: 'Repeat the upload test' },
      '38 passed, 2 failed: FileNotFoundError: incoming/a.bin', fails)
    .tool('Read', { file_path: '/home/ada/src/parcel/server/store.py' }, '41\tos.rename(part, final)  # after the answer')
    .answer('The server answers before it renames the part file into place, so the test sometimes looks for a file ' +
      'that does not exist yet. The test is right; the race is in server/store.py.')
    .prompt('Then rename first and answer afterwards.')
    .tool('Edit', { file_path: '/home/ada/src/parcel/server/store.py', old_string: 'answer()\nrename()', new_string: 'rename()\nanswer()' },
      'The file has been updated.')
    .tool('Bash', { command: 'pytest tests/test_upload.py --count 200', description: 'Repeat the upload test' }, '200 passed')
    .answer('Done: server/store.py renames before it answers. 200 runs of the upload test pass.')
    .title('Upload test races the rename');
}

export function limiterSession(home, options) {
  return home
    .session({ cwd: '/home/ada/src/parcel', branch: 'rate-limit', ...options })
    .prompt('Requests come in bursts. Should the rate limiter be a token bucket or a sliding window?')
    .answer('A token bucket: it allows short bursts and needs two numbers per client. I decided on 20 tokens, ' +
      'refilled at 5 a second.')
    .prompt('Agreed, write it.')
    .tool('Write', { file_path: '/home/ada/src/parcel/server/limiter.py', content: 'class TokenBucket:\n    pass\n' },
      'File created successfully')
    .answer('The token bucket stands in server/limiter.py.')
    .title('Rate limiter as a token bucket');
}

export function cacheSession(home, options) {
  return home
    .session({ cwd: '/home/ada/src/notes', branch: 'main', ...options })
    .prompt('Where does the notes app keep its cache, and may I delete it?')
    .answer('In ~/.cache/notes. It is rebuilt from the notes at the next start, so you may delete it.')
    .title('What the cache of the notes app holds');
}

// Writes these sessions: two projects, five exchanges.
export function writeHistory(home) {
  const upload = uploadSession(home, { start: '2026-03-03T09:12:00Z' });
  const limiter = limiterSession(home, { start: '2026-03-10T14:00:00Z' });
  const cache = cacheSession(home, { start: '2026-03-12T08:30:00Z' });
  return { upload, limiter, cache, sessions: 3, exchanges: 5 };
}
