#!/usr/bin/env python3
"""What hooks would have said while agents worked, and how much of it was used: each Claude Code session of a home is
replayed, and where it starts, after each compaction and after each failed command memd is asked as its hooks ask, with
a store that holds only what stood before.

  recall.py --memd MEMD --corpus HOME [--show]

A line is used if, in the next 20 records, one of its names, commits or files is used, or a sentence has six of ten of
its words. Half of the sessions, by a hash of their ids, is held out. Whether a line helped is for a reader: --show.
"""
import collections
import pathlib
import re

import used
from memd import Memd, mean, options
from text import is_held_out, raw, subject_words, tokens

MOMENTS = ("start", "compact", "error")
TITLE = re.compile(r"^(Branch|This directory|Stopped at|Test|Last error|Keep to|Decided|Next|Meanwhile|Said|Committed|The same error|"
                   r"It went away)")


def moments(transcript):
    """Yields record, moment and what is asked."""
    cwd, last = "", len(transcript.records) * 2 // 3
    for i, r in enumerate(transcript.records):
        if r.sidechain:
            continue
        if not cwd and r.cwd:
            yield i, "start", {"cwd": r.cwd}
        cwd = r.cwd or cwd
        if r.kind == "boundary":
            yield i, "compact", {"cwd": cwd}
        for error in r.errors if i >= last else ():
            yield i, "error", {"cwd": cwd, "error": error}


def branch_of(transcript, record):
    """Returns the branch that the transcript names last, up to the record."""
    begin = transcript.begin(record + 1)
    found = re.findall(rb'"gitBranch":"([^"]*)"', transcript.bytes[max(0, begin - 200_000):begin])
    return found[-1].decode("utf-8", "replace") if found else ""


def is_used(told, later):
    """Whether the agent repeats the sentence, or uses a name or file of it."""
    inputs = [(name, value) for r in later for use in r.uses for name, value in use.inputs]
    return (any(used.names(value, term) for term in used.identifiers(told) for _, value in inputs) or
            any(name == "file_path" and pathlib.PurePath(value).name in told for name, value in inputs) or
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
            record = t.records[i]
            lines = memd.ask("memd/recall", moment=moment, session_id=t.id, at=int(1000 * record.time),
                             branch=branch_of(t, i), **{
                k: v.encode("latin-1").decode("utf-8", "replace") for k, v in what.items()})["structured"]["lines"]
            later, hits = t.talk_after(i + 1, 20), []
            for line in lines:
                kind = TITLE.match(line)[0]
                told = raw(re.sub(r" \[x\d+\]$", "", line[len(kind):]))
                hits.append(is_used(told, later))
                kinds[side, kind].append((hits[-1], tokens(told)))
                if o.show:
                    print("+" if hits[-1] else "-", line)
            spoke[side, moment].append(any(hits) if lines else None)
    for side in ("fit", "held out"):
        print(f"\n{side}\n{'':18}{'moments':>8}{'speaks':>8}{'share':>8}{'used':>10}")
        for moment in MOMENTS:
            all_of, said = spoke[side, moment], [hit for hit in spoke[side, moment] if hit is not None]
            print(f"{moment:18}{len(all_of):8}{len(said):8}{len(said) / max(1, len(all_of)):8.3f}{mean(said):10.2f}")
        print(f"{'what it says':18}{'times':>8}{'used':>8}{'tokens':>8}")
        for kind in sorted({kind for half, kind in kinds if half == side}):
            hits, sizes = zip(*kinds[side, kind]) if kinds[side, kind] else ((), ())
            print(f"{kind:18}{len(hits):8}{mean(hits):8.2f}{mean(sizes):8.0f}")


if __name__ == "__main__":
    main()
