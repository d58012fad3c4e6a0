#!/usr/bin/env python3
"""Runs a daemon for a while over agents' files that change all the time, and looks whether anything is lost or leaks.

soak.py MEMD [--minutes 20] [--preload LIBRARY]

In each round made-up agents (soak_agents.py) write to transcripts of Claude Code and Codex, Cursor's database and
Gemini's documents, lines torn at any byte, while clients ask over the socket and over stdio, and something happens:
the daemon is stopped or killed and started again, its clock jumps (with --preload: the library failing_calls of this
folder), transcripts are truncated, replaced or removed, retention drops old sessions, a project is forgotten. After
the round each word that was written is found once, except what was dropped or changed, and the ledger of each source
adds up. In the end the daemon holds no more memory, descriptors and threads than a fresh one over the same store, no
file is left over, and doctor and a rebuild agree. A run without --minutes has each event once. Ends with 1 when
something does not hold.
"""
import argparse
import collections
import contextlib
import json
import mmap
import os
import pathlib
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # nothing is left in the source tree
from flood import Client, Daemon, size_of
from soak_agents import WORD, ClaudeCode, Codex, Cursor, Gemini, OldSession, Words

CONFIGURATION = "retention: {max_age_days: 3650}\n"  # evicts sessions of 2001, even after jumps of the clock
CLOCK_AT, FAILURES_SIZE = 528, 880  # offset and size in struct CallFailures (preload/call_failures.hpp)
FILES = {"memd.db", "memd.db-wal", "memd.db-shm", "memd.db.old", "memd.pid", "memd.program", "withheld", "s",
         "summaries.db", "summaries.db-wal", "summaries.db-shm"}
MOST_WAL = 64  # MB
MOST_DESCRIPTORS = 12  # more than a fresh daemon has
PATIENCE = 300  # seconds
QUESTIONS = 25  # per client in a round


class Fault(Exception):
    pass


class Clock:
    """The clock of the daemon, with an offset in seconds from ours."""

    def __init__(self, file, library):
        self.environment = {}
        self.map = None
        if library:
            file.write_bytes(bytes(FAILURES_SIZE))
            with open(file, "r+b") as opened:
                self.map = mmap.mmap(opened.fileno(), FAILURES_SIZE)
            sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
            self.environment = {"LD_PRELOAD": library, "MEMD_CALL_FAILURES": str(file), "ASAN_OPTIONS": sanitizer}

    def jump(self, seconds):
        if self.map is not None:
            self.map[CLOCK_AT:CLOCK_AT + 8] = struct.pack("<q", seconds)


