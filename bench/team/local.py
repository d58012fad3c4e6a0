#!/usr/bin/env python3
"""Measures what sharing costs who shares: local.py MEMD HOME [TURNS [SECONDS]]

HOME: a history with Claude Code's in it; it is copied. Two daemons read the copy, one of which shares the project of a
session to a directory. Prints for each what it does and takes in 45 s without news, once it has read everything, and
after which time a search finds a prompt that was written into a new session of the project (P3): TURNS times (60), by
turns, the other daemon stopped meanwhile, with a pause of SECONDS (.3) in which both catch up.
"""
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

IDLE_S = 45
PATIENCE_S = 600


class Daemon:
    def __init__(self, memd, home, data):
        data.mkdir(mode=0o700)
        self.command = [memd, "--home", home, "--data-dir", data]
        self.environment = {**os.environ, "HOME": str(data), "XDG_CONFIG_HOME": str(data)}
        self.run("ingest", "--once")
        self.process = subprocess.Popen([*self.command, "--socket"], env=self.environment, stderr=subprocess.DEVNULL)
        while not (data / "memd.sock").exists():
            time.sleep(0.05)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(data / "memd.sock"))
        self.stream = self.socket.makefile("rwb")
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                 "clientInfo": {"name": "bench", "version": "1"}})

    def run(self, *arguments):
        subprocess.run([*self.command, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def call(self, method, parameters):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        self.stream.write(line.encode() + b"\n")
        self.stream.flush()
        while (answer := json.loads(self.stream.readline())).get("id") != 1:
            pass
        return answer["result"]

    def finds(self, word):
        found = self.call("tools/call", {"name": "semantic_search", "arguments": {"query": word, "all_projects": True}})
        return word in json.dumps(found["structuredContent"]["results"])

    def used(self):
        """Context switches of all threads, bytes read, resident MB."""
        of = Path(f"/proc/{self.process.pid}")
        number = lambda text, name: sum(int(line.split()[1]) for line in text.splitlines() if name in line)
        switches = sum(number((task / "status").read_text(), "ctxt_switches") for task in (of / "task").iterdir())
        return switches, number((of / "io").read_text(), "rchar"), number((of / "status").read_text(), "VmRSS") / 1024


def a_prompt(home):
    for file in sorted(home.glob(".claude/projects/*/*.jsonl")):
        for line in file.open():
            record = json.loads(line) if '"type":"user"' in line else {}
            if record.get("cwd"):
                return file, record
    sys.exit(f"{home} has no session of Claude Code")


def main():
    memd, history = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0.3
    with tempfile.TemporaryDirectory(prefix="memd-local-") as folder:
        home, place = Path(folder) / "home", Path(folder) / "place"
        shutil.copytree(history, home, symlinks=True)
        subprocess.run(["chmod", "-R", "u+w", home], check=True)
        place.mkdir()
        file, record = a_prompt(home)
        daemons = {name: Daemon(memd, home, Path(folder) / name) for name in ("alone", "sharing")}
        daemons["sharing"].run("share", "init", "--to", place, "--project", record["cwd"])
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            before = {name: daemon.used() for name, daemon in daemons.items()}
            time.sleep(IDLE_S)
            after = {name: daemon.used() for name, daemon in daemons.items()}
            if all(before[name][1] == after[name][1] for name in daemons):
                break
        for name in daemons:
            print(f"{name}, idle for {IDLE_S} s: {after[name][0] - before[name][0]} context switches, "
                  f"{after[name][1] - before[name][1]} bytes read, {after[name][2]:.1f} MB resident", flush=True)
        session = str(uuid.uuid4())
        times = {name: [] for name in daemons}
        for turn in range(turns):
            for name in sorted(daemons, reverse=turn % 2 == 1):
                others = [daemon.process for other, daemon in daemons.items() if other != name]
                for process in others:
                    process.send_signal(signal.SIGSTOP)
                word = "zq" + uuid.uuid4().hex[:10]
                written = {**record, "uuid": str(uuid.uuid4()), "parentUuid": None, "sessionId": session,
                           "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
                           "message": {"role": "user", "content": "Look for " + word}}
                with (file.parent / (session + ".jsonl")).open("a") as out:
                    out.write(json.dumps(written) + "\n")
                began = time.monotonic()
                while not daemons[name].finds(word):
                    if time.monotonic() - began > 20:
                        sys.exit(f"{name} does not find what was written")
                times[name].append((time.monotonic() - began) * 1000)
                for process in others:
                    process.send_signal(signal.SIGCONT)
                time.sleep(pause)
        for name, values in times.items():
            print(f"{name}: found after p50 {statistics.median(values):.1f}, "
                  f"p95 {sorted(values)[int(len(values) * .95)]:.1f} ms")
        shared = sum(len(files) for _, _, files in os.walk(place))
        print(f"{shared} files were shared")
        for daemon in daemons.values():
            daemon.process.terminate()
            daemon.process.wait()


if __name__ == "__main__":
    main()
