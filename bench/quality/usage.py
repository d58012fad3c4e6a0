#!/usr/bin/env python3
"""Counts the tokens that coding agents recorded, by code of its own: usage.py HOME [--memd PROGRAM] [--zone ZONE]

Reads the raw records of Claude Code, Codex, opencode, Gemini CLI, Cline and pi below HOME, by day and model, with
nothing but the standard library and none of memd's code. With --memd it ingests HOME into a store of its own and
compares: every difference is printed, and the exit code is 1 if there is one. Without, it prints its own table as JSON.
"""
import argparse
import collections
import datetime
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import zoneinfo

PARTS = ("input", "output", "cache_read", "cache_creation", "cache_creation_1h")


def lines_of(path):
    with open(path, "rb") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def moment(text):
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return None


def from_ms(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc) if ms else None


def number(value):
    return value if isinstance(value, int) and value > 0 else 0


class Responses:
    """Responses by the key that says which records tell of the same one."""

    def __init__(self):
        self.known = {}

    def add(self, key, agent, time, model, tokens):
        old = self.known.get(key)
        if old is None:
            self.known[key] = [agent, time, model, dict(tokens)]
            return
        kept = old[3]
        if tokens["output"] > kept["output"] or (tokens["output"] == kept["output"] and
                                                 tokens["input"] > kept["input"]):
            old[3] = dict(tokens)


def claude_usage(usage):
    cache = usage.get("cache_creation") or {}
    return {"input": number(usage.get("input_tokens")), "output": number(usage.get("output_tokens")),
            "cache_read": number(usage.get("cache_read_input_tokens")),
            "cache_creation": number(usage.get("cache_creation_input_tokens")),
            "cache_creation_1h": number(cache.get("ephemeral_1h_input_tokens"))}


def claude_code(home, responses):
    """One response is spread over records of the same message; forks and resumed sessions repeat whole records."""
    without_request = collections.defaultdict(set)
    found = []
    for path in sorted(glob.glob(home + "/.claude*/projects/**/*.jsonl", recursive=True)):
        for record in lines_of(path):
            said = record
            data = record.get("data")
            if record.get("type") == "progress" and isinstance(data, dict) and data.get("type") == "agent_progress":
                said = data.get("message") or {}  # a subagent's record inside its parent's
            message = said.get("message") if isinstance(said, dict) else None
            if not isinstance(message, dict) or not isinstance(message.get("usage"), dict):
                continue
            if message.get("model") == "<synthetic>":
                continue
            tokens = claude_usage(message["usage"])
            found.append((path, message.get("id") or said.get("uuid"), said.get("requestId"),
                          moment(said.get("timestamp") or record.get("timestamp")), message.get("model") or "", tokens))
    for path, message_id, request, _, _, _ in found:
        if request:
            without_request[path, message_id].add(request)
    for path, message_id, request, time, model, tokens in found:
        if not request and len(without_request[path, message_id]) == 1:
            request = next(iter(without_request[path, message_id]))
        # A proxy numbers its messages anew in each process: then time and figures tell responses apart.
        key = (message_id, request) if request else (message_id, path)
        responses.add(("claude_code",) + key, "claude_code", time, model, tokens)


def codex_file(path):
    """Its id, that of the session it was forked from or works for, and (time, model, total, last) of each response."""
    own, parent, model, before, told = "", "", "", None, []
    for record in lines_of(path):
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        if record.get("type") == "session_meta" and not own:  # a fork repeats its parent's
            own = payload.get("id") or path
            source = payload.get("source")
            spawned = ((source.get("subagent") or {}) if isinstance(source, dict) else {})
            spawn = spawned.get("thread_spawn") if isinstance(spawned, dict) else None
            parent = payload.get("forked_from_id") or (spawn or {}).get("parent_thread_id") or ""
        if record.get("type") == "turn_context":
            model = payload.get("model") or model
        info = payload.get("info")
        if payload.get("type") != "token_count" or not isinstance(info, dict):
            continue
        last, total = info.get("last_token_usage"), info.get("total_token_usage")
        if last and total != before:
            before = total
            told.append((moment(record.get("timestamp")), model, json.dumps([total, last], sort_keys=True), last))
    return own, parent, told


def codex(home, responses):
    """token_count repeats the last response; totals tell which are new. A fork begins with its parent's records."""
    files = [codex_file(p) for p in sorted(glob.glob(home + "/.codex*/sessions/**/*.jsonl", recursive=True))]
    told_by = {own: {figures for _, _, figures, _ in told} for own, _, told in files}
    for own, parent, told in files:
        for time, model, figures, last in told:
            if figures in told_by.get(parent, ()):
                continue
            cached, written = number(last.get("cached_input_tokens")), number(last.get("cache_write_input_tokens"))
            tokens = {"input": max(0, number(last.get("input_tokens")) - cached - written),
                      "output": number(last.get("output_tokens")), "cache_read": cached, "cache_creation": written,
                      "cache_creation_1h": 0}
            if any(tokens.values()):
                responses.add(("codex", own, figures), "codex", time, model, tokens)


