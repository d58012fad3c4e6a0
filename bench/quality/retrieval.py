#!/usr/bin/env python3
"""Quality of retrieval: questions with known answers to memd's tool semantic_search, beside SQLite's FTS5 over the same
texts. docs/benchmark-details.md describes the parts.

  retrieval.py --memd MEMD [--corpus HOME] [--locomo FILE] [--part NAME]… [--final]

Methods: fts5 (porter, stop words dropped, the rest joined by OR, bm25); memd's modes lexical, semantic and hybrid;
rrf (the first 50 of lexical and semantic, fused by reciprocal rank); once (hybrid without the second look); also
(hybrid with further phrasings in the same call); project and elsewhere (hybrid, asked from a directory). An exchange
counts by its id, a session by its first hit. Brackets are 95% intervals over the questions. A * marks a difference to
lexical whose interval does not contain 0. ms: the first page's round trip.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import shutil
import sqlite3
import time
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
METHODS = "fts5 lexical semantic rrf once hybrid also project elsewhere".split()


class Question:
    def __init__(self, text, groups, relevant=(), also=(), directory="", elsewhere=""):
        self.text, self.groups, self.relevant, self.also = text, groups, set(relevant), also
        self.directory, self.elsewhere = directory, elsewhere


class Answer:
    """Hits are (exchange, session), best first."""

    def __init__(self, hits=(), first=None, milliseconds=0.0):
        self.hits, self.first, self.milliseconds = list(hits), first or {}, milliseconds
        self.better = self.first.get("better_elsewhere", {}).get("project")

    def keys(self, unit):
        return list(dict.fromkeys(hit[unit] for hit in self.hits))


EXCHANGE, SESSION = 0, 1


def hit(k, unit=None):
    return lambda a, q, own: float(any(key in q.relevant for key in a.keys(own if unit is None else unit)[:k]))


def recall(k):
    return lambda a, q, own: len(q.relevant & set(a.keys(own)[:k])) / len(q.relevant)


def ndcg(k):
    def value(a, q, own):
        gains = [1 / math.log2(rank + 2) for rank in range(k)]
        found = sum(gain for gain, key in zip(gains, a.keys(own)) if key in q.relevant)
        return found / sum(gains[:len(q.relevant)])
    return value


def reciprocal_rank(a, q, own):
    return next((1 / rank for rank, key in enumerate(a.keys(own), 1) if key in q.relevant), 0.0)


def nothing_relevant(a, *_):
    return float(a.first.get("nothing_relevant", False))


def low(a, *_):
    return float(nothing_relevant(a) or not a.hits or a.first["results"][0].get("confidence") == "low")


FOUND = {"hit@1": hit(1), "hit@5": hit(5), "MRR": reciprocal_rank}
TELLS_OF_MORE = {"tells of more": lambda a, *_: float(a.first.get("outside", 0) > 0)}
NOTHING = {"nothing relevant": nothing_relevant}
FLAGS = NOTHING | {"or low or no hit": low}


def search(memd, question, mode, hits=10, sessions=0, cwd="", also=()):
    """Takes further pages until there are so many hits, of so many sessions."""
    arguments = {"query": question, "mode": mode, "n_results": 50 if sessions else hits, "max_tokens": 8000}
    arguments |= {"cwd": cwd} if cwd else {}
    arguments |= {"also": also} if also else {}
    answer = None
    for _ in range(12):
        start = time.perf_counter()
        page = memd.tool("semantic_search", **arguments)[1]
        answer = answer or Answer([], page, 1000 * (time.perf_counter() - start))
        answer.hits += [(found["exchange_id"], found["session_id"]) for found in page["results"]]
        arguments["cursor"] = page.get("next", "")
        if not arguments["cursor"] or len(answer.hits) >= hits and len(answer.keys(SESSION)) >= sessions:
            break
    return answer


class Fts5:
    def __init__(self, exchanges):
        self.exchanges = exchanges
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
        self.db.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)",
                            [(i, e["text"]) for i, e in enumerate(exchanges)])

    def search(self, question, limit):
        start = time.perf_counter()
        words = list(dict.fromkeys(re.findall(r"[a-z0-9\u0080-\U0010ffff]+", re.sub(
            "[A-Z]", lambda m: m[0].lower(), question))))
        match = " OR ".join(f'"{word}"' for word in [w for w in words if w not in STOP] or words)
        rows = self.db.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (match, limit))
        hits = [(self.exchanges[row[0]]["id"], self.exchanges[row[0]]["session"]) for row in rows if match]
        return Answer(hits, None, 1000 * (time.perf_counter() - start))


def fused(*answers):
    scores = collections.Counter()
    for answer in answers:
        for rank, one in enumerate(answer.hits, 1):
            scores[one] += 1 / (60 + rank)
    return Answer([one for one, _ in scores.most_common()], None, sum(a.milliseconds for a in answers))


class Part:
    """Questions of one kind, asked in one or several homes. `memd_only`: only memd's answers have what is measured.
    `in_project`: asked from Question.directory."""

    def __init__(self, name, unit, measures, groups, memd_only=False, in_project=False):
        self.name, self.unit, self.measures, self.groups = name, unit, measures, groups
        self.memd_only, self.in_project = memd_only, in_project
        self.questions, self.values, self.milliseconds = [], {}, {}

    def ask(self, memd, exchanges, questions):
        shown = {"sessions": 5} if self.unit == SESSION else {}
        deep = 400 if self.unit == SESSION else 10
        if not self.memd_only:
            for q in questions:
                self.add("once", q, search(memd, q.text, "hybrid", cwd=q.directory if self.in_project else "", **shown))
        memd.settle(second_look=True)
        fts5, has_also = Fts5(exchanges), any(q.also for q in questions)
        for q in questions:
            self.questions.append(q)
            cwd = q.directory if self.in_project else ""
            hybrid = search(memd, q.text, "hybrid", cwd=cwd, **shown)
            self.add("hybrid", q, hybrid)
            if has_also:
                self.add("also", q, search(memd, q.text, "hybrid", cwd=cwd, also=q.also, **shown) if q.also else hybrid)
            if self.memd_only:
                continue
            self.add("fts5", q, fts5.search(q.text, deep))
            if q.elsewhere:
                self.add("project", q, search(memd, q.text, "hybrid", cwd=q.directory, **shown))
                self.add("elsewhere", q, search(memd, q.text, "hybrid", cwd=q.elsewhere, **shown))
            lexical, semantic = (search(memd, q.text, mode, hits=50, **shown) for mode in ("lexical", "semantic"))
            self.add("lexical", q, lexical)
            if semantic.first["ranking"] == "semantic":
                self.add("semantic", q, semantic)
                self.add("rrf", q, fused(lexical, semantic))

    def add(self, method, question, answer):
        for name, measure in self.measures.items():
            self.values.setdefault((method, name), []).append(measure(answer, question, self.unit))
        self.milliseconds.setdefault(method, []).append(answer.milliseconds)

    def print(self):
        # A method that did not answer every question is not comparable.
        methods = [m for m in METHODS if len(self.milliseconds.get(m, ())) == len(self.questions)]
        for group in self.groups:
            members = [i for i, q in enumerate(self.questions) if group in q.groups]
            if not members:
                continue
            print(f"\n{self.name}: {group} – {len(members)} questions\n{'':10}" + "".join(
                f"{name:22}" for name in self.measures) + "".join(
                f"{name + ' − lexical':27}" for name in list(self.measures)[:2] if not self.memd_only) + "  p50    p95 ms")
            for method in methods:
                line = f"{method:10}"
                for name in self.measures:
                    line += f"{with_interval([self.values[method, name][i] for i in members]):22}"
                for name in list(self.measures)[:2] if not self.memd_only else ():
                    difference = "" if method == "lexical" else with_interval(
                        [self.values[method, name][i] - self.values["lexical", name][i] for i in members], "+")
                    ends = re.findall(r"[+-][\d.]+", difference)[1:]
                    clear = ends and (float(ends[0]) > 0 or float(ends[1]) < 0)
                    line += f"{difference + (' *' if clear else ''):27}"
                taken = sorted(self.milliseconds[method][i] for i in members)
                print(line + f"{taken[len(taken) // 2]:6.2f} {taken[len(taken) * 95 // 100]:6.2f}", flush=True)


def served(o, write):
    """A memd over a home, and its exchanges with their whole texts."""
    memd = Memd(o.memd, write)
    exchanges = memd.exchanges()
    for e in exchanges:
        e["text"] = "\n".join(e[part] for part in ("user", "interventions", "agent", "tools") if e[part])
    return memd, exchanges


# ---- LoCoMo.


def read_locomo(file):
    for number, sample in enumerate(json.loads(pathlib.Path(file).read_text())):
        talk = sample["conversation"]
        sessions = [(n, datetime.strptime(talk[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y"), talk[f"session_{n}"])
                    for n in range(1, 200) if talk.get(f"session_{n}")]
        asked = [(qa["question"], qa["category"], [(int(s), int(t)) for s, t in re.findall(
            r"D(\d+):(\d+)", json.dumps(qa.get("evidence")))]) for qa in sample["qa"]]
        yield number, sample["sample_id"], talk["speaker_a"], sessions, asked


def write_dialog(home, dialog, turns):
    """Writes a transcript a session: each turn by the user, with its picture's caption, or each speaker by one side."""
    number, name, speaker_a, sessions, _ = dialog
    uids = {}
    for n, start, said in sessions:
        transcript = Transcript(home, name, number, n)
        for i, turn in enumerate(said):
            caption = f" [{turn['blip_caption']}]" if turns and turn.get("blip_caption") else ""
            transcript.add(turns or turn["speaker"] == speaker_a, f"{turn['speaker']}: {turn.get('text', '')}{caption}",
                           start.replace(tzinfo=timezone.utc).timestamp() + 60 * i)
        uids[n] = transcript.write()
    return uids


