#!/usr/bin/env python3
"""Quality of retrieval: questions with known answers to memd's tool semantic_search, beside SQLite's FTS5 over the same
texts. docs/benchmarks.md describes the parts.

  retrieval.py --memd MEMD [--corpus HOME] [--locomo FILE] [--longmemeval FILE [--ranking OUT]] [--part NAME]… [--final]

Methods: fts5 (porter, stop words dropped, the rest joined by OR, bm25); memd's modes lexical, semantic and hybrid; once
(hybrid without the second look); also (hybrid with further phrasings in the same call); asked again (also where the
answer of hybrid is weak); project and elsewhere (hybrid, asked from the project of the right answer and from the largest
other one). An exchange counts by its id, a session by its first hit. Brackets are 95% intervals over the questions.
--ranking writes what hybrid ranked as deja-vu's scorer takes it: {question id: [session id, best first]}.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import shutil
import sqlite3
from datetime import datetime, timezone

from memd import Memd, Transcript, copy_history, with_interval

HERE = pathlib.Path(__file__).resolve().parent
# The stop words of the Natural Language Toolkit, not memd's, so that fts5 does not move when those change.
STOP = set("""i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be
been being have has had having do does did doing a an the and but if or because as until while of at by for with about
against between into through during before after above below to from up down in out on off over under again further
then once here there when where why how all any both each few more most other some such no nor not only own same so
than too very s t can will just don should now d ll m o re ve y""".split())
Question = collections.namedtuple("Question", "text groups relevant also cwd places", defaults=((), (), "", ()))

# ---- What is measured: of an answer and the relevant keys. A key is an exchange or a session.


class Answer:
    def __init__(self, hits, page=None):
        self.exchanges, self.sessions = ([*dict.fromkeys(keys)] for keys in (zip(*hits) if hits else ((), ())))
        self.page = page or {}
        self.better = self.page.get("better_elsewhere", {}).get("project")


def hit(keys, k):
    return lambda answer, relevant: any(key in relevant for key in getattr(answer, keys)[:k])


def found(keys):
    return {"hit@1": hit(keys, 1), "hit@5": hit(keys, 5), "MRR": lambda answer, relevant: next(
        (1 / rank for rank, key in enumerate(getattr(answer, keys), 1) if key in relevant), 0)}


def ndcg(answer, relevant):
    gains = [1 / math.log2(rank + 2) for rank in range(10)]
    return sum(g for g, key in zip(gains, answer.exchanges) if key in relevant) / sum(gains[:len(relevant)])


FOUND = found("sessions")
RANKED = {"nDCG@10": ndcg, "recall@10": lambda a, relevant: len({*a.exchanges[:10]} & relevant) / len(relevant)}
OF_SESSION = {"session hit@1": hit("sessions", 1), "session hit@5": hit("sessions", 5)}
MORE = {"tells of more": lambda a, _: a.page.get("outside", 0) > 0}
NOTHING = {"nothing relevant": lambda a, _: a.page.get("nothing_relevant", False)}
FLAGS = NOTHING | {"or low or no hit": lambda a, _: a.page.get("nothing_relevant", False) or not a.exchanges or
                   a.page["results"][0].get("confidence") == "low"}
ELSEWHERE = NOTHING | {"better elsewhere": lambda a, _: bool(a.better),
                       "names the right one": lambda a, relevant: a.better in relevant}

# ---- Asking.


def search(memd, question, sessions, mode="hybrid", **arguments):
    """Takes further pages until there are ten hits, of five sessions if sessions count."""
    hits, cursor, first = [], "", None
    for _ in range(12):
        given = {name: value for name, value in (arguments | {"cursor": cursor}).items() if value}
        page = memd.tool("semantic_search", query=question, mode=mode, n_results=50 if sessions else 10,
                         max_tokens=8000, **given)[1]
        first, cursor = first or page, page.get("next", "")
        hits += [(one["exchange_id"], one["session_id"]) for one in page["results"]]
        if not cursor or len(hits) >= 10 and len({s for _, s in hits}) >= 5 * sessions:
            break
    return Answer(hits, first)


def fts5(exchanges):
    """Returns the search of an index of the exchanges."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
    db.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", [(i, e["text"]) for i, e in enumerate(exchanges)])

    def ask(question, most):
        low = re.sub("[A-Z]", lambda m: m[0].lower(), question)
        words = list(dict.fromkeys(re.findall("[a-z0-9\u0080-\U0010ffff]+", low)))
        match = " OR ".join(f'"{word}"' for word in [w for w in words if w not in STOP] or words)
        rows = db.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (match or '""', most))
        return Answer([(exchanges[row]["id"], exchanges[row]["session"]) for row, in rows])
    return ask


