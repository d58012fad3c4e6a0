#!/usr/bin/env python3
"""How long memd's hooks take, with a daemon and without one: each is called 120 times over sessions of Claude Code,
all that it may say turned on. Milliseconds of a whole process."""
import itertools
import json
import subprocess
import time

from memd import Memd, copy_history, options

CALLS = 120
GOALS = {"with": 60, "without": 120}  # ms, p95
HOOKS = {
    "start": ("session-start", {"hook_event_name": "SessionStart", "source": "startup"}),
    "compaction": ("session-start", {"hook_event_name": "SessionStart", "source": "compact"}),
    "prompt": ("recall", {"hook_event_name": "UserPromptSubmit", "prompt": "Do it as we did last time, with the tests"}),
}


def write(corpus, home):
    copy_history(corpus, home)
    config = home.parent / "config/memd"
    config.mkdir(parents=True)
    (config / "config.yaml").write_text("hooks: {start: true, compaction: true, recall: true}\n")


def milliseconds(memd, hook, told, session):
    asked = json.dumps(told | {"session_id": session["session_id"].split(":")[1], "cwd": session["cwd"]})
    begin = time.perf_counter()
    subprocess.run([memd.program, "hook", hook], env=memd.environment, cwd=memd.home, input=asked, text=True,
                   stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - begin)


def main():
    asked = options(__doc__)
    print("| daemon | hook | p50 | p95 | goal |\n|---|---|---|---|---|")
    with Memd(asked.memd, lambda home: write(asked.corpus, home)) as memd:
        sessions = [s for s in memd.run("sessions", "-n", "0")["sessions"] if s["platform"] == "claude_code"]
        for daemon, goal in GOALS.items():
            if daemon == "without":
                memd.server.stdin.close()
                memd.server.wait()
                subprocess.run([memd.program, "stop"], env=memd.environment, stdout=subprocess.DEVNULL, check=True)
            for name, (hook, told) in HOOKS.items():
                taken = sorted(milliseconds(memd, hook, told, session)
                               for session in itertools.islice(itertools.cycle(sessions), CALLS))
                print(f"| {daemon} | {name} | {taken[CALLS // 2]:.1f} | {taken[CALLS * 95 // 100]:.1f} | {goal} |")


if __name__ == "__main__":
    main()