def half(dialog):
    return "train" if dialog[0] < 3 else "test"


def locomo(o, name, turns, one_index):
    measures, groups = ({"nDCG@10": ndcg(10), "recall@10": recall(10)}, "categories 1–4") if turns else (FOUND, "all")
    part = Part(name, EXCHANGE if turns else SESSION, measures, [groups, "train", "test", "category 5"])
    dialogs = list(read_locomo(o.locomo))
    for group in [dialogs] if one_index else [[dialog] for dialog in dialogs]:
        uids = {}
        memd, exchanges = served(o, lambda home: uids.update({d[0]: write_dialog(home, d, turns) for d in group}))
        of_session = collections.defaultdict(list)
        for e in exchanges:
            of_session[e["session"]].append(e["id"])
        questions = []
        for dialog in group:
            for asked, category, evidence in dialog[4]:
                found = [(uids[dialog[0]][s], t) for s, t in evidence if s in uids[dialog[0]]]
                right = [of_session[s][t - 1] for s, t in found if 1 <= t <= len(of_session[s])] if turns else [
                    s for s, _ in found]
                kinds = [f"category {category}"] + ([groups, half(dialog)] if not turns or category != 5 else [])
                if right:
                    questions.append(Question(asked, kinds, right))
        with memd:
            part.ask(memd, exchanges, questions)
    return part