class Asker(threading.Thread):
    """Searches for known words until it is told to stop. The daemon may restart meanwhile."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.r, self.over = soak, random.Random(seed), threading.Event()

    def run(self):
        client, asked = None, 0
        while asked < QUESTIONS and not self.over.is_set():
            try:
                client = client or Client(self.soak.daemon.socket)
                self.soak.ask_something(client.ask, self.r)
                asked += 1
            except (OSError, ValueError):  # the daemon ended during the request
                self.soak.count["broken off"] += 1
                client = None
                self.over.wait(0.01)
        if client:
            client.close()


class Soak:
    def __init__(self, args, work):
        self.args, self.r = args, random.Random(args.seed)
        self.memd, self.home, self.data = args.memd, work / "home", work / "data"
        self.home.mkdir()
        (work / "config.yaml").write_text(CONFIGURATION)
        self.arguments = ["--config", str(work / "config.yaml")]
        self.clock = Clock(work / "clock", args.preload)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment["HOME"] = str(self.home)
        self.said = open(work / "said", "ab")
        self.words = Words()
        make = lambda agent, n, **more: agent(self.home, self.words, args.seed * 10 + n, **more)
        self.old = make(OldSession, 4, kind="old")
        self.leaving = make(ClaudeCode, 5, kind="leaving", SESSIONS=2, TURNS=1000)
        self.logs = [make(ClaudeCode, 0), make(Codex, 1)]
        self.writers = self.logs + [make(Cursor, 2), make(Gemini, 3)]
        self.known = []  # words of transcripts that a search must find
        self.evicted, self.forgotten = [], []
        self.count = collections.Counter()
        self.figures = []
        self.errors = []
        self.longest = 0.0
        self.daemon = None

    # --- what goes on ----------------------------------------------------------------------------------------------

    def start(self):
        self.daemon = Daemon(self.memd, self.home, self.data, self.arguments,
                             {**self.environment, **self.clock.environment}, self.said)

    def command(self, *arguments):
        done = subprocess.run([self.memd, "--home", str(self.home), "--data-dir", str(self.data), *self.arguments, *arguments],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def ask_something(self, ask, r):
        kind = r.randrange(6)
        word = r.choice(self.known) if self.known else "cache"
        name, arguments = [("semantic_search", {"query": word, "mode": "lexical"}), ("semantic_search", {"query": word}),
                           ("recent_turns", {"n_turns": 5}), ("list_sessions", {}), ("resume_context", {"session_id": "latest"}),
                           ("semantic_search", {"query": " ".join(r.sample(["cache", "ledger", "branch"], 2))})][kind]
        answer = ask("tools/call", {"name": name, "arguments": arguments})
        result = answer.get("result", {})
        self.count["questions"] += 1
        if answer.get("error", {}).get("data", {}).get("retryable"):  # the daemon is stopping
            raise ConnectionError
        if not result or result.get("isError"):
            self.errors.append(f"{name} {arguments}: {json.dumps(answer)[:300]}")
        elif kind == 0 and word in self.known and word not in json.dumps(result):
            self.errors.append(f"a search does not find {word}: {json.dumps(result)[:300]}")

    # A client that starts memd --stdio, sends a request and ends.
    def ask_over_stdio(self):
        pump = subprocess.Popen([self.memd, "--home", str(self.home), "--data-dir", str(self.data), *self.arguments,
                                 "--stdio"], env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)
        lines = Client.__new__(Client)
        lines.number = 0

        def ask(method, params):
            pump.stdin.write(lines.request(method, params))
            pump.stdin.flush()
            while True:
                line = pump.stdout.readline()
                if not line:
                    raise Fault("memd --stdio ended while it was asked")
                answer = json.loads(line)
                if answer.get("id") == lines.number:
                    return answer

        try:
            for _ in range(4):
                self.ask_something(ask, self.r)
                self.count["questions over stdio"] += 1
            pump.stdin.close()
            if pump.wait(30) != 0:
                self.errors.append(f"memd --stdio ended with {pump.returncode}")
        finally:
            if pump.poll() is None:
                pump.kill()

    def write(self, agent, steps):
        for _ in range(steps):
            agent.step()
            self.count["writes"] += 1

    def stop(self):
        """The daemon gives its workers ten seconds to end, which may be too few on a busy machine."""
        said_before = os.stat(self.said.name).st_size
        code = self.daemon.stop()
        with open(self.said.name, encoding="utf-8", errors="replace") as said:
            said.seek(said_before)
            was_late = "leaving without them" in said.read()
        if was_late:
            self.count["ends that took too long"] += 1
        elif code != 0:
            raise Fault(f"the daemon ended with {code}")
        return not was_late

    def restart(self):
        self.stop()
        self.start()

    def kill(self):
        self.daemon.kill()
        self.start()

    def jump(self):
        if self.clock.map is None:
            return
        self.clock.jump(self.r.choice([0, 3600, -3600, 86400, -86400, 5 * 365 * 86400, -5 * 365 * 86400]))

    def forget(self):
        """Forgets a project whose agent continues to write."""
        self.leaving.project = f"/w/leavingproject{self.count['forget']}"
        self.leaving.open = []
        self.leaving.SESSIONS = 2
        self.write(self.leaving, 6)
        self.leaving.finish()
        # Only sessions can be forgotten: a log that is not written yet has none.
        self.leaving.open = [log for log in self.leaving.open if log.path.exists()]
        self.leaving.SESSIONS = len(self.leaving.open)
        self.catch_up()
        code, said = self.command("forget", "--project", self.leaving.project[3:], "--yes")
        if code != 0:
            raise Fault(f"forget ended with {code}: {said}")
        self.write(self.leaving, 3)
        self.leaving.finish()
        for word in [w for w in self.words.wanted if w.startswith("leaving")]:
            self.words.gone(word)
        self.forgotten += [log.session for log in self.leaving.open]

    def retain(self):
        last = [self.old.write() for _ in range(3)]
        self.catch_up()
        # Only analysed sessions are evicted, and the daemon analyses them in the background.
        if not self.daemon.until(lambda: self.one_number(
                "SELECT count(*) FROM sessions WHERE ended_at < 1100000000000 AND analyzed_at IS NULL") == 0, PATIENCE):
            raise Fault("the sessions of 2001 are not analysed")
        code, said = self.command("retention", "--apply")
        if code != 0 or self.found_of(last):
            raise Fault(f"retention ended with {code} and left {self.found_of(last)}: {said}")
        for word in last:
            self.words.gone(word)

    def damage(self):
        """Damages sources after everything was read, while the reader may already read again."""
        self.catch_up()
        for log in self.logs:
            self.count["source " + log.damage()] += 1

    EVENTS = ["restart", "kill", "jump", "damage", "forget", "retain", "ask_over_stdio"]

    def round(self, event):
        writers = [threading.Thread(target=self.write, args=(agent, self.args.writes)) for agent in self.writers]
        askers = [Asker(self, self.r.random()) for _ in range(2)]
        for thread in writers + askers:
            thread.start()
        try:
            if event in ("forget", "retain", "damage"):  # these need all earlier writes to be read
                for writer in writers:
                    writer.join()
            getattr(self, event)()
            self.count[event] += 1
            if event == "damage":
                for log in self.logs:
                    self.write(log, 3)
        finally:
            for writer in writers:
                writer.join()
            for asker in askers:
                asker.over.set()
                asker.join()

    # --- what has to hold --------------------------------------------------------------------------------------------

    def catch_up(self):
        for agent in self.writers + [self.leaving]:
            agent.finish()
        client = Client(self.daemon.socket)
        client.socket.settimeout(300)
        answer = client.ask("memd/ingest", {})
        client.close()
        report = answer.get("result")
        if not report:
            raise Fault(f"ingest: {answer}")

    def database(self):
        return contextlib.closing(sqlite3.connect(f"file:{self.data}/memd.db?mode=ro", uri=True, timeout=30))

    def one_number(self, sql):
        with self.database() as db:
            return db.execute(sql).fetchone()[0]

    def found(self):
        counted = collections.Counter()
        with self.database() as db:
            for row in db.execute("SELECT user_message, interventions, assistant_response FROM exchanges"):
                for text in row:
                    counted.update(WORD.findall(text or ""))
        return counted

    def found_of(self, words):
        counted = self.found()
        return [w for w in words if counted[w] > 0]

    def check(self, of_cursor=True):
        """Without `of_cursor`, changes made in place in Cursor's database may still be unread: memd limits the check
        for them to a fiftieth of its time."""
        self.catch_up()
        if of_cursor:
            began = time.monotonic()
            self.daemon.until(lambda: not any(self.words.differences(self.found())), PATIENCE)
            self.longest = max(self.longest, time.monotonic() - began)
        missing, doubled, left = self.words.differences(self.found())
        if not of_cursor:
            missing, left = ([w for w in words if not w.startswith("cursor")] for words in (missing, left))
        for what, which in [("missing", missing), ("doubled", doubled), ("not gone", left)]:
            self.count[what] = max(self.count[what], len(which))
            if which:
                self.errors.append(f"{len(which)} words are {what}: {which[:5]}")
        with self.database() as db:
            wrong = db.execute("SELECT path, cursor, (SELECT coalesce(sum(bytes), 0) FROM coverage c WHERE c.source_pk ="
                               " o.source_pk) AS sum FROM sources o WHERE cursor <> sum").fetchall()
        if wrong:
            self.errors.append(f"the ledger of {len(wrong)} sources does not add up: {wrong[:3]}")
        with self.words.lock:
            self.known = [w for w, n in self.words.wanted.items() if n and w.startswith(("claude", "codex"))][-500:]

    def descriptors(self):
        """Counts the open descriptors by their targets."""
        out = collections.Counter()
        for link in pathlib.Path(f"/proc/{self.daemon.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                leads_to = os.readlink(link).removeprefix(str(self.data.parent))
                out[re.sub(r":\[\d+\]|(?<=/proc/)\d+", "", leads_to)] += 1
        return out

    def held(self):
        pid = self.daemon.process.pid
        self.daemon.comes_to_rest()
        wal = self.data / "memd.db-wal"
        # Not VmRSS: it counts the pages of the program that the daemon has come through, too.
        return {"memory": self.daemon.memory("RssAnon"), "descriptors": self.descriptors().total(),
                "threads": len(os.listdir(f"/proc/{pid}/task")), "files": size_of(self.data)[0],
                "database": os.stat(self.data / "memd.db").st_size / 1e6,
                "log": os.stat(wal).st_size / 1e6 if wal.exists() else 0.0}

    def tell(self, name, held):
        words = sum(self.words.made.values())
        print(f"  {name:<18} {words:>7} words, {held['memory']:6.1f} MB, {held['descriptors']:3} descriptors, "
              f"{held['threads']:2} threads, {held['files']:5} files, memd.db {held['database']:6.1f} MB, "
              f"WAL {held['log']:5.1f} MB", flush=True)

    def compare_with_a_fresh_one(self):
        """Compares the memory and descriptors of this daemon with those of a fresh one on the same store after the same
        requests."""
        def ask():
            client = Client(self.daemon.socket)
            r = random.Random(1)
            for _ in range(40):
                self.ask_something(client.ask, r)
            client.close()

        ask()
        worn = self.held()
        led_to = self.descriptors()
        self.tell("at the end", worn)
        self.restart()
        self.catch_up()
        ask()
        fresh = self.held()
        self.tell("a fresh daemon", fresh)
        if worn["memory"] > fresh["memory"] + self.args.most_growth:
            self.errors.append(f"{worn['memory'] - fresh['memory']:.1f} MB more than a fresh daemon holds")
        # SQLite keeps the descriptors of closed connections while others hold locks, and closes them later.
        more = led_to - self.descriptors()
        if more.total() > MOST_DESCRIPTORS:
            self.errors.append(f"descriptors that a fresh daemon has not: {dict(more)}")
        if worn["threads"] > fresh["threads"] + 1:
            self.errors.append(f"{worn['threads']} threads, a fresh daemon has {fresh['threads']}")
        if worn["log"] > MOST_WAL:
            self.errors.append(f"memd.db-wal has {worn['log']:.0f} MB")

    def check_files(self, ended_in_time):
        names = {path.name for path in self.data.iterdir()} - FILES - {"raw", "imports", "setup"}
        if names:
            self.errors.append(f"files are left over: {sorted(names)}")
        if ended_in_time and any(path.name.endswith("-wal") and path.stat().st_size for path in self.data.iterdir()):
            self.errors.append("a WAL with something in it is left by a daemon that was stopped")
        raw = [str(path) for path in (self.data / "raw").rglob("*")]
        for session in self.forgotten:
            if any(session in name for name in raw):
                self.errors.append(f"the raw layer of forgotten {session} is there")
        for file in self.data.iterdir():
            if file.is_file() and b"leaving" in (bytes_ := file.read_bytes()):
                words = {w for w in set(WORD.findall(bytes_.decode("latin-1"))) if w.startswith("leaving")}
                if words:
                    self.errors.append(f"{file.name} holds forgotten words: {sorted(words)[:5]}")

    def run(self):
        began = time.monotonic()
        end = began + self.args.minutes * 60
        self.data.mkdir(mode=0o700)
        self.start()
        self.write(self.logs[0], 20)
        self.check()
        rounds = 0
        waiting = []
        while waiting or rounds < len(self.EVENTS) or time.monotonic() < end:
            if not waiting:
                waiting = self.r.sample(self.EVENTS, len(self.EVENTS))
            event = waiting.pop()
            self.round(event)
            rounds += 1
            self.check(not waiting)
            if self.errors:
                raise Fault(f"after round {rounds} ({event})")
            if not waiting and rounds % (len(self.EVENTS) * self.args.tell) == 0:
                self.tell(f"{time.monotonic() - began:.0f} s", self.held())
        self.compare_with_a_fresh_one()
        self.clock.jump(0)
        self.restart()
        code, said = self.command("doctor", "--full")
        if code != 0:
            self.errors.append(f"doctor ended with {code}: {said}")
        ended_in_time = self.stop()
        if self.count["ends that took too long"] > max(1, self.count["restart"] / 10):
            self.errors.append(f"{self.count['ends that took too long']} daemons did not end in time")
        self.check_files(ended_in_time)
        code, said = self.command("rebuild")
        if code != 0:
            self.errors.append(f"rebuild ended with {code}: {said}")
        missing, doubled, left = self.words.differences(self.found())
        if missing or doubled or left:
            self.errors.append(f"after a rebuild: missing {missing[:5]}, doubled {doubled[:5]}, not gone {left[:5]}")
        print(f"soak: {rounds} rounds in {time.monotonic() - began:.0f} s, {sum(self.words.made.values())} words: "
              + ", ".join(f"{self.count[what]} {what}" for what in ("missing", "doubled", "not gone")))
        print("  " + ", ".join(f"{n} {what}" for what, n in sorted(self.count.items()) if n))
        print(f"  all words of Cursor were found {self.longest:.1f} s after the last was written, at the latest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memd")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--preload", help="the library failing_calls, by which the daemon's clock jumps")
    parser.add_argument("--writes", type=int, default=20, help="of each agent in a round")
    parser.add_argument("--most-growth", type=float, default=15, help="MB")
    parser.add_argument("--tell", type=int, default=10, help="of so many times all events")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="the directory, for a look after a failure")
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="memd-soak-"))
    soak = Soak(args, work)
    try:
        soak.run()
    except Fault as fault:
        soak.errors.append(str(fault))
    finally:
        for process in Daemon.started:
            if process.poll() is None:
                process.kill()
        if args.keep:
            print(work)
        else:
            shutil.rmtree(work, ignore_errors=True)
    for error in soak.errors[:20]:
        print(error)
    sys.exit(1 if soak.errors else 0)


if __name__ == "__main__":
    main()
