#!/usr/bin/env python3
"""Many sessions of many agents at once: the homes of the golden cases, copied with ids of their own.

  many_agents.py MEMD WORK [--sessions 1000] [--seconds 600]

Starts a daemon over an empty home in the folder WORK and writes the homes while it reads: logs line by line, documents as a
whole. Then a second store reads the finished home at once. Prints the errors, the daemon's memory, what doctor says, and
each agent whose sessions or turns differ. Exit code 1: something does, or there were errors.
"""
import argparse, datetime, heapq, json, os, pathlib, random, re, subprocess, sys, time

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MEMBER = re.compile(r'"(\w*(?:[iI]d|ID|uuid|Uuid))":\s*"([^"\\]{2,80})"')
DAY = re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?=T)")
EPOCH = re.compile(r"(?<![\d.])1[67]\d{8}(?:\d{3})?(?![\d.])")
NO_IDENTITY = re.compile(r"model|provider|version", re.I)


def ids_of(texts):
    found = set()
    for text in texts:
        found.update(UUID.findall(text))
        found.update(value for key, value in MEMBER.findall(text) if not NO_IDENTITY.search(key))
    return sorted(found, key=len, reverse=True)


def renamed(value, n):
    tail = re.search(r"[0-9a-f]{12}$", value)
    if tail and len(value) >= 32:
        return value[:-12] + f"{(int(tail[0], 16) + (n << 24)) % 16**12:012x}"
    return f"{value}n{n:x}"


def earlier(text, days):
    """Shifts the times: equal records at the same time would be those of a fork."""
    back = datetime.timedelta(days)
    text = DAY.sub(lambda m: str(datetime.date.fromisoformat(m[0]) - back), text)
    return EPOCH.sub(lambda m: str(int(m[0]) - days * 86400 * 1000 ** (len(m[0]) > 10)), text)


def texts_of(case):
    """The files of a case by their path below the home (test/adapters/golden_case.hpp)."""
    if (case / "home").is_dir():
        files = {f.relative_to(case / "home").as_posix(): f for f in (case / "home").rglob("*") if f.is_file()}
    else:
        place = next((p for p in (case / "source.txt", case.parent / "source.txt") if p.exists()), None)
        inputs = list(case.glob("input.*"))
        if place is None or not inputs:
            return {}
        path = place.read_text().strip().removeprefix("/home/ada/")
        files = {str(pathlib.Path(path).with_suffix(inputs[0].suffix)): inputs[0]}
    try:
        return {path: f.read_text() for path, f in files.items()}
    except UnicodeDecodeError:
        return {}


def copies(cases, sessions):
    """Yields (path below the home, content) of each file; of one that is not of a session, once. A case is a session."""
    known = []
    for case in cases:
        texts = texts_of(case)
        ids = ids_of(list(texts.values()) + list(texts))
        if ids:
            known.append((texts, re.compile("|".join(map(re.escape, ids)))))
    written = set()
    for n in range(1, sessions + 1):
        texts, pattern = known[n % len(known)]
        for path, text in texts.items():
            change = lambda m: renamed(m[0], n)
            place = earlier(pattern.sub(change, path), n)
            if place not in written:
                yield place, earlier(pattern.sub(change, text), n)
            written.add(place)


def write_all(home, files, seconds):
    begun, steps = time.monotonic(), []
    dice = random.Random(1)
    for order, (path, text) in enumerate(files):
        at = dice.random() * seconds * 0.8
        lines = text.splitlines(keepends=True) if path.endswith(".jsonl") else [text]
        for line in lines:
            heapq.heappush(steps, (at, order, len(steps), path, line, len(lines) > 1))
            at += dice.random() * seconds * 0.2 / len(lines)
    while steps:
        at, _, _, path, line, grows = heapq.heappop(steps)
        time.sleep(max(0, begun + at - time.monotonic()))
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if grows:
            with open(target, "a") as f:
                f.write(line)
        else:
            fresh = target.with_name(target.name + ".tmp")
            fresh.write_text(line)
            fresh.rename(target)
    time.sleep(max(0, begun + seconds - time.monotonic()))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("memd", type=pathlib.Path)
    args.add_argument("work", type=pathlib.Path)
    args.add_argument("--sessions", type=int, default=1000)
    args.add_argument("--seconds", type=int, default=600)
    args = args.parse_args()
    golden = pathlib.Path(__file__).parents[2] / "test/golden"
    # Not those that are damaged, nor that which takes a request back: who reads at once never saw it.
    cases = sorted(c for c in golden.glob("*/*") if c.is_dir() and not re.search("damage|invalid|nul_|torn|chat/log$", str(c)))
    home = args.work.resolve() / "home"
    home.mkdir(parents=True)

    def memd(store, *words):
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_DATA_HOME": str(args.work.resolve() / store)}
        return subprocess.run([args.memd.resolve(), *words], env=env, capture_output=True, text=True)

    env = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_DATA_HOME": str(args.work.resolve() / "live")}
    log = open(args.work / "daemon.log", "w")
    daemon = subprocess.Popen([args.memd.resolve(), "--socket"], env=env, stderr=log, stdout=log)
    write_all(home, list(copies(cases, args.sessions)), args.seconds)
    resident = [line.split()[1:] for line in open(f"/proc/{daemon.pid}/status") if line.startswith(("VmRSS", "VmHWM"))]
    doctor = memd("live", "doctor")
    counted = {}
    for store in ("live", "once"):
        if store == "once":
            memd(store, "ingest", "--once")
        counted[store] = {}
        for s in json.loads(memd(store, "--json", "sessions", "-n", "0").stdout)["sessions"]:
            agent = counted[store].setdefault(s["platform"], [0, 0])
            agent[0] += 1
            agent[1] += s["exchanges"]
    running = daemon.poll() is None
    daemon.terminate()
    daemon.wait()
    errors = [line for line in open(args.work / "daemon.log") if " error " in line or " warning " in line]
    differ = {a: (counted["live"].get(a), once) for a, once in counted["once"].items() if counted["live"].get(a) != once}
    agents = counted["live"]
    print(f"{len(agents)} agents, {sum(a[0] for a in agents.values())} sessions, {sum(a[1] for a in agents.values())} turns")
    print("memory at most and now:", *(" ".join(r) for r in resident))
    print("doctor:", doctor.stdout.strip().splitlines()[-1] if doctor.stdout else doctor.stderr)
    print(f"{len(errors)} errors in the log; daemon {'ran to the end' if running else 'ended'}")
    for agent, (live, once) in differ.items():
        print(f"{agent}: sessions and turns live {live}, at once {once}")
    return 0 if running and not differ and not errors and doctor.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
