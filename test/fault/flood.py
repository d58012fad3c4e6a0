#!/usr/bin/env python3
"""Floods a daemon with hostile clients while another one asks, or gives it very many small sources.

flood.py flood MEMD [--home DIR] [--clients 64] [--calls 20000]   memory before, during and after; the other client's times
flood.py files MEMD [--files 100000]                              time, memory and store of a home of small sessions

Everything is made up and lies in a directory that goes afterwards. Ends with 1 when a promise is broken: the daemon
died, the other client got no right answer, or it holds `--most-growth` MB more of its own afterwards
than before.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

TOOLS = ["semantic_search", "conversation_query", "topic_search", "recent_turns", "get_exchange", "list_sessions",
         "file_history", "resume_context", "temporal_query", "session_summary", "list_observations", "no_such_tool"]
WAIT = 30  # seconds for one answer
LOOK = 0.05  # seconds between two polls of a process


def make_home(home, sessions, turns, seed=1):
    """Claude Code sessions of about 200 bytes a line."""
    r = random.Random(seed)
    words = ["cache", "index", "parser", "thread", "socket", "ledger", "token", "window", "branch", "commit"]
    for i in range(sessions):
        folder = home / ".claude/projects" / f"-home-u-p{i // 200:05d}"
        if i % 200 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        session = str(uuid.UUID(int=r.getrandbits(128)))
        lines = []
        for turn in range(turns):
            role = "user" if turn % 2 == 0 else "assistant"
            content = f"task {i}" if turns == 1 else " ".join(r.choices(words, k=12)) + f" {i}.{turn}"
            message = {"role": role, "content": content}
            if role == "assistant":
                message = {"role": role, "model": "m", "content": [{"type": "text", "text": content}]}
            lines.append(json.dumps({"type": role, "uuid": str(uuid.UUID(int=r.getrandbits(128))), "sessionId": session,
                                     "timestamp": f"2026-01-02T03:{turn // 60 % 60:02d}:{turn % 60:02d}.678Z",
                                     "message": message}, separators=(",", ":")))
        (folder / f"{session}.jsonl").write_text("\n".join(lines) + "\n")


class Daemon:
    started = []

    def __init__(self, memd, home, data, more=(), environment=None, said=subprocess.DEVNULL):
        """`more`: further arguments of memd."""
        self.socket = str(data / "s")
        self.process = subprocess.Popen(
            [memd, "--home", str(home), "--data-dir", str(data), "--socket", self.socket, *more],
            env=environment, stderr=said, start_new_session=True)
        Daemon.started.append(self.process)
        if not self.until(self.is_reached, 60):
            sys.exit("the daemon does not start")

    def is_reached(self):
        """Connects instead of looking for the socket file, which a killed daemon leaves behind."""
        with socket.socket(socket.AF_UNIX) as trial:
            return trial.connect_ex(self.socket) == 0

    def until(self, holds, patience):
        """Returns whether holds() becomes true within `patience` seconds. Exits if the daemon ends meanwhile."""
        end = time.monotonic() + patience
        while not holds():
            if time.monotonic() > end:
                return False
            try:
                sys.exit(f"the daemon ended with {self.process.wait(LOOK)}")
            except subprocess.TimeoutExpired:
                pass
        return True

    def comes_to_rest(self, patience=30):
        """Waits until its memory is unchanged for 1.5 s: after one second without requests the daemon frees memory."""
        held, since = self.memory(), time.monotonic()

        def rests():
            nonlocal held, since
            if (now := self.memory()) != held:
                held, since = now, time.monotonic()
            return time.monotonic() - since > 1.5

        self.until(rests, patience)

    def memory(self, field="VmRSS"):
        """In MB; VmHWM is the peak."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1000
        return 0.0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        self.number = 0

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, params):
        """Returns a request of the stateless era as one line of bytes."""
        self.number += 1
        meta = {"io.modelcontextprotocol/protocolVersion": PROTOCOL,
                "io.modelcontextprotocol/clientCapabilities": {}}
        return json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                           "params": {**params, "_meta": meta}}).encode() + b"\n"

    def ask(self, method, params):
        self.send(self.request(method, params))
        while True:
            answer = json.loads(self.file.readline())
            if answer.get("id") == self.number:
                return answer

    def close(self):
        self.file.close()
        self.socket.close()