def negative_locomo(o):
    other, own = "of another dialog: more is better", "of the dialog, categories 1–4: less is better"
    dialogs = list(read_locomo(o.locomo))
    names = [f"dialog {d[0] + 1}" for d in dialogs]
    part = Part("negative-locomo", EXCHANGE, FLAGS,
                [f"{group}{of}" for group in (other, own) for of in ["", ", train", ", test"] + [", " + n for n in names]],
                memd_only=True)
    for i, dialog in enumerate(dialogs):
        memd, exchanges = served(o, lambda home: write_dialog(home, dialog, False))
        asked = [(text, own) for text, category, evidence in dialog[4] if category != 5 and evidence]
        asked += [(text, other) for text, *_ in dialogs[(i + 1) % len(dialogs)][4]]
        with memd:
            part.ask(memd, exchanges, [Question(text, [group, f"{group}, {half(dialog)}", f"{group}, {names[i]}"])
                                       for text, group in asked])
    return part


# ---- A home with real histories.


def read(name):
    return json.loads((HERE / name).read_text())


PHRASINGS = {one["question"]: one["also"] for one in read("phrasings.json")["phrasings"]}


def pairs(name, exchanges, final):
    """Relevant are the targets and the exchanges with the same text, because memd shows only one of them."""
    out = []
    for pair in read(name)["pairs"]:
        if (pair["split"] == "final") != final:
            continue
        wanted = {(t["session"], n) for t in pair["targets"] for n in t["exchanges"]}
        texts = {e["text"] for e in exchanges if (e["session"], e["number"]) in wanted}
        keys = {key for e in exchanges if e["text"] in texts for key in (e["id"], e["session"])}
        out.append(Question(pair["question"], [pair["split"], pair["kind"]], keys, PHRASINGS.get(pair["question"], ())))
    return out


def projects(exchanges):
    """Returns the projects, the largest first."""
    return [p for p, _ in collections.Counter(sorted(e["project"] for e in exchanges if e["project"])).most_common()]


