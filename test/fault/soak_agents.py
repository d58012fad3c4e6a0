"""Made-up agents that write while memd reads, and what has to be found of it: each word they wrote, once."""
import collections
import json
import os
import random
import re
import sqlite3
import threading
import time

WORD = re.compile(r"\b(?:claude|codex|cursor|gemini|old|leaving)[0-9]+x[0-9]+\b")
FILLER = "the cache of the parser holds a window of tokens until the ledger of the branch is committed".split()


class Words:
    """The number of times each word must be found. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.wanted = {}
        self.made = collections.Counter()

    def new(self, kind):
        with self.lock:
            self.made[kind] += 1
            word = f"{kind}{self.made[kind]}x{self.made[kind] % 7}"
            self.wanted[word] = 1
            return word

    def gone(self, word):
        with self.lock:
            self.wanted[word] = 0

    def differences(self, found):
        """Returns the words that are missing, those found too often, and those that should be gone."""
        with self.lock:
            wanted = dict(self.wanted)
        missing = [w for w, n in wanted.items() if n > found[w]]
        surplus = [w for w in found if found[w] > wanted.get(w, 0)]
        return missing, [w for w in surplus if wanted.get(w)], [w for w in surplus if not wanted.get(w)]


def text_of(r, word, length=12):
    return f"{word} " + " ".join(r.choices(FILLER, k=length))


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + ".000Z"


class Log:
    """A file of lines. Each step appends a piece that may end anywhere; finish() appends the rest."""

    def __init__(self, path, pieces):
        self.path, self.pieces, self.rest = path, pieces, b""
        path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, lines):
        self.rest += b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        self.append(self.rest[:self.pieces.randrange(1, len(self.rest) + 1)])

    def append(self, piece):
        with open(self.path, "ab") as file:
            file.write(piece)
        self.rest = self.rest[len(piece):]

    def finish(self):
        if self.rest:
            self.append(self.rest)


class LogAgent:
    """Sessions in log files, a few at a time. Subclasses define how a turn is written."""
    SESSIONS, TURNS = 5, 40

    def __init__(self, home, words, seed):
        self.home, self.words, self.r = home, words, random.Random(seed)
        self.number, self.open, self.turns = 0, [], {}
        self.at = int(time.time()) - 30 * 86400

    def next_id(self, kind):
        self.number += 1
        return f"{kind:08x}-0000-7000-8000-{self.number:012x}"

    def step(self):
        if len(self.open) < self.SESSIONS:
            log = self.begin()
            self.open.append(log)
            self.turns[log] = 0
        log = self.r.choice(self.open)
        self.at += 1
        log.add(self.turn(log))
        self.turns[log] += 1
        if self.turns[log] >= self.TURNS:
            self.close(log)

    def close(self, log):
        log.finish()
        self.open.remove(log)

    def finish(self):
        for log in self.open:
            log.finish()

    # Everything that the daemon has already read may be damaged: its rows stay.
    def damage(self):
        written = [log for log in self.open if log.path.exists()]
        if not written:
            return "nothing"
        log = self.r.choice(written)
        lines = log.path.read_bytes().splitlines(keepends=True)
        kind = self.r.choice(["truncated", "torn", "emptied", "replaced", "removed", "moved away and back"])
        if kind == "truncated":
            os.truncate(log.path, sum(map(len, lines[:self.r.randrange(1, len(lines) + 1)])))
        elif kind == "torn":
            size = sum(map(len, lines))
            cut = self.r.randrange(1, size)
            os.truncate(log.path, cut)
            log.rest = b"".join(lines)[cut:]
        elif kind == "emptied":
            os.truncate(log.path, 0)
        elif kind == "replaced":
            beside = log.path.with_suffix(".new")
            beside.write_bytes(b"".join(lines[:1] + lines[len(lines) // 2:]))
            beside.rename(log.path)
        elif kind == "moved away and back":
            away = log.path.with_suffix(".away")
            log.path.rename(away)
            away.rename(log.path)
        else:
            self.open.remove(log)
            log.path.unlink()
        return kind


class ClaudeCode(LogAgent):
    def __init__(self, home, words, seed, kind="claude", project="/w/open", **limits):
        super().__init__(home, words, seed)
        self.kind, self.project = kind, project
        for name, value in limits.items():
            setattr(self, name, value)

    def begin(self):
        self.session = self.next_id(0xC1A0 + len(self.kind))
        folder = self.home / ".claude/projects" / self.project.replace("/", "-")
        log = Log(folder / f"{self.session}.jsonl", self.r)
        log.session = self.session
        return log

    def line(self, log, role, message, **more):
        self.records = getattr(self, "records", 0) + 1
        return {"uuid": f"{self.records:08x}-{len(self.kind):04x}-4000-8000-{log.session[-12:]}", "sessionId": log.session,
                "timestamp": stamp(self.at), "cwd": self.project, "version": "2.1.7", "type": role,
                "message": {"role": role, **message}, **more}

    def turn(self, log):
        prompt, answer = self.words.new(self.kind), self.words.new(self.kind)
        call = f"toolu_{log.session[-6:]}{self.turns[log]}"
        out = [self.line(log, "user", {"content": text_of(self.r, prompt)})]
        if self.r.random() < 0.2:
            out.append(self.line(log, "assistant", {"model": "m", "content": [
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "make test"}}]}))
            output = " ".join(self.r.choices(FILLER, k=self.r.choice([10, 300, 5000])))
            out.append(self.line(log, "user", {"content": [
                {"type": "tool_result", "tool_use_id": call, "content": output}]}))
        out.append(self.line(log, "assistant", {"model": "m", "content": [
            {"type": "text", "text": text_of(self.r, answer)}]}))
        return out


class OldSession(ClaudeCode):
    """A session of 2001 with a long prompt. Retention evicts it, except for its first lines."""

    def write(self):
        self.at = 1_000_000_000 + self.number * 86400
        log = self.begin()
        first, last = self.words.new("old"), self.words.new("old")
        prompt = text_of(self.r, first) + "\n" + "\n".join(text_of(self.r, "line", 20) for _ in range(60)) + "\n" + last
        log.add([self.line(log, "user", {"content": prompt}),
                 self.line(log, "assistant", {"model": "m", "content": [{"type": "text", "text": "It is done."}]})])
        log.finish()
        return last


class Codex(LogAgent):
    def begin(self):
        session = self.next_id(0x019C)
        folder = self.home / ".codex/sessions" / time.strftime("%Y/%m/%d", time.gmtime(self.at))
        log = Log(folder / f"rollout-2026-03-04T11-00-00-{session}.jsonl", self.r)
        log.add([{"timestamp": stamp(self.at), "type": "session_meta", "payload": {
            "id": session, "timestamp": stamp(self.at), "cwd": "/w/open", "originator": "codex_cli_rs",
            "cli_version": "0.77.0", "instructions": None, "source": "cli", "model_provider": "openai"}}])
        return log

    def turn(self, log):
        prompt, answer = (text_of(self.r, self.words.new("codex")) for _ in range(2))
        message = lambda role, kind, text: {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return [{"timestamp": stamp(self.at), "type": type_, "payload": payload} for type_, payload in [
            ("response_item", message("user", "input_text", prompt)),
            ("event_msg", {"type": "user_message", "message": prompt, "images": []}),
            ("response_item", message("assistant", "output_text", answer)),
            ("event_msg", {"type": "agent_message", "message": answer})]]


class Cursor:
    """Conversations in state.vscdb. Bubbles are added and changed in place."""
    BUBBLES = 60

    def __init__(self, home, words, seed):
        self.words, self.r = words, random.Random(seed)
        file = home / ".config/Cursor/User/globalStorage/state.vscdb"
        file.parent.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(file, check_same_thread=False, timeout=30)
        self.database.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
            "CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.talk, self.held = 0, []

    @staticmethod
    def id(kind, number):
        return f"{kind:08x}-0000-4000-8000-{number:012x}"

    def put_bubble(self, number, word, replace):
        key = f"bubbleId:{self.id(0xC0, self.talk)}:{self.id(0xB0, self.talk * 1000 + number)}"
        value = json.dumps({"type": 1 if number % 2 == 0 else 2, "text": text_of(self.r, word),
                            "createdAt": 1_760_000_000_000 + self.talk * 3_600_000 + number * 1000})
        if replace:
            self.database.execute("UPDATE cursorDiskKV SET value = ? WHERE key = ?", (value, key))
        else:
            self.database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, value))

    def step(self):
        if len(self.held) >= self.BUBBLES:
            self.talk, self.held = self.talk + 1, []
        word = self.words.new("cursor")
        with self.database:
            if self.held and self.r.random() < 0.2:
                number = self.r.randrange(len(self.held))
                self.words.gone(self.held[number])
                self.held[number] = word
                self.put_bubble(number, word, True)
                return
            self.held.append(word)
            self.put_bubble(len(self.held) - 1, word, False)
            headers = [{"bubbleId": self.id(0xB0, self.talk * 1000 + n), "type": 1 if n % 2 == 0 else 2}
                       for n in range(len(self.held))]
            self.database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (
                f"composerData:{self.id(0xC0, self.talk)}",
                json.dumps({"composerId": self.id(0xC0, self.talk), "name": f"Talk {self.talk}",
                            "createdAt": 1_760_000_000_000, "fullConversationHeadersOnly": headers})))

    def finish(self):
        pass


class Gemini:
    """Documents that are rewritten for each message."""
    MESSAGES = 40

    def __init__(self, home, words, seed):
        self.words, self.r, self.number = words, random.Random(seed), 0
        self.folder = home / ".gemini/tmp/open/chats"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder.parent / ".project_root").write_text("/w/open")
        self.messages = []

    def step(self):
        if not self.messages or len(self.messages) >= self.MESSAGES:
            self.number, self.messages = self.number + 1, []
        at = 1_770_000_000 + self.number * 3600 + len(self.messages)
        is_prompt = len(self.messages) % 2 == 0
        self.messages.append({"id": f"{self.number:08x}-0000-4000-8000-{len(self.messages):012x}", "timestamp": stamp(at),
                              "type": "user" if is_prompt else "gemini",
                              "content": text_of(self.r, self.words.new("gemini"))})
        session = f"{self.number:08x}-1111-4111-8111-111111111111"
        file = self.folder / f"session-2026-03-01T10-00-{self.number:08x}.json"
        beside = file.with_suffix(".tmp")
        beside.write_text(json.dumps({"sessionId": session, "projectHash": "7d0f", "startTime": stamp(1_770_000_000),
                                      "lastUpdated": stamp(at), "messages": self.messages}))
        beside.rename(file)

    def finish(self):
        pass