PROTOCOL = "2026-07-28"


def hostile(r, client):
    """Returns a hostile message and the number of answers it may have: 1, or 0 if it expects none."""
    tool = r.choice(TOOLS)
    kind = r.randrange(10)
    call = lambda arguments, name=tool: client.request("tools/call", {"name": name, "arguments": arguments})
    if kind == 0:
        return call({"query": "cache"})[:-r.randrange(2, 40)] + b"\n"
    if kind == 1:
        return call({"query": {"a": [1, None]}, "limit": "many", "session_id": [[]]})
    if kind == 2:
        return call({"query": "x" * r.choice([1000, 100_000, 2_000_000])})
    if kind == 3:
        depth = r.choice([20, 500, 100_000])
        return b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b"[" * depth + b"]" * depth + b"}\n"
    if kind == 4:
        return client.request(r.choice(["tools/run", "memd/nothing", "", "x" * 5000]), {"a": 1})
    if kind == 5:
        message = call({"query": r.choice(["cache OR index", "\"", "*", "NEAR(", "a" * 300]), "limit": 50}, "semantic_search")
        return message + json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                     "params": {"requestId": client.number}}).encode() + b"\n"
    if kind == 6:
        return bytes(r.randrange(256) for _ in range(r.randrange(1, 300))) + b"\n"
    if kind == 7:
        return call({"query": "parser thread", "limit": 10**9, "max_tokens": -1}, "semantic_search")
    if kind == 8:
        return call({"limit": 50, "max_tokens": 8000}, r.choice(["recent_turns", "list_sessions"]))
    return call({"query": r.choice(["socket", "ledger token", "window"]), "max_tokens": 8000}, "semantic_search")


def flood(path, seed, calls, started):
    r = random.Random(seed)
    client, sent = None, 0
    started.wait()
    while sent < calls:
        try:
            if client is None:
                client = Client(path)
                client.socket.settimeout(2)
            for _ in range(min(r.randrange(1, 20), calls - sent)):
                client.send(hostile(r, client))
                sent += 1
            end = r.randrange(5)
            if end == 0:  # half-closes, then reads to the end
                client.socket.shutdown(socket.SHUT_WR)
                while client.socket.recv(1 << 16):
                    pass
            elif end == 1:  # closes in the middle of a line without reading
                client.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"y" * r.choice([10, 1_000_000]))
            elif end == 2:  # reads what is available, and continues
                client.socket.settimeout(0.05)
                client.socket.recv(1 << 20)
                client.socket.settimeout(2)
                continue
            client.close()
            client = None
        except OSError:
            if client is not None:
                client.close()
            client = None
    if client is not None:
        client.close()


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000 if times else float("nan")


QUESTIONS = [("semantic_search", {"query": "cache index"}), ("recent_turns", {}), ("list_sessions", {}),
             ("semantic_search", {"query": "ledger window commit"})]


def ask_for(client, seconds, while_true=lambda: True):
    """Sends the requests in turn and returns their times. Exits if an answer is an error."""
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end and while_true():
        name, arguments = QUESTIONS[len(times) % len(QUESTIONS)]
        began = time.monotonic()
        answer = client.ask("tools/call", {"name": name, "arguments": arguments})
        times.append(time.monotonic() - began)
        if "result" not in answer or answer["result"].get("isError"):
            sys.exit(f"the other client was refused: {str(answer)[:300]}")
    return times


