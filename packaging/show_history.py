#!/usr/bin/env python3
"""Shows what `memd ingest --once` found: a short table and one sample search of the history itself.

usage: show_history.py REPORT.json MEMD [MEMD_OPTION...]

Never fails over an empty or odd history: there is then just less to show.
"""

import collections
import json
import re
import subprocess
import sys

# Words that are in many prompts and do not characterise one.
COMMON = frozenset(
    """about added after again also because before being change changes check code could current does done each every
    file files find first from have help here into just like line lines look make more need needs next only other
    over please project read really same session should show some sure task than that their them then there these
    they thing this time update using want well were what when where which will with work would write your
    implement following existing continue user request caveat""".split()
)


def run_json(memd, *args):
    """The answer of a memd command, or {} if it gave none."""
    try:
        done = subprocess.run([*memd, "--json", *args], capture_output=True, text=True, timeout=30, check=True)
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}
    return answer if isinstance(answer, dict) else {}


def day(time):
    return str(time or "")[:10] or "-"


def table(report):
    rows = [("platform", "sessions", "exchanges", "first", "last")]
    for entry in report.get("platforms", []):
        if not (entry.get("sessions") or entry.get("exchanges")):
            continue
        span = entry.get("span") or {}
        rows.append(
            (
                entry.get("platform", "?"),
                f"{entry.get('sessions', 0):,}",
                f"{entry.get('exchanges', 0):,}",
                day(span.get("start")),
                day(span.get("end")),
            )
        )
    if len(rows) == 1:
        return "No history of a known agent was found yet. memd will see it as soon as it is written."
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    align = ["<", ">", ">", "<", "<"]
    return "\n".join(
        "  " + "  ".join(f"{cell:{align[i]}{widths[i]}}" for i, cell in enumerate(row)).rstrip() for row in rows
    )


def queries(sessions):
    """Two-word and one-word queries from the titles of recent sessions, the best first."""
    titles = []
    for session in sessions:
        title = next((session[k] for k in ("session_name", "title", "name") if session.get(k)), "")
        words = [w.lower() for w in re.findall(r"[^\W\d_]{4,}", title)]
        titles.append([w for w in dict.fromkeys(words) if w not in COMMON and len(w) < 20])
    frequency = collections.Counter(w for words in titles for w in words)
    for words in titles:
        best = sorted(words, key=lambda w: (-frequency[w], words.index(w)))[:2]
        if len(best) == 2:
            yield " ".join(sorted(best, key=words.index))
    yield from (w for w, _ in frequency.most_common(3))


def sample(memd):
    sessions = run_json(memd, "sessions", "-n", "20").get("sessions") or []
    for tries, query in enumerate(queries(sessions)):
        if tries == 6:
            return
        if not run_json(memd, "search", query, "-n", "3").get("results"):
            continue
        print(f"\n$ memd search '{query}' -n 3", flush=True)
        subprocess.run([*memd, "search", query, "-n", "3"], timeout=30, check=False)
        return


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    print()
    print(table(report))
    sample(sys.argv[2:])


if __name__ == "__main__":
    main()
