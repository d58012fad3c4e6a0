#!/usr/bin/env python3
"""Draws screens of `memd usage` over a made-up history, 80 and 160 columns wide: usage_screens.py MEMD"""
import datetime
import fcntl
import html
import json
import os
import pathlib
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import termios

NOW = datetime.datetime(2026, 11, 20, 15, 30, tzinfo=datetime.timezone.utc)
FILLS = {"1": "#1f2328", "2": "#8c959f", "31": "#cf222e", "32": "#1a7f37", "33": "#9a6700", "34": "#0969da",
         "35": "#8250df", "36": "#1b7c83"}


def stamp(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def claude(home, session, project, title, start, model, answers, dice, sidechain=False, sub=None):
    folder = home / ".claude/projects" / project.replace("/", "-")
    path = folder / f"{session}.jsonl" if sub is None else folder / session / "subagents" / f"agent-{sub}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, parent, time = [], None, start

    def add(kind, message, **more):
        nonlocal parent
        uuid = f"{dice.getrandbits(128):032x}"
        head = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session, "cwd": project,
                "gitBranch": "main", "version": "2.1.320", "timestamp": stamp(time), "isSidechain": sidechain}
        if sub is not None:
            head["agentId"] = sub
        lines.append({**head, "message": message, **more})
        parent = uuid

    add("user", {"role": "user", "content": title})
    for n in range(answers):
        time += datetime.timedelta(minutes=dice.randint(1, 4))
        written = dice.randint(1500, 9000)
        usage = {"input_tokens": dice.randint(3, 400), "output_tokens": dice.randint(150, 2500),
                 "cache_read_input_tokens": dice.randint(20_000, 120_000), "cache_creation_input_tokens": written,
                 "cache_creation": {"ephemeral_5m_input_tokens": written // 2,
                                    "ephemeral_1h_input_tokens": written - written // 2}}
        message = {"id": f"msg_{dice.getrandbits(64):x}", "type": "message", "role": "assistant", "model": model,
                   "content": [{"type": "text", "text": f"Step {n + 1} is done."}], "stop_reason": "end_turn",
                   "usage": usage}
        request = f"req_{dice.getrandbits(64):x}"
        if n % 3 == 0:  # the response is spread over two records
            first = {**message, "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
            add("assistant", first, requestId=request)
        add("assistant", message, requestId=request)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def codex(home, session, project, start, answers, dice):
    path = home / f".codex/sessions/{start:%Y/%m/%d}/rollout-{start:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, time, total = [], start, [0, 0, 0, 0]

    def add(kind, payload):
        lines.append({"timestamp": stamp(time), "type": kind, "payload": payload})

    def counts(values):
        return dict(zip(("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"), values),
                    total_tokens=values[0] + values[2])

    add("session_meta", {"id": session, "timestamp": stamp(start), "cwd": project, "originator": "codex_cli_rs",
                         "cli_version": "0.170.0", "source": "cli", "model_provider": "openai"})
    add("event_msg", {"type": "user_message", "message": "Make the import faster", "images": []})
    add("turn_context", {"cwd": project, "approval_policy": "never", "model": "gpt-6.1-sol", "effort": "high"})
    for n in range(answers):
        time += datetime.timedelta(minutes=2)
        read = dice.randint(20_000, 60_000)
        last = [read, read * 3 // 4, dice.randint(300, 1500), dice.randint(50, 250)]
        total = [a + b for a, b in zip(total, last)]
        add("event_msg", {"type": "agent_message", "message": f"Part {n + 1} is faster."})
        limits = {"limit_id": "codex",
                  "primary": {"used_percent": 20.0 + n, "window_minutes": 300,
                              "resets_at": int((NOW + datetime.timedelta(hours=2)).timestamp())},
                  "secondary": {"used_percent": 8.0, "window_minutes": 10080,
                                "resets_at": int((NOW + datetime.timedelta(days=4)).timestamp())}}
        add("event_msg", {"type": "token_count", "info": {"total_token_usage": counts(total),
                                                          "last_token_usage": counts(last),
                                                          "model_context_window": 272000}, "rate_limits": limits})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def make_home(home):
    dice = random.Random(46)
    titles = ["Parse the receipts of the new shop", "Why is the nightly build slow?", "Move the cart to the new API",
              "Tests for the tax rules", "Rename the settings page"]
    for day in range(12):
        if day in (4, 5):
            continue
        for n in range(dice.randint(1, 2)):
            start = NOW - datetime.timedelta(days=day, hours=3 + 2 * n, minutes=dice.randint(0, 50))
            session = f"{dice.getrandbits(32):08x}-0000-4000-8000-{day:06d}{n:06d}"
            project = ["/home/ada/shop", "/home/ada/tools"][n]
            model = dice.choice(["claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-5-5"])
            title = titles[(day + n) % len(titles)]
            claude(home, session, project, title, start, model, dice.randint(6, 30), dice)
            if dice.random() < 0.5:
                claude(home, session, project, "Look for callers", start + datetime.timedelta(minutes=3),
                       "claude-haiku-5-5", dice.randint(3, 9), dice, True, f"{dice.getrandbits(28):07x}")
    claude(home, "ee" * 4 + "-0000-4000-8000-000000000001", "/home/ada/tools", "Try the local model",
           NOW - datetime.timedelta(hours=30), "my-local-model", 3, dice)
    codex(home, "019f1000-0000-7000-8000-00000000000a", "/home/ada/shop", NOW - datetime.timedelta(minutes=50), 12, dice)


def screen(memd, columns, *arguments):
    """What the command prints on a terminal of this width."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 200, columns, 0, 0))
    done = subprocess.Popen([*memd, "--no-pager", *arguments], stdout=side, stderr=subprocess.DEVNULL,
                            stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm-256color", "TZ": "UTC",
                                                           "MEMD_NOW": stamp(NOW), "COLUMNS": ""})
    os.close(side)
    out = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    done.wait()
    os.close(main)
    return out.decode().replace("\r", "").rstrip("\n").split("\n")


def drawn(lines, columns, command):
    """The lines as SVG."""
    width, height = columns * 8.4 + 24, (len(lines) + 2) * 18 + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
           f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
           f'<rect width="100%" height="100%" rx="6" fill="#f6f8fa"/>',
           f'<text x="12" y="24" fill="#57606a" xml:space="preserve">$ {html.escape(command)}</text>']
    for row, line in enumerate(lines):
        parts, fill, bold = [], "#1f2328", False
        for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
            if piece.startswith("\x1b["):
                for code in piece[2:-1].split(";"):
                    bold = bold and code not in ("", "0") or code == "1"
                    fill = FILLS.get(code, "#1f2328" if code in ("", "0") else fill)
            elif piece:
                weight = ' font-weight="bold"' if bold else ""
                parts.append(f'<tspan fill="{fill}"{weight}>{html.escape(piece)}</tspan>')
        out.append(f'<text x="12" y="{24 + (row + 2) * 18}" xml:space="preserve">{"".join(parts)}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    folder = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as root:
        home = pathlib.Path(root) / "home"
        make_home(home)
        memd = [os.path.realpath(sys.argv[1]), "--data-dir", root + "/data", "--home", str(home)]
        subprocess.run([*memd, "ingest", "--once"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        explained = json.loads(subprocess.run([*memd, "--json", "usage", "--by", "session"], check=True,
                                              stdout=subprocess.PIPE).stdout)["rows"][-1]["session"]
        for name, arguments in {"day": (), "model": ("--by", "model"), "session": ("--by", "session"),
                                "block": ("--by", "block", "-n", "8"), "explain": ("--explain", explained)}.items():
            for columns in (80, 160):
                lines = screen(memd, columns, "usage", *arguments)
                picture = drawn(lines, columns, " ".join(["memd usage", *arguments]))
                (folder / f"usage-{name}-{columns}.svg").write_text(picture)


if __name__ == "__main__":
    main()