def place(questions, exchanges):
    """Asks also from the project of the right answer, and from the largest other one."""
    largest = projects(exchanges)
    for q in questions:
        q.directory = next((e["project"] for e in exchanges if q.relevant & {e["id"], e["session"]} and e["project"]), "")
        q.elsewhere = next((p for p in largest if p != q.directory), "")


def name_records(file):
    """Yields (line, its record if it names sessions)."""
    for line in file.read_bytes().splitlines(keepends=True):
        record = json.loads(line) if b'"summary"' in line or b'-title"' in line else {}
        yield line, record if record.get("type") in ("summary", "custom-title", "ai-title") else None


def session_names(home):
    """Returns the names that agents gave to sessions, each with its sessions: Claude Code's titles and summaries (these
    belong to the sessions with the record that they refer to), Codex's threads, Cursor's chats."""
    names, of_leaf = collections.defaultdict(set), collections.defaultdict(set)
    files = list((home / ".claude/projects").rglob("*.jsonl"))
    for record in (record for file in files for _, record in name_records(file) if record):
        if record["type"] == "summary":
            of_leaf[record.get("leafUuid")].add(record["summary"])
        else:
            names[record.get("aiTitle" if record["type"] == "ai-title" else "customTitle", "")].add(
                "claude_code:" + record["sessionId"])
    for file in files:
        for line in file.read_bytes().splitlines():
            found = re.search(rb'"uuid":"([^"]*)"', line)
            for name in of_leaf.get(found[1].decode(), ()) if found else ():
                names[name].add("claude_code:" + json.loads(line)["sessionId"])
    rollouts = " ".join(p.name for p in home.glob(".codex/**/rollout-*"))
    for line in "".join(p.read_text() for p in home.glob(".codex/session_index.jsonl")).splitlines():
        thread = json.loads(line)
        if thread["id"] in rollouts:
            names[thread["thread_name"]].add("codex:" + thread["id"])
    for file in home.glob(".config/Cursor/User/globalStorage/state.vscdb"):
        for uid, name in sqlite3.connect(f"file:{file}?immutable=1", uri=True).execute(
                "SELECT substr(key, 14), json_extract(value, '$.name') FROM cursorDiskKV WHERE"
                " key LIKE 'composerData:%' AND json_valid(value) AND json_extract(value, '$.name') IS NOT NULL"):
            names[name].add("cursor:" + uid)
    return {n: s for n, s in sorted(names.items()) if n not in ("", "Sent to Chat") and not n.startswith("New session")}


def remove_session_names(home):
    for file in (home / ".claude/projects").rglob("*.jsonl"):
        file.write_bytes(b"".join(line for line, record in name_records(file) if not record))
    for file in home.glob(".codex/session_index.jsonl"):
        file.unlink()
    for file in home.glob(".config/Cursor/User/globalStorage/state.vscdb"):
        with sqlite3.connect(file) as db:
            db.execute("UPDATE cursorDiskKV SET value = json_remove(value, '$.name') WHERE key LIKE 'composerData:%'"
                       " AND json_valid(value)")


def of_home(o, name, unit, measures, groups, questions, write=copy_history, **how):
    part = Part(name, unit, measures, groups, **how)
    memd, exchanges = served(o, lambda home: write(o.corpus, home))
    with memd:
        part.ask(memd, exchanges, questions(exchanges))
    return part


def known_items(o):
    def nameless(corpus, home):
        copy_history(corpus, home)
        remove_session_names(home)

    def questions(exchanges):
        out = [Question(name, ["all"], uids, PHRASINGS.get(name, ())) for name, uids in session_names(o.corpus).items()]
        place(out, exchanges)
        return out
    return of_home(o, "known-items", SESSION, FOUND | TELLS_OF_MORE, ["all"], questions, nameless)


def paraphrases(o):
    def questions(exchanges):
        out = pairs("paraphrases.json", exchanges, o.final)
        place(out, exchanges)
        return out
    of_session = {"session hit@1": hit(1, SESSION), "session hit@5": hit(5, SESSION)}
    return of_home(o, "paraphrases", EXCHANGE, FOUND | of_session | TELLS_OF_MORE | NOTHING, ["train", "test", "final"],
                   questions)


def questions_as_said(o):
    return of_home(o, "questions", SESSION, FOUND | NOTHING, ["exact", "question", "decision"],
                   lambda exchanges: pairs("questions.json", exchanges, o.final))


