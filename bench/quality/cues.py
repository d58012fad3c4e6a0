#!/usr/bin/env python3
"""Precision and recall of the classes that memd gives to sentences, against sentences labelled by a reader. The labels
name sentences by hash, so the home has to hold the history that they were drawn from.

  cues.py --memd MEMD --corpus HOME [--labels test/labels/cues.tsv] [--misses]

Each sentence is told to a memd in a session of its own: an agent's in its only answer, a person's among plain requests.
A class fires if memd shows the sentence: as an observation (`memd --json observations`: success for
test_outcome, discovery, warning), or in the pack after the session (`resume_context`: problems, constraints,
next_steps). `solved` fires if a problem that the agent told just before is no longer among the problems. Precision is
over the sentences that were drawn at random or because the class fired; recall over those drawn at random.
"""
import collections

import text
from memd import Memd, Transcript, copy_history, labels, options, print_halves

OBSERVED = {"test_outcome": "success", "discovery": "discovery", "warning": "warning"}
PACKED = {"problem": "problems", "constraint": "constraints", "next_step": "next_steps"}
CLASSES = ("problem", "solved", "constraint", "next_step", "test_outcome", "discovery", "warning")
RECALL = {"random": "recall", "loose": "recall, loose words"}
FIGURES = ("precision", *RECALL.values())
TROUBLE = "The export still crashes with a wrong checksum."


def sentences(memd):
    """Returns the sentences of a home by hash."""
    out = {}
    for e in memd.exchanges():
        for part in ("user", "interventions", "agent"):
            for kind, unit in text.units(text.raw(e[part])):
                if kind in ("sentence", "bullet"):
                    line = text.one_line(unit)
                    out.setdefault(f"{text.hash64(line):016x}", line.encode("latin-1").decode("utf-8", "replace"))
    return out


def write(home, told):
    """Writes the sessions; sets their uids."""
    for i, row in enumerate(told):
        if row["speaker"] == "agent":
            note = "Here is a note.\n\n" + row["text"]
            said = {"uid": [("Go on with it.", row["text"])],
                    "after_trouble": [("Go on with it.", TROUBLE), ("Go on with it.", note)]}
        else:
            said = {"uid": [("Look at the parser.", "Yes."), (row["text"], "I see."), ("List its rules.", "Yes.")]}
        for collection, (key, turns) in enumerate(said.items()):
            transcript = Transcript(home, "cues", collection, i)
            for n, (prompt, answer) in enumerate(turns):
                transcript.add(True, prompt, 1.7e9 + 1000 * i + 100 * n)
                transcript.add(False, answer, 1.7e9 + 1000 * i + 100 * n + 50)
            row[key] = transcript.write()


def packed(memd, uid):
    return memd.tool("resume_context", session_id=uid, max_tokens=4000)[1]


def fired(memd, row, observed):
    if row["speaker"] != "agent":
        return {"constraint"} if packed(memd, row["uid"]).get("constraints") else set()
    pack = packed(memd, row["uid"])
    out = {c for c in ("problem", "next_step") if pack.get(PACKED[c])}
    out |= {c for c, kind in OBSERVED.items() if kind in observed[row["uid"]]}
    left = packed(memd, row["after_trouble"]).get("problems", [])
    return out | ({"solved"} if not any("checksum" in line for line in left) else set())


def is_neutral(cue_class, marked):
    """An announcement is a next step only until the next message; passing tests suggest that a problem is solved."""
    return cue_class not in marked and (cue_class == "next_step" and "announced" in marked or
                                        cue_class == "solved" and "test_outcome" in marked)


def main():
    o = options(__doc__, "cues.tsv", misses="print the sentences with another label")
    with Memd(o.memd, lambda home: copy_history(o.corpus, home)) as memd:
        known = sentences(memd)
    rows = list({row["hash"]: row for row in labels(o.labels)}.values())
    told = [row | {"text": known[row["hash"]]} for row in rows if row["hash"] in known]
    counted = collections.defaultdict(list)  # hits by class, half and figure
    with Memd(o.memd, lambda home: write(home, told)) as memd:
        observed = collections.defaultdict(set)
        for one in memd.run("observations", "-n", "0", "--all-projects")["observations"]:
            observed[one["session_id"]].add(one["kind"])
        for row in told:
            marked, fires = row["labels"].split(","), fired(memd, row, observed)
            stratum, _, drawn_for = row["stratum"].partition(":")
            for c in CLASSES:
                if (c == "constraint") == (row["speaker"] == "agent") or is_neutral(c, marked):
                    continue
                if c in fires and (stratum == "random" or stratum == "fired" and drawn_for == c):
                    counted[c, row["half"], "precision"].append(c in marked)
                if c in marked and stratum in RECALL:
                    counted[c, row["half"], RECALL[stratum]].append(c in fires)
                if o.misses and (c in fires) != (c in marked):
                    print(row["half"], "wrongly" if c in fires else "missed", c + ":", row["text"])
    print_halves("class", FIGURES, CLASSES, counted)
    print(f"\n{len(told)} of {len(rows)} labelled sentences are in the home.")


if __name__ == "__main__":
    main()