def opencode(home, responses):
    for path in glob.glob(home + "/.local/share/opencode/*.db"):
        db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        for key, text in db.execute("SELECT id, data FROM message"):
            said = json.loads(text)
            used = said.get("tokens")
            if said.get("role") != "assistant" or not used:
                continue
            cache = used.get("cache") or {}
            responses.add(("opencode", key), "opencode", from_ms((said.get("time") or {}).get("created")),
                          "/".join(filter(None, (said.get("providerID"), said.get("modelID")))),
                          {"input": number(used.get("input")),
                           "output": number(used.get("output")) + number(used.get("reasoning")),
                           "cache_read": number(cache.get("read")), "cache_creation": number(cache.get("write")),
                           "cache_creation_1h": 0})


def gemini(home, responses):
    def take(path, message):
        used = message.get("tokens")
        if not isinstance(used, dict):
            return
        cached = number(used.get("cached"))
        responses.add(("gemini", path, message.get("id")), "gemini", moment(message.get("timestamp")),
                      message.get("model") or "",
                      {"input": max(0, number(used.get("input")) - cached) + number(used.get("tool")),
                       "output": number(used.get("output")) + number(used.get("thoughts")), "cache_read": cached,
                       "cache_creation": 0, "cache_creation_1h": 0})

    for path in glob.glob(home + "/.gemini/tmp/*/chats/**/*.json*", recursive=True):
        if path.endswith(".jsonl"):
            for record in lines_of(path):
                take(path, record)
        else:
            with open(path, "rb") as file:
                for message in json.load(file).get("messages", []):
                    take(path, message)


def cline(home, responses):
    for path in glob.glob(home + "/.config/*/User/globalStorage/*/tasks/*/ui_messages.json"):
        with open(path, "rb") as file:
            messages = json.load(file)
        for message in messages:
            if message.get("say") != "api_req_started":
                continue
            try:
                used = json.loads(message.get("text") or "{}")
            except ValueError:
                continue
            tokens = {"input": number(used.get("tokensIn")), "output": number(used.get("tokensOut")),
                      "cache_read": number(used.get("cacheReads")), "cache_creation": number(used.get("cacheWrites")),
                      "cache_creation_1h": 0}
            if any(tokens.values()):
                model = ((message.get("modelInfo") or {}).get("modelId")) or ""
                responses.add(("cline", path, message.get("ts")), "cline", from_ms(message.get("ts")), model, tokens)


def pi(home, responses):
    for path in glob.glob(home + "/.pi/agent/sessions/**/*.jsonl", recursive=True):
        for record in lines_of(path):
            message = record.get("message")
            used = message.get("usage") if isinstance(message, dict) else None
            if isinstance(used, dict):
                responses.add(("pi", record.get("id")), "pi", moment(record.get("timestamp")), message.get("model") or "",
                              {"input": number(used.get("input")), "output": number(used.get("output")),
                               "cache_read": number(used.get("cacheRead")),
                               "cache_creation": number(used.get("cacheWrite")),
                               "cache_creation_1h": number(used.get("cacheWrite1h"))})


def counted(home, zone):
    responses = Responses()
    for read in (claude_code, codex, opencode, gemini, cline, pi):
        read(home, responses)
    rows = collections.defaultdict(lambda: dict.fromkeys(PARTS, 0))
    for agent, time, model, tokens in responses.known.values():
        if not any(tokens.values()):
            continue
        row = rows[time.astimezone(zone).date().isoformat() if time else "", agent, model]
        for part in PARTS:
            row[part] += tokens[part]
    return rows


def asked(program, home, zone):
    """What memd says, of a store of its own."""
    rows = {}
    with tempfile.TemporaryDirectory() as data:
        def memd(*arguments):
            done = subprocess.run([program, "--data-dir", data, "--home", home, *arguments], capture_output=True,
                                  check=False, text=True, env={**os.environ, "TZ": zone.key})
            if done.returncode not in (0, 3):
                sys.exit(f"memd {' '.join(arguments)}: {done.stderr}")
            return done.stdout
        memd("ingest", "--once")
        agents = ("claude_code", "codex", "opencode", "gemini", "cline", "pi")
        for agent in agents:
            for row in json.loads(memd("--json", "usage", "--by", "day,model", "--agent", agent))["rows"]:
                rows[row["date"], agent, row["model"]] = {
                    "input": row["input_tokens"], "output": row["output_tokens"], "cache_read": row["cache_read_tokens"],
                    "cache_creation": row["cache_creation_5m_tokens"] + row["cache_creation_1h_tokens"],
                    "cache_creation_1h": row["cache_creation_1h_tokens"]}
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("home")
    options.add_argument("--memd")
    options.add_argument("--zone", default="UTC")
    o = options.parse_args()
    zone = zoneinfo.ZoneInfo(o.zone)
    own = counted(os.path.abspath(o.home), zone)
    if not o.memd:
        json.dump([{"date": d, "agent": a, "model": m, **row} for (d, a, m), row in sorted(own.items())], sys.stdout,
                  indent=1)
        print()
        return 0
    theirs = asked(o.memd, os.path.abspath(o.home), zone)
    nothing = dict.fromkeys(PARTS, 0)
    different = 0
    for key in sorted(set(own) | set(theirs)):
        a, b = own.get(key, nothing), theirs.get(key, nothing)
        if any(a[part] != b[part] for part in PARTS):
            different += 1
            print(" ".join(key), "; ".join(f"{p}: counted {a[p]:,}, memd {b[p]:,}" for p in PARTS if a[p] != b[p]))
    total = {p: sum(row[p] for row in own.values()) for p in PARTS}
    print(f"{len(own)} days and models counted, {different} different; " + ", ".join(f"{p} {n:,}" for p, n in total.items()))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
