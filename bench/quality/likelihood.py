#!/usr/bin/env python3
"""Is the likelihood of an answer true? Asks homes and dialogs what they talk of and what they do not, and compares what
memd says with what is so. Unanswerable questions are hard ones: of the same field, answered only in another home, and,
of a dialog, with the names exchanged.

  likelihood.py --memd MEMD --corpus HOME --locomo FILE --rows ROWS [--fit] [--only HOME]…

Writes a line per answer to ROWS, or reads them if the file exists. --fit prints new weights for
store/search/rank/ranking.hpp. Chosen on one half of the homes (FIT), reported on the others and on the whole home. An
answer is right if a right session is among its first five hits; unanswered means that none exists.
"""
import argparse
import json
import math
import pathlib
import random
import re
import shutil

from memd import Memd, copy_history, mean, with_interval
from retrieval import PHRASINGS, read, read_locomo, write_dialog

# Parts of one history, by pieces of the names of Claude Code's folders; empty: the other agents' histories.
HOMES = {"alex": ("-Users-alex-",), "many": ("-dip-", "-paul-", "-robin-", "-evisdrenova-"), "others": (),
         "soph": ("-Users-soph-",), "victor": ("-gtrrz-victor-", "-testuser-"), "spotter": ("-USER-Dev-spotter",),
         "whole": ("",)}
FIT = ("alex", "many", "others", "dialog 1", "dialog 2", "dialog 3")
RIGHT, UNANSWERED = ("talked of",), ("other home", "same field", "other field", "names exchanged")
FEATURES = ("surprise", "network_cosine", "soft_coverage", "coverage", "bm25", "cosine", "identifier", "surroundings",
            "brevity", "dense_z")
RULES = {"second look": ("surprise", "network_cosine", "gap", "soft_coverage"),
         "one look": ("surprise", "cosine", "gap", "soft_coverage"), "several": ("surprise", "cosine", "gap", "coverage"),
         "words": ("surprise", "gap", "coverage")}


def write_home(corpus, home, folders):
    copy_history(corpus, home)
    for folder in (home / ".claude/projects").iterdir():
        if not any(part in folder.name for part in folders):
            shutil.rmtree(folder)
    if folders and folders != ("",):
        for other in (".codex", ".config", ".gemini", ".local"):
            shutil.rmtree(home / other, ignore_errors=True)


def questions_of_home(exchanges):
    """Yields question, kind and the right sessions."""
    sessions = {e["session"] for e in exchanges}
    texts = " ".join(e[part] for e in exchanges for part in ("user", "interventions", "agent", "tools")).lower()
    elsewhere = []
    for pair in read("paraphrases.json")["pairs"] + read("questions.json")["pairs"]:
        right = {t["session"] for t in pair["targets"]}
        if right & sessions:
            yield pair["question"], "talked of", right
        else:
            elsewhere.append((pair["question"], "other home", ()))
    yield from random.Random(1).sample(elsewhere, min(len(elsewhere), 120))
    for one in read("near_topic.json")["questions"]:
        if one["absent"] not in texts:
            yield one["question"], "same field", ()
    for text in read("off_topic.json")["questions"] + read("controls.json")["questions"]:
        yield text, "other field", ()


def questions_of_dialog(dialogs, i, uids):
    names = lambda d: sorted({turn["speaker"] for _, said in d[3].values() for turn in said})
    own, other = dialogs[i], dialogs[(i + 1) % len(dialogs)]
    talked = [(text, "talked of", {uids[i, s] for s, _ in evidence if (i, s) in uids})
              for text, category, evidence in own[4] if category != 5 and evidence]
    yield from random.Random(1).sample(talked, min(len(talked), 100))
    exchanged = [text for text, category, _ in own[4] if category == 5]
    yield from ((text, "names exchanged", ()) for text in random.Random(1).sample(exchanged, min(len(exchanged), 30)))
    moved = random.Random(1).sample([text for text, category, _ in other[4] if category != 5], 70)
    for text in moved:
        for theirs, ours in zip(names(other), names(own)):
            text = re.sub(rf"\b{theirs}\b", ours, text)
        yield text, "names exchanged", ()


def answer_of(memd, text, right, **arguments):
    hits = memd.tool("semantic_search", query=text, n_results=20, max_tokens=8000, explain=True, **arguments)[1]["results"]
    hits = [hit for hit in hits if hit["source"] == "exchange"]
    scores = [hit["relevance_score"] for hit in hits]
    return {"found": any(hit["session_id"] in right for hit in hits[:5]),
            "told": max([hit["likelihood"] for hit in hits[:5]], default=0),
            "gap": (scores[0] - mean(scores[5:])) if scores else 0,
            "hits": [[hit["features"].get(name, 0) if isinstance(hit["features"], dict) else
                      dict(hit["features"]).get(name, 0) for name in FEATURES] for hit in hits[:5]]}


def collect(o):
    dialogs = list(read_locomo(o.locomo))
    homes = dict(HOMES) | {f"dialog {d[0] + 1}": d for d in dialogs}
    with open(o.rows, "a", encoding="utf-8") as out:
        for name, what in homes.items():
            if o.only and name not in o.only:
                continue
            uids = {}
            write = (lambda home: write_home(o.corpus, home, what)) if name in HOMES else (
                lambda home: uids.update(write_dialog(home, what)))
            with Memd(o.memd, write) as memd:
                asked = list(questions_of_home(memd.exchanges()) if name in HOMES else
                             questions_of_dialog(dialogs, what[0], uids))
                rows = [{"home": name, "kind": kind, "question": text} for text, kind, _ in asked]
                def ask(way, **arguments):
                    for row, (text, _, right) in zip(rows, asked):
                        if way != "several" or text in PHRASINGS:
                            also = {"also": PHRASINGS[text]} if way == "several" else {}
                            row[way] = answer_of(memd, text, right, **also, **arguments)
                ask("one look")
                ask("words", mode="lexical")
                memd.settle(second_look=True)
                ask("second look")
                ask("several")
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.flush()
            print(name, len(rows), flush=True)
