#!/usr/bin/env python3
"""Draws verbatim questions from a history: errors, names, commands, and lines of persons and agents.

  draw_exact.py DATA/memd.db DIRECTORY
  retrieval_bench --memd MEMD --corpus HOME --part questions --questions DIRECTORY [--final]

Nothing is chosen by hand. A line is drawn from a random session, whole or as two to five of its words. It is kept when
at most three sessions contain it verbatim; these are the right answers. Half of the sessions, by a hash of their ids,
are `train`, the others `final`. Writes `questions.json` and, beside it, `kinds.json` with the kind of each question.
"""
import collections
import hashlib
import json
import pathlib
import random
import re
import shutil
import sqlite3
import sys

DRAWS = 80  # questions of each kind
MOST_OF_A_SESSION = 4
MOST_SESSIONS = 3
TRIES = 6000
USER, INTERVENTIONS, ANSWER, TOOLS = range(3, 7)
ERROR = re.compile(r"\b(error|Error|failed|FAIL|panic|exception|Exception|cannot|undefined|not found|denied|fatal)\b")
NAME = re.compile(r"\b(?:[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|\w+_\w+|--[a-z][\w-]+"
                  r"|[\w/-]+\.(?:go|py|ts|md|json|sh|cpp|tsx|yml|yaml)|[0-9a-f]{8,12})\b")
COMMAND = re.compile(r"^(?:\$ )?((?:go|git|npm|npx|cargo|python3?|pytest|make|grep|rg|cd|ls|cat|find|gh|curl|mise|docker"
                     r"|bun|pnpm|uv|sed|head|tail|mkdir|rm|bash|sqlite3|yarn) .+)$")


def read(store):
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    return list(db.execute(
        "SELECT uid, exchange_number, 0, coalesce(user_message,''), coalesce(interventions,''),"
        " coalesce(assistant_response,''), coalesce(tool_text,'') FROM exchanges JOIN sessions USING (session_pk)"
        " ORDER BY uid, exchange_number"))


def lines(exchanges, columns, wanted):
    return [(e[0], line.strip()) for e in exchanges for column in columns for line in e[column].split("\n")
            if 12 <= len(line.strip()) <= 160 and wanted(line.strip())]


def names(exchanges):
    return [(e[0], name) for e in exchanges for column in (USER, ANSWER, TOOLS)
            for name in sorted(set(NAME.findall(e[column]))) if 5 <= len(name) <= 50]


def commands(exchanges):
    found = ((e[0], COMMAND.match(line.strip())) for e in exchanges for line in e[TOOLS].split("\n"))
    return [(session, match[1]) for session, match in found if match and 6 <= len(match[1]) <= 160]


def some_words(kind, line):
    words, count = line.split(" "), random.randint(2, 5)
    if len(words) <= count:
        return ""
    start = 0 if kind == "command" and random.random() < .5 else random.randrange(len(words) - count + 1)
    return " ".join(words[start:start + count])


def main():
    store, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    random.seed(20261126)
    exchanges = read(store)
    texts = collections.defaultdict(str)
    for e in exchanges:
        texts[e[0]] += "\n".join(e[USER:]) + "\n"
    several_words = lambda line: len(line.split()) >= 4
    kinds = {"error line": lines(exchanges, (ANSWER, TOOLS), ERROR.search), "identifier": names(exchanges),
             "command": commands(exchanges), "said by a person": lines(exchanges, (USER, INTERVENTIONS), several_words),
             "said by an agent": lines(exchanges, (ANSWER,), several_words)}
    pairs, kind_of = [], {}

    def add(kind, session, text):
        if len(text) < 5 or text in kind_of or text.count('"') % 2:
            return False
        holding = [uid for uid, all_text in texts.items() if text in all_text]
        if not 1 <= len(holding) <= MOST_SESSIONS:
            return False
        targets = [{"session": uid, "exchanges": [e[1] for e in exchanges if e[0] == uid and any(text in t for t in e[USER:])]}
                   for uid in holding]
        targets = [t for t in targets if t["exchanges"]]
        if not targets:
            return False
        half = "train" if int(hashlib.md5(session.encode()).hexdigest(), 16) % 2 == 0 else "final"
        pairs.append({"question": text, "kind": "exact", "split": half, "targets": targets})
        kind_of[text] = kind
        return True

    for kind, drawn_from in kinds.items():
        of_session = collections.defaultdict(list)
        for session, line in drawn_from:
            of_session[session].append(line)
        for cut in (False,) if kind == "identifier" else (False, True):
            used, tries = collections.Counter(), 0
            while sum(used.values()) < DRAWS and tries < TRIES:
                tries += 1
                session = random.choice(sorted(of_session))
                if used[session] >= MOST_OF_A_SESSION:
                    continue
                line = random.choice(of_session[session])
                text = (some_words(kind, line) if cut else line).strip()
                if add(kind + (", cut" if cut else ""), session, text):
                    used[session] += 1
    directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(pathlib.Path(__file__).with_name("phrasings.json"), directory)
    (directory / "questions.json").write_text(json.dumps({"pairs": pairs}), encoding="utf-8")
    (directory / "kinds.json").write_text(json.dumps(kind_of), encoding="utf-8")
    print(collections.Counter((p["split"], kind_of[p["question"]]) for p in pairs))


if __name__ == "__main__":
    main()