class Part:
    """Questions of one kind, asked in one or several homes. `sessions`: they count, not exchanges. `memd_only`: only
    memd's answers have what is measured."""

    def __init__(self, name, measures, groups, sessions=False, memd_only=False):
        self.name, self.measures, self.groups = name, measures, groups
        self.sessions, self.memd_only = sessions, memd_only
        self.asked = []  # (groups of the question, {method: {measure: value}})
        self.ranked = {}  # sessions by hybrid, by question

    def ask(self, o, write, questions_of):
        with Memd(o.memd, write) as memd:
            exchanges = memd.exchanges()
            for e in exchanges:
                e["text"] = "\n".join(e[part] for part in ("user", "interventions", "agent", "tools") if e[part])
            questions = questions_of(exchanges)
            once = [None if self.memd_only else search(memd, q.text, self.sessions) for q in questions]
            memd.settle(second_look=True)
            index, has_also = fts5(exchanges), any(q.also for q in questions)
            for q, before in zip(questions, once):
                hybrid = search(memd, q.text, self.sessions, cwd=q.cwd)
                self.ranked[q.text] = hybrid.sessions
                answers = {} if self.memd_only else {
                    "fts5": index(q.text, 400 if self.sessions else 10),
                    "lexical": search(memd, q.text, self.sessions, "lexical"),
                    "semantic": search(memd, q.text, self.sessions, "semantic"), "once": before}
                answers["hybrid"] = hybrid
                if has_also:
                    answers["also"] = search(memd, q.text, self.sessions, cwd=q.cwd, also=q.also) if q.also else hybrid
                    answers["asked again"] = answers["also"] if hybrid.page.get("weak") else hybrid
                for name, place in zip(("project", "elsewhere"), q.places):
                    answers[name] = search(memd, q.text, self.sessions, cwd=place)
                self.asked.append((q.groups, {method: {
                    name: float(measure(answer, set(q.relevant))) for name, measure in self.measures.items()}
                    for method, answer in answers.items()}))
        return self

    def print(self):
        for group in self.groups:
            members = [values for groups, values in self.asked if group in groups]
            if members:
                print(f"\n{self.name}: {group} – {len(members)} questions\n{'':12}" + "".join(
                    f"{name:22}" for name in self.measures))
            for method in members[0] if members else ():
                print(f"{method:12}" + "".join(f"{with_interval([m[method][name] for m in members]):22}"
                                               for name in self.measures), flush=True)


# ---- LoCoMo.


