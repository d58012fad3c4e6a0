#!/usr/bin/env python3
"""What hooks would have said while agents worked, and how much of it was used: at every edit and every failed command
in the last third of each Claude Code session of a home, memd is asked as the hook `recall` asks it, and knows the
history up to that moment.

  recall.py --memd MEMD --corpus HOME [--show]

A line is used if, in the next 20 records, its command is run, one of its names or files is used, or a sentence has six
of ten of its words. Half of the sessions, by a hash of their ids, is held out.
"""
import collections
import pathlib
import re

import used
from memd import Memd, mean, options
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
    o = options(__doc__, show="print what is said, + where it was used")
    transcripts = used.main_transcripts(o.corpus)
    asked = [(t.records[i].time, n, t, i, *more) for n, t in enumerate(transcripts) for i, *more in moments(t)]
    spoke, kinds = collections.defaultdict(list), collections.defaultdict(list)
    with Memd(o.memd) as memd:
        home = used.GrowingHome(o.corpus, memd.home)
        for _, _, t, i, moment, what in sorted(asked, key=lambda a: a[:2]):
            home.grow(t, i)
            memd.ask("memd/ingest")
            side = "held out" if is_held_out(t.id) else "fit"
            lines = memd.ask("memd/recall", session_id=t.id, **{
                k: v.encode("latin-1").decode("utf-8", "replace") for k, v in what.items()})["structured"]["lines"]
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
        print(f"\n{side}\n{'':18}{'moments':>8}{'speaks':>8}{'share':>8}{'used':>10}")
        for moment in MOMENTS:
            all_of, said = spoke[side, moment], [hit for hit in spoke[side, moment] if hit is not None]
            print(f"{moment:18}{len(all_of):8}{len(said):8}{len(said) / max(1, len(all_of)):8.3f}{mean(said):10.2f}")
        print(f"{'what it says':18}{'times':>8}{'used':>8}{'tokens':>8}")
        for kind in WORDS.values():
            hits, sizes = zip(*kinds[side, kind]) if kinds[side, kind] else ((), ())
            print(f"{kind:18}{len(hits):8}{mean(hits):8.2f}{mean(sizes):8.0f}")


if __name__ == "__main__":
    main()
