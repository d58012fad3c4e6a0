#!/usr/bin/env python3
"""What hooks would have said while agents worked, and how much of it was used: at every edit and every failed command in
the last third of each Claude Code session of a home, memd is asked as the hook `recall` asks it, and knows the history
up to that moment.

  recall.py --memd MEMD --corpus HOME [--show]

A line is used if, in the next 20 records, its command is run, one of its names or files is used, or a sentence has six
of ten of its words. Half of the sessions, by a hash of their ids, is held out.
"""
import argparse
import collections
import pathlib
import re
import time

import used
from memd import Memd
from text import is_held_out, raw, subject_words, tokens

MOMENTS = ("before an edit", "on an error")
WORDS = {"After the last edits of it this failed: ": "failed attempt", "Tests that passed after edits of it: ": "tests",
         "The same error was met before by: ": "met error", "It went away after ": "solved"}
OF_COMMAND = ("failed attempt", "tests")


def moments(transcript):
    """Yields record, moment and what is asked."""
    records, cwd = transcript.records, ""
    for i, r in enumerate(records):
        cwd = r.cwd or cwd
        if i < len(records) * 2 // 3 or r.sidechain:
            continue
        for use in r.uses:
            path = used.input_of(use, "file_path")
            if path and use.tool in ("Edit", "Write", "MultiEdit"):
                yield i, "before an edit", {"cwd": cwd, "path": path}
        for error in r.errors:
            yield i, "on an error", {"cwd": cwd, "error": error}


def is_used(kind, told, later):
    """Whether the agent runs the command, repeats the sentence, or uses a name or file of it."""
    inputs = [(use.tool, name, value) for r in later for use in r.uses for name, value in use.inputs]
    if kind in OF_COMMAND:
        command = used.normal_command(told).split(" 2>")[0]
        return any(tool == "Bash" and name == "command" and used.normal_command(value).startswith(command)
                   for tool, name, value in inputs)
    return (any(used.names(value, term) for term in used.identifiers(told) for _, _, value in inputs) or
            kind == "solved" and any(name == "file_path" and pathlib.PurePath(value).name in told
                                     for _, name, value in inputs) or
            any(used.covers(said, subject_words(told)) for said in used.said_in(later)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memd", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--show", action="store_true", help="print what is said, + where it was used")
    o = parser.parse_args()
    transcripts = [used.Transcript(file) for file in used.main_transcripts(o.corpus)]
    asked = [(t.records[i].time, n, t, i, moment, what) for n, t in enumerate(transcripts) for i, moment, what in moments(t)]
    spoke, kinds, taken = (collections.defaultdict(list) for _ in range(3))
    with Memd(o.memd) as memd:
        home = used.GrowingHome(o.corpus, memd.home)
        for _, _, t, i, moment, what in sorted(asked, key=lambda a: a[:2]):
            home.grow(t, i)
            memd.ask("memd/ingest")
            start, side = time.perf_counter(), "held out" if is_held_out(t.id) else "fit"
            lines = memd.ask("memd/recall", session_id=t.id, **{
                k: v.encode("latin-1").decode("utf-8", "replace") for k, v in what.items()})["structured"]["lines"]
            taken[side, moment].append(1000 * (time.perf_counter() - start))
            later, hits = t.talk_after(i + 1, 20), []
            for line in lines:
                begin = next(words for words in WORDS if line.startswith(words))
                told = raw(re.sub(r" \[x\d+\]$", "", line[len(begin):]))
                hits.append(is_used(WORDS[begin], told, later))
                kinds[side, WORDS[begin]].append((hits[-1], tokens(told)))
                if o.show:
                    print("+" if hits[-1] else "-", line)
            spoke[side, moment].append(any(hits) if lines else None)
    for side in ("fit", "held out"):
        print(f"\n{side}\n{'':18}{'moments':>8}{'speaks':>8}{'share':>8}{'used':>10}{'ms p95':>10}")
        for moment in MOMENTS:
            said = [hit for hit in spoke[side, moment] if hit is not None]
            times = sorted(taken[side, moment]) or [0]
            print(f"{moment:18}{len(spoke[side, moment]):8}{len(said):8}{len(said) / max(1, len(spoke[side, moment])):8.3f}"
                  f"{sum(said) / max(1, len(said)):10.2f}{times[len(times) * 95 // 100]:10.1f}")
        print(f"{'what it says':18}{'times':>8}{'used':>8}{'tokens':>8}")
        for kind in WORDS.values():
            hits = kinds[side, kind]
            print(f"{kind:18}{len(hits):8}{sum(hit for hit, _ in hits) / max(1, len(hits)):8.2f}"
                  f"{sum(size for _, size in hits) / max(1, len(hits)):8.0f}")


if __name__ == "__main__":
    main()