def read_locomo(file):
    """Yields number, name, first speaker, {session: (start, turns)} and [(question, category, [(session, turn)])]."""
    for number, sample in enumerate(json.loads(file.read_text())):
        talk = sample["conversation"]
        yield number, sample["sample_id"], talk["speaker_a"], {
            n: (datetime.strptime(talk[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y"), talk[f"session_{n}"])
            for n in range(1, 200) if talk.get(f"session_{n}")}, [
            (qa["question"], qa["category"], [(int(s), int(t)) for s, t in re.findall(
                r"D(\d+):(\d+)", json.dumps(qa.get("evidence")))]) for qa in sample["qa"]]


def write_dialog(home, dialog, turns=False):
    """Writes a transcript a session: each turn by the user, with its picture's caption, or each speaker by one side."""
    uids = {}
    for n, (start, said) in dialog[3].items():
        transcript = Transcript(home, dialog[1], dialog[0], n)
        for i, turn in enumerate(said):
            caption = f" [{turn['blip_caption']}]" if turns and turn.get("blip_caption") else ""
            transcript.add(turns or turn["speaker"] == dialog[2], f"{turn['speaker']}: {turn.get('text', '')}{caption}",
                           start.replace(tzinfo=timezone.utc).timestamp() + 60 * i)
        uids[dialog[0], n] = transcript.write()
    return uids


def half(dialog):
    return "train" if dialog[0] < 3 else "test"


def locomo(o, name, turns=False):
    whole = "categories 1–4" if turns else "all"
    part = Part(name, RANKED if turns else FOUND, [whole, "train", "test", "category 5"], sessions=not turns)
    dialogs = list(read_locomo(o.locomo))
    for group in [dialogs] if turns else [[dialog] for dialog in dialogs]:
        uids = {}

        def questions(exchanges):
            of_session = collections.defaultdict(list)
            for e in exchanges:
                of_session[e["session"]].append(e["id"])
            for dialog in group:
                for text, category, evidence in dialog[4]:
                    right = [(uids[dialog[0], s], t) for s, t in evidence if (dialog[0], s) in uids]
                    right = {of_session[s][t - 1] if turns else s for s, t in right if not turns or
                             1 <= t <= len(of_session[s])}
                    groups = [f"category {category}"] + [whole, half(dialog)] * (not turns or category != 5)
                    if right:
                        yield Question(text, groups, right)
        part.ask(o, lambda home: [uids.update(write_dialog(home, dialog, turns)) for dialog in group],
                 lambda exchanges: list(questions(exchanges)))
    return part


def negative_locomo(o):
    other, own = "of another dialog: more is better", "of the dialog, categories 1–4: less is better"
    dialogs = list(read_locomo(o.locomo))
    parts = ["train", "test"] + [f"dialog {d[0] + 1}" for d in dialogs]
    part = Part("negative-locomo", FLAGS, split(own, other, of=parts), memd_only=True)
    for i, dialog in enumerate(dialogs):
        asked = [(text, own) for text, category, evidence in dialog[4] if category != 5 and evidence]
        asked += [(text, other) for text, *_ in dialogs[(i + 1) % len(dialogs)][4]]
        part.ask(o, lambda home: write_dialog(home, dialog), lambda _: [
            Question(text, split(group, of=[half(dialog), f"dialog {i + 1}"])) for text, group in asked])
    return part


# ---- LongMemEval.


def longmemeval(o):
    """Asks each question in a home with its sessions. Those without an answer (_abs) are left out."""
    part, ranking = Part("longmemeval", FOUND, ["all"], sessions=True), {}
    for number, one in enumerate(json.loads(o.longmemeval.read_text())):
        if "_abs" in one["question_id"]:
            continue
        names = {}
        part.ask(o, lambda home: names.update(write_longmemeval(home, number, one)), lambda _: [Question(
            one["question"], ["all"], {uid for uid, name in names.items() if name in one["answer_session_ids"]})])
        ranking[one["question_id"]] = [names[uid] for uid in part.ranked[one["question"]]]
    if o.ranking:
        o.ranking.write_text(json.dumps(ranking, indent=0))
    return part


def day_zero(o):
    """Asks the first hundred questions in one home with the sessions of all of these, as deja-vu's day0bench does."""
    asked = [one for one in json.loads(o.longmemeval.read_text()) if "_abs" not in one["question_id"]][:100]
    names = {}

    def write(home):
        for number, one in enumerate(asked):
            names.update(write_longmemeval(home, number, one, {*names.values()}))
    return Part("day-zero", FOUND, ["all"], sessions=True).ask(o, write, lambda _: [Question(
        one["question"], ["all"], {uid for uid, name in names.items() if name in one["answer_session_ids"]})
        for one in asked])


def write_longmemeval(home, number, one, known=()):
    """Writes the sessions of a question that are not known. Returns their names by memd's ids."""
    names = {}
    for n, (name, date, said) in enumerate(zip(one["haystack_session_ids"], one["haystack_dates"],
                                               one["haystack_sessions"])):
        if name in known or name in names.values():
            continue
        transcript = Transcript(home, "longmemeval", number, n)
        start = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=timezone.utc).timestamp()
        for i, turn in enumerate(said):
            transcript.add(turn["role"] == "user", turn["content"], start + 60 * i)
        names[transcript.write()] = name
    return names


# ---- A home with real histories.


def read(name):
    return json.loads((HERE / name).read_text())


PHRASINGS = {one["question"]: one["also"] for one in read("phrasings.json")["phrasings"]}


def split(*groups, of):
    """Returns the groups and their parts."""
    return [name for group in groups for name in (group, *(f"{group}, {one}" for one in of))]


def pairs(name, exchanges, final=False, placed=False):
    """Relevant are the targets and the exchanges with the same text, because memd shows only one of them. With
    `placed`, they are also asked from the project of the right answer, and from the largest other one."""
    out = []
    for pair in read(name)["pairs"]:
        if (pair["split"] == "final") != final:
            continue
        wanted = {(t["session"], n) for t in pair["targets"] for n in t["exchanges"]}
        texts = {e["text"] for e in exchanges if (e["session"], e["number"]) in wanted}
        keys = {key for e in exchanges if e["text"] in texts for key in (e["id"], e["session"])}
        keys |= {t["session"] for t in pair["targets"] if not t["exchanges"]}
        own = next((e["project"] for e in exchanges if keys & {e["id"], e["session"]} and e["project"]), "")
        other = next((project for project in projects(exchanges) if project != own), "")
        out.append(Question(pair["question"], [pair["split"], pair["kind"]], keys, PHRASINGS.get(pair["question"], ()),
                            places=(own, other) if placed else ()))
    return out


def projects(exchanges):
    """Returns the projects, the largest first."""
    return [p for p, _ in collections.Counter(sorted(e["project"] for e in exchanges if e["project"])).most_common()]


def without_names(corpus, home):
    """Copies a home without the names that agents gave to sessions."""
    copy_history(corpus, home)
    named = re.compile(rb'"type":\s*"(summary|custom-title|ai-title)"')
    for file in (home / ".claude/projects").rglob("*.jsonl"):
        file.write_bytes(b"".join(line for line in file.read_bytes().splitlines(keepends=True) if not (
            named.search(line) and json.loads(line)["type"] in ("summary", "custom-title", "ai-title"))))
    (home / ".codex/session_index.jsonl").unlink(missing_ok=True)
    for file in home.glob(".config/Cursor/User/globalStorage/state.vscdb"):
        with sqlite3.connect(file) as db:
            db.execute("UPDATE cursorDiskKV SET value = json_remove(value, '$.name') WHERE key LIKE 'composerData:%'"
                       " AND json_valid(value)")


def known_items(o):
    return Part("known-items", FOUND | MORE, ["name"], sessions=True).ask(
        o, lambda home: without_names(o.corpus, home), lambda e: pairs("known_items.json", e, placed=True))


def paraphrases(o):
    return Part("paraphrases", found("exchanges") | OF_SESSION | MORE | NOTHING, ["train", "test", "final"]).ask(
        o, lambda home: copy_history(o.corpus, home), lambda e: pairs("paraphrases.json", e, o.final, placed=True))


def questions_as_said(o):
    return Part("questions", FOUND | NOTHING, ["exact", "question", "decision"], sessions=True).ask(
        o, lambda home: copy_history(o.corpus, home), lambda e: pairs("questions.json", e, o.final))


def languages(o):
    """Asks fifty questions of `train` in other languages than the sessions'."""
    names = ("de", "fr", "es", "zh", "ja")

    def questions(exchanges):
        known = {q.text: q for file in ("paraphrases.json", "questions.json") for q in pairs(file, exchanges)}
        return [Question(one[name], [name], known[one["question"]].relevant) for one in read("translations.json")["questions"]
                for name in names]
    return Part("languages", FOUND, names, sessions=True).ask(o, lambda home: copy_history(o.corpus, home), questions)


def in_projects(o):
    in_own, in_other = "from its own project: less is better", "from another project: more is better"

    def questions(exchanges):
        project_of, largest = {e["id"]: e["project"] for e in exchanges}, projects(exchanges)[:4]
        for q in pairs("paraphrases.json", exchanges, o.final) + pairs("questions.json", exchanges, o.final):
            own = {project_of[key] for key in q.relevant if project_of.get(key)}
            for place in sorted({*largest, *own} if own else ()):
                yield Question(q.text, [in_own if place in own else in_other], q.relevant | own, q.also, place)
    return Part("in-projects", ELSEWHERE, [in_other, in_own], memd_only=True).ask(
        o, lambda home: copy_history(o.corpus, home), lambda exchanges: list(questions(exchanges)))


def homes(o):
    """Asks three homes made of parts of one about what each talks of and what it does not."""
    names = ("home one", "home two", "home three")
    part = Part("homes", FLAGS, split("never", "of another project", "talked of", of=names), memd_only=True)
    for number, name in enumerate(names):
        def write(home):
            copy_history(o.corpus, home)
            folders = sorted((home / ".claude/projects").iterdir())
            middle = len(folders) // 2
            for folder in (folders[middle:], folders[:middle], folders)[number]:
                shutil.rmtree(folder)
            for other in (".codex", ".config", ".gemini", ".local") if number < 2 else ():
                shutil.rmtree(home / other, ignore_errors=True)

        def questions(exchanges):
            sessions = {e["session"] for e in exchanges}
            asked = [(text, "never") for text in read("off_topic.json")["questions"] + read("controls.json")["questions"]]
            for pair in read("paraphrases.json")["pairs"] + read("questions.json")["pairs"]:
                uid = pair["targets"][0]["session"]
                if uid in sessions or uid.startswith("claude_code:") != (number < 2):
                    asked.append((pair["question"], "talked of" if uid in sessions else "of another project"))
            return [Question(text, split(group, of=[name]), (), PHRASINGS.get(text, ())) for text, group in asked]
        part.ask(o, write, questions)
    return part


PARTS = {"locomo-turns": lambda o: locomo(o, "locomo-turns", True),
         "locomo-sessions": lambda o: locomo(o, "locomo-sessions"),
         "negative-locomo": negative_locomo, "longmemeval": longmemeval, "day-zero": day_zero,
         "known-items": known_items, "paraphrases": paraphrases,
         "questions": questions_as_said, "languages": languages, "in-projects": in_projects, "homes": homes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memd", required=True)
    parser.add_argument("--corpus", type=pathlib.Path, help="a home with real histories")
    parser.add_argument("--locomo", type=pathlib.Path, help="LoCoMo, as its authors publish it")
    parser.add_argument("--longmemeval", type=pathlib.Path, help="LongMemEval-S, as its authors publish it")
    parser.add_argument("--ranking", type=pathlib.Path, help="the file to write the ranking of longmemeval to")
    parser.add_argument("--part", action="append", choices=PARTS, help="only these parts")
    parser.add_argument("--final", action="store_true", help="the questions that nothing was tuned on, not the others")
    o = parser.parse_args()
    needed = {name: "locomo" if "locomo" in name else "longmemeval" if name in ("longmemeval", "day-zero") else "corpus"
              for name in PARTS}
    for name in o.part or PARTS:
        if getattr(o, needed[name]):
            PARTS[name](o).print()
        elif o.part or not (o.locomo or o.longmemeval or o.corpus):
            parser.error(f"{name} needs --{needed[name]}")


if __name__ == "__main__":
    main()
