#!/usr/bin/env python3
"""What hooks would have said while agents worked, and how much of it was used: each Claude Code session of a home is
replayed, and where it starts, at each prompt, after each compaction and each failed command memd is asked as its hooks
ask, with a store that holds only what stood before. Then planted corrections, with look-alikes.

  recall.py --memd MEMD --corpus HOME [--show]

A line is used if, in the next 20 records, one of its names, commits or files is used, or a sentence has six of ten of
its words. It is repeated if the person says six of ten of its words later in the session. Half of the sessions, by a
hash of their ids, is held out. Whether a line helped is for a reader: --show prints each with what followed.
"""
import collections
import json
import pathlib
import random
import re
import time

import used
from memd import Memd, Transcript, copy_history, mean, options, share
from text import is_held_out, raw, subject_words, tokens

MOMENTS = ("start", "compact", "first prompt", "prompt", "error")
TITLE = re.compile(r"^(Branch|This directory|Pull request|Stopped at|Test|Last error|Keep to|Decided|Next|Refused|"
                   r"Meanwhile|Said|Committed|Replied|Works|Earlier|The same error|It went away)")


def moments(transcript):
    """Yields record, moment and what is asked."""
    cwd, moment = "", "first prompt"
    for i, r in enumerate(transcript.records):
        if r.sidechain:
            continue
        if not cwd and r.cwd:
            yield i, "start", {"cwd": r.cwd}
        cwd = r.cwd or cwd
        if r.human:
            yield i, moment, {"cwd": cwd, "text": r.texts[0]}
            moment = "prompt"
        if r.kind == "boundary":
            yield i, "compact", {"cwd": cwd}
        for error in r.errors:
            if "want to proceed" not in error:
                yield i, "error", {"cwd": cwd, "text": error}


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


def is_repeated(told, later):
    return any(used.covers(words, subject_words(told)) for r in later if r.human for text in r.texts
               for words in used.sentences(text))


def recalled(memd, moment, **asked):
    asked = {k: v.encode("latin-1").decode("utf-8", "replace") if k == "text" else v for k, v in asked.items()}
    return memd.ask("memd/recall", moment=moment.split()[-1], **asked)["structured"]["lines"]


def replay(o):
    transcripts = used.main_transcripts(o.corpus)
    asked = [(t.records[i].time, n, t, i, *more) for n, t in enumerate(transcripts) for i, *more in moments(t)]
    spoke, kinds = collections.defaultdict(list), collections.defaultdict(list)
    with Memd(o.memd) as memd:
        home = used.GrowingHome(o.corpus, memd.home)
        for _, _, t, i, moment, what in sorted(asked, key=lambda a: a[:2]):
            home.grow(t, i)
            memd.ask("memd/ingest")
            side = "held out" if is_held_out(t.id) else "fit"
            lines = recalled(memd, moment, session_id=t.id, at=int(1000 * t.records[i].time), branch=branch_of(t, i),
                             **what)
            later, hits = t.talk_after(i + 1, 20), []
            for line in lines:
                kind = TITLE.match(line)[0]
                told = raw(re.sub(r" \[x\d+\]$", "", line[len(kind):]))
                hits.append(is_used(told, later))
                kinds[side, kind].append((hits[-1], is_repeated(told, t.records[i + 1:]), tokens(told)))
                if o.show:
                    print(json.dumps({"moment": moment, "side": side, "session": t.id, "record": i, "line": line,
                                      "used": hits[-1]}))
            spoke[side, moment].append((any(hits) if lines else None, sum(tokens(raw(line)) for line in lines)))
    for side in ("fit", "held out"):
        print(f"\n| {side} | moments | speaks | share | used | most tokens |\n|{'---|' * 6}")
        for moment in MOMENTS:
            all_of, said = spoke[side, moment], [hit for hit, _ in spoke[side, moment] if hit is not None]
            print(f"| {moment} | {len(all_of)} | {len(said)} | {len(said) / max(1, len(all_of)):.2f} | {mean(said):.2f} "
                  f"| {max((size for _, size in all_of), default=0)} |")
        print(f"\n| {side} | lines | used | repeated by the person | tokens |\n|{'---|' * 5}")
        for kind in sorted({kind for half, kind in kinds if half == side}):
            hits, repeated, sizes = zip(*kinds[side, kind])
            print(f"| {kind} | {len(hits)} | {mean(hits):.2f} | {mean(repeated):.2f} | {mean(sizes):.0f} |")


# ---- Planted: what a person says, and what has to bring it back. {a} and {b} are names of the project.

CORRECTIONS = [  # once, again, taken back
    ("Please never rename {a} without asking me.", "Never rename {a} without asking me first!",
     "From now on rename {a} without asking me."),
    ("Always run {a} before you touch {b}.", "Again: always run {a} before you touch {b}, please.",
     "Don't run {a} before you touch {b} any more."),
    ("Don't put {a} into commit messages.", "Do not put {a} into the commit messages.",
     "Put {a} into the commit messages, please."),
    ("Use {a} instead of {b} in new code.", "In new code, use {a} instead of {b}, as I said.",
     "Do not use {a} instead of {b} in new code.")]
DAY, PLANTED = 86400, 40


def planted(o):
    with Memd(o.memd, lambda home: copy_history(o.corpus, home)) as memd:
        names = sorted(set().union(*(used.spoken(r) for t in used.main_transcripts(o.corpus) for r in t.records)))
        names = [name for name in names if re.fullmatch("[A-Za-z_]{8,24}", name)]
        draw, found, number, now = random.Random(49), collections.defaultdict(list), 0, time.time() - 4000 * DAY

        def say(text, project, at):
            nonlocal number
            number += 1
            t = Transcript(memd.home, project, 49, number)
            for by_user, words in ((True, text), (False, "Understood."), (True, "Go on, please."), (False, "Done.")):
                t.add(by_user, words, at)
                at += 60
            t.write()
            memd.ask("memd/ingest")
            return t

        def lines(moment, project, at, session="", **more):
            return recalled(memd, moment, cwd="/home/ada/" + project, session_id=session, at=int(1000 * at), **more)

        for n in range(PLANTED):
            a, b = draw.sample(names, 2)
            side, other = "held" if n % 2 else "dev", f"elsewhere{n}"
            now += DAY
            once, again, back = (text.format(a=a, b=b) for text in CORRECTIONS[n % len(CORRECTIONS)])
            standing = lambda place, at: any(a in line for line in lines("start", place, at) if line.startswith("Said in "))
            say(once, f"correct{n}", now)
            found["correction", side, "look-alike: said once"].append(standing(f"correct{n}", now + DAY))
            say(again, f"correct{n}", now + DAY)
            found["correction", side, "told"].append(standing(f"correct{n}", now + 2 * DAY))
            found["correction", side, "look-alike: another project"].append(standing(other, now + 2 * DAY))
            found["correction", side, "look-alike: long ago"].append(standing(f"correct{n}", now + 40 * DAY))
            say(back, f"correct{n}", now + 3 * DAY)
            found["correction", side, "look-alike: taken back"].append(standing(f"correct{n}", now + 4 * DAY))
    print(f"\n| planted | half | | said |\n|{'---|' * 4}")
    for (what, side, case), hits in sorted(found.items()):
        print(f"| {what} | {side} | {case} | {share(hits)} |")


def main():
    o = options(__doc__, show="print what is said", planted="only the planted sets")
    if not o.planted:
        replay(o)
    planted(o)


if __name__ == "__main__":
    main()