def run_flood(args, work):
    home = pathlib.Path(args.home) if args.home else work / "home"
    if not args.home:
        make_home(home, 300, 40)
    # Waits until everything is read and enriched, because enrichment makes the daemon's memory grow.
    subprocess.run([args.memd, "--home", str(home), "--data-dir", str(work / "data"), "ingest", "--once"], check=True,
                   stdout=subprocess.DEVNULL)
    daemon = Daemon(args.memd, home, work / "data")
    client = Client(daemon.socket)
    client.ask("memd/ingest", {})
    quiet = ask_for(client, args.quiet)
    daemon.comes_to_rest()
    before = daemon.memory()
    of_its_own = daemon.memory("RssAnon")
    started = multiprocessing.Event()
    flooders = [multiprocessing.Process(target=flood, args=(daemon.socket, seed, args.calls // args.clients, started))
                for seed in range(args.clients)]
    for process in flooders:
        process.start()
    started.set()
    began, most = time.monotonic(), before

    def under_way():
        nonlocal most
        most = max(most, daemon.memory())
        return any(process.is_alive() for process in flooders)

    busy = ask_for(client, 600, under_way)
    for process in flooders:
        process.join()
    took = time.monotonic() - began
    ended = time.monotonic()
    # The system takes the pages of the program back when it needs them.
    most_held = before + args.most_growth + os.path.getsize(args.memd) / 1e6

    def is_given_back():
        return daemon.memory("RssAnon") <= of_its_own + args.most_growth and daemon.memory() <= most_held

    daemon.until(is_given_back, args.patience)
    after, waited = daemon.memory(), time.monotonic() - ended
    daemon.until(lambda: time.monotonic() - ended > args.after, args.after + 1)
    later = daemon.memory()
    grown = daemon.memory("RssAnon") - of_its_own
    again = ask_for(client, args.quiet)
    client.close()
    code = daemon.stop()
    print(f"flood: {args.calls} hostile calls by {args.clients} clients in {took:.1f} s")
    for name, times in [("before", quiet), ("during", busy), ("after", again)]:
        print(f"  another client, {name}: {len(times)} answers, p50 {percentile(times, .5):.1f} ms, "
              f"p95 {percentile(times, .95):.1f} ms, most {max(times, default=0) * 1000:.1f} ms")
    print(f"  memory: {before:.1f} MB before, {most:.1f} at most, {after:.1f} {waited:.1f} s after the last client left")
    print(f"          {later:.1f} MB {args.after:.0f} s after it; {grown:.1f} MB of what came is its own, not pages of files")
    if code != 0:
        sys.exit(f"the daemon ended with {code}")
    if grown > args.most_growth:
        sys.exit(f"{grown:.1f} MB of its own are not given back")
    if max(after, later) > most_held:
        sys.exit(f"{max(after, later) - before:.1f} MB are not given back, and are not all of the program's pages")


def size_of(path):
    names = [os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files]
    stats = [os.stat(name) for name in names]
    return len(names), sum(s.st_size for s in stats) / 1e6, sum(s.st_blocks * 512 for s in stats) / 1e6


def run_files(args, work):
    home = work / "home"
    make_home(home, args.files, 1)
    (work / "data").mkdir()
    began = time.monotonic()
    daemon = Daemon(args.memd, home, work / "data")
    client = Client(daemon.socket)
    client.socket.settimeout(3600)
    client.ask("memd/ingest", {})
    took = time.monotonic() - began
    daemon.comes_to_rest(args.patience)
    held, most = daemon.memory(), daemon.memory("VmHWM")
    anonymous = daemon.memory("RssAnon")
    client.close()
    code = daemon.stop()
    count, size, disk = size_of(work / "data")
    sources = size_of(home)
    database = os.stat(work / "data" / "memd.db").st_size / 1e6
    print(f"files: {args.files} sources, {sources[1]:.1f} MB, {sources[2]:.0f} MB on disk")
    print(f"  read in {took:.1f} s ({args.files / took:.0f}/s)")
    print(f"  memory: {held:.0f} MB held ({anonymous:.0f} of its own), {most:.0f} at most")
    print(f"  store: memd.db {database:.0f} MB ({database * 1e6 / args.files:.0f} bytes a source), "
          f"all {size:.0f} MB in {count} files, {disk:.0f} MB on disk")
    if code != 0:
        sys.exit(f"the daemon ended with {code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["flood", "files"])
    parser.add_argument("memd")
    parser.add_argument("--home", help="a home with histories instead of a made-up one; it is only read")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--quiet", type=float, default=3, help="seconds of asking before and after the flood")
    parser.add_argument("--most-growth", type=float, default=8, help="MB of its own, not pages of files")
    parser.add_argument("--after", type=float, default=0, help="seconds after the flood, when memory is looked at again")
    parser.add_argument("--patience", type=float, default=300, help="seconds after the flood")
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="memd-flood-"))
    try:
        (run_flood if args.what == "flood" else run_files)(args, work)
    finally:
        for process in Daemon.started:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