def in_projects(o):
    in_own, in_other = "from its own project: less is better", "from another project: more is better"
    measures = NOTHING | {"better elsewhere": lambda a, *_: float(bool(a.better)),
                          "names the right one": lambda a, q, _: float(a.better in q.relevant)}

    def questions(exchanges):
        project_of = {e["id"]: e["project"] for e in exchanges}
        largest, out = projects(exchanges)[:4], []
        for name in ("paraphrases.json", "questions.json"):
            for q in pairs(name, exchanges, o.final):
                own = {project_of[key] for key in q.relevant if project_of.get(key)}
                for project in sorted({*largest, *own} if own else ()):
                    out.append(Question(q.text, [in_own if project in own else in_other], q.relevant | own, q.also,
                                        project))
        return out
    return of_home(o, "in-projects", EXCHANGE, measures, [in_other, in_own], questions, memd_only=True, in_project=True)


def negative_corpus(o):
    never, talked = "never talked of: more is better", "talked of, in other words: less is better"

    def questions(exchanges):
        absent = [(text, never, ("train", "test")[i % 2], ()) for i, text in enumerate(read("off_topic.json")["questions"])]
        present = [(q.text, talked, q.groups[0], q.also) for q in pairs("paraphrases.json", exchanges, o.final)]
        return [Question(text, [group, f"{group}, {split}"], (), also) for text, group, split, also in absent + present]
    return of_home(o, "negative-corpus", EXCHANGE, FLAGS,
                   [f"{group}{split}" for group in (never, talked) for split in ("", ", train", ", test")], questions,
                   memd_only=True)


def homes(o):
    """Asks three homes made of parts of one about what each talks of and what it does not."""
    names = ("one", "two", "three")
    part = Part("homes", EXCHANGE, FLAGS, [f"{group}{of}" for group in ("never", "control", "of another project", "talked of")
                                           for of in ("", *(f", home {name}" for name in names))], memd_only=True)

    def keep(home, number):
        copy_history(o.corpus, home)
        folders = sorted((home / ".claude/projects").iterdir())
        middle = len(folders) // 2
        for folder in (folders[middle:], folders[:middle], folders)[number]:
            shutil.rmtree(folder)
        for other in (".codex", ".config", ".gemini", ".local") if number < 2 else ():
            shutil.rmtree(home / other, ignore_errors=True)

    for number, name in enumerate(names):
        memd, exchanges = served(o, lambda home: keep(home, number))
        sessions = {e["session"] for e in exchanges}
        asked = [(text, ["never", "control"]) for file in ("off_topic.json", "controls.json") for text in read(file)["questions"]]
        for pair in (pair for file in ("paraphrases.json", "questions.json") for pair in read(file)["pairs"]):
            uid = pair["targets"][0]["session"]
            if uid in sessions:
                asked.append((pair["question"], ["talked of"]))
            elif uid.startswith("claude_code:") != (number < 2):
                asked.append((pair["question"], ["never", "of another project"]))
        with memd:
            part.ask(memd, exchanges, [Question(text, groups + [f"{g}, home {name}" for g in groups], (),
                                                PHRASINGS.get(text, ())) for text, groups in asked])
    return part


PARTS = {"locomo-turns": lambda o: locomo(o, "locomo-turns", True, True),
         "locomo-sessions": lambda o: locomo(o, "locomo-sessions", False, False),
         "locomo-sessions-all": lambda o: locomo(o, "locomo-sessions-all", False, True),
         "negative-locomo": negative_locomo, "known-items": known_items, "paraphrases": paraphrases,
         "questions": questions_as_said, "in-projects": in_projects, "homes": homes, "negative-corpus": negative_corpus}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memd", required=True)
    parser.add_argument("--corpus", type=pathlib.Path, help="a home with real histories")
    parser.add_argument("--locomo", type=pathlib.Path, help="LoCoMo, as its authors publish it")
    parser.add_argument("--part", action="append", choices=PARTS, help="only these parts")
    parser.add_argument("--final", action="store_true", help="the questions that nothing was tuned on, not the others")
    o = parser.parse_args()
    for name, ask in PARTS.items():
        if (o.locomo if "locomo" in name else o.corpus) and name in (o.part or PARTS):
            ask(o).print()
        elif name in (o.part or ()) or not (o.locomo or o.corpus):
            parser.error(f"{name} needs --locomo or --corpus")


if __name__ == "__main__":
    main()
