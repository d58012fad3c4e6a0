#!/usr/bin/env python3
"""How well memd classifies the ends of sessions: outcomes of `memd --json sessions` against ends labelled by a reader.

  outcomes.py --memd MEMD --corpus HOME [--labels test/labels/outcomes.tsv] [--misses]

A label is of a session's real end, of its end after an exchange, or at the prompt of one. For the last two, memd reads
homes in which the session's file ends there (`memd record` says where); an agent's database cannot be cut so.
"""
import collections
import pathlib

from memd import Memd, copy_history, labels, options, share

OUTCOMES = ("success", "fail", "abandoned", "unknown")


def cut_file(memd, numbers, cut):
    """Returns the session's file and the bytes up to the cut; None: it cannot be cut."""
    kind, number = cut.split()
    records = memd.run("record", numbers[int(number) + (kind == "after")])["records"]
    first = records[0] if records else {"file": "", "item": ""}
    if not first["file"].endswith(".jsonl") or first["item"]:
        return None
    content = pathlib.Path(first["file"]).read_bytes()
    return first["file"], content[:first["offset"] if kind == "after" else content.index(b"\n", first["offset"]) + 1]


def outcomes(memd):
    return {s["session_id"]: s["outcome"] for s in memd.run("sessions", "-n", "0", "--subagents")["sessions"]}


def judge(o, rows):
    """Returns memd's outcomes by row; a row that cannot be asked has none."""
    judged, rounds = {}, []  # a round: one cut a session
    with Memd(o.memd, lambda home: copy_history(o.corpus, home)) as memd:
        numbers = collections.defaultdict(dict)
        for e in memd.exchanges():
            numbers[e["session"]][e["number"]] = e["id"]
        real = outcomes(memd)
        for i, row in enumerate(rows):
            uid = f"{row['platform']}:{row['session']}"
            if row["cut"] == "end":
                judged |= {i: real[uid]} if uid in real else {}
            elif cut := cut_file(memd, numbers[uid], row["cut"]):
                free = next((one for one in rounds if uid not in one), None)
                if free is None:
                    rounds.append(free := {})
                free[uid] = (i, pathlib.Path(cut[0]).relative_to(memd.home), cut[1])

    def write(home):
        for _, file, content in one.values():
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).write_bytes(content)
    for one in rounds:
        with Memd(o.memd, write) as memd:
            ended = outcomes(memd)
            judged |= {i: ended[uid] for uid, (i, _, _) in one.items() if uid in ended}
    return judged


def table(name, pairs):
    """`pairs`: label and judgement."""
    print(f"| {name}: label | {' | '.join(OUTCOMES)} | recall |\n|---|---|---|---|---|---|")
    for label in OUTCOMES:
        of = [judgement for one, judgement in pairs if one == label]
        counts = " | ".join(str(of.count(outcome)) for outcome in OUTCOMES)
        print(f"| `{label}` | {counts} | {share([judgement == label for judgement in of])} |")
    shares = (share([label == outcome for label, judgement in pairs if judgement == outcome]) for outcome in OUTCOMES)
    print(f"| precision | {' | '.join(shares)} | |\n")


def main():
    o = options(__doc__, "outcomes.tsv", misses='print ends with another label, none of "fresh"')
    rows = labels(o.labels)
    judged = judge(o, rows)
    for i, row in enumerate(rows) if o.misses else ():
        if row["part"] != "fresh" and judged.get(i) != row["label"]:
            print(row["label"], "->", judged.get(i), f"({row['reason']}) {row['platform']}:{row['session']} {row['cut']}")
    for name, of in (('"dev"', "dev"), ('"held"', "held"), ("real ends", "end"), ('"fresh"', "fresh")):
        table(name, [(rows[i]["label"], outcome) for i, outcome in judged.items()
                     if of in (rows[i]["part"], rows[i]["cut"])])
    print(f"{len(judged)} of {len(rows)} labelled ends could be asked.")


if __name__ == "__main__":
    main()
