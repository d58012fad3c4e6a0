#!/usr/bin/env python3
"""Precision and recall of decisions: what `memd --json observations --kind decision` reports, against the exchanges that
a reader labelled. The labels name sentences by hash, so the home has to hold the history that they were drawn from.

  decisions.py --memd MEMD --corpus HOME [--labels test/labels/decisions.tsv] [--misses]

A decision is right if its sentence is a marked one of the same speaker, or overlaps one; `restated` and `unclear` count
neither way.
"""
import collections
import re

import text
from memd import Memd, copy_history, labels, options, print_halves

NEUTRAL = ("restated", "unclear")


def words_of(line):
    return re.findall(r"[A-Za-z0-9_\x80-\xff]+", text.lower(line))


def find_sentences(marked, exchange):
    """Sets the words of the marked sentences of an exchange."""
    for part, speakers in (("user", ["user"]), ("interventions", ["user"]), ("agent", ["agent", "user"])):
        for _, unit in text.units(text.raw(exchange[part])):
            line = text.one_line(unit)
            for one in marked:
                if one["where"] == f"{text.hash64(line):016x}" and one["by"] in speakers:
                    one.setdefault("words", f" {' '.join(words_of(line))} ")


def judge(marked, told):
    """Returns whether a decision is right; None: neither."""
    words = words_of(text.raw(told["text"]))
    line, where = f" {' '.join(words)} ", f"{text.hash64(' '.join(words)):016x}"
    found = [one for one in marked if one["by"] == told["decision"]["decided_by"] and (
        one["where"] in ("*", where) or "words" in one and len(line) > 2 and (
            one["words"] in line or line in one["words"]))]
    sure = [one for one in found if one["kind"] not in NEUTRAL]
    for one in sure:
        one["told"] = True
    return True if sure else None if found else False


def main():
    o = options(__doc__, "decisions.tsv", misses="print the differences")
    with Memd(o.memd, lambda home: copy_history(o.corpus, home)) as memd:
        exchanges = memd.exchanges()
        observed = memd.run("observations", "--kind", "decision", "-n", "0", "--all-projects")["observations"]
    told = collections.defaultdict(list)
    for one in observed:
        told[one["exchange_id"]].append(one)
    judged = collections.defaultdict(list)
    for row in labels(o.labels):
        judged[row["platform"], row["session"], int(row["exchange"])].append(row)
    counted, found = collections.defaultdict(list), 0  # hits by name, half and figure
    for e in exchanges:
        rows = judged.get((e["platform"], e["native_id"], e["number"]))
        if not rows:
            continue
        found += 1
        half, marked = rows[0]["half"], [row for row in rows if row["kind"] != "none"]
        find_sentences(marked, e)
        for one in told[e["id"]]:
            verdict, by = judge(marked, one), one["decision"]
            if verdict is None:
                continue
            for name in ("all", "by the " + by["decided_by"], by["kind"]):
                counted[name, half, "precision"].append(verdict)
            if o.misses and not verdict:
                print(f"{half} wrongly {by['kind']} {by['decided_by']}: {one['text']}")
        for one in (one for one in marked if one["kind"] not in NEUTRAL):
            for name in ("all", "by the " + one["by"], one["kind"]):
                counted[name, half, "recall"].append("told" in one)
            if o.misses and "told" not in one:
                print(f"{half} missed {one['kind']} {one['by']}: {one.get('words', '')}")
    print_halves("decisions", ("precision", "recall"), sorted({name for name, *_ in counted}), counted)
    print(f"\n{found} of {len(judged)} labelled exchanges are in the store. Decisions in all: {len(observed)}.")


if __name__ == "__main__":
    main()
