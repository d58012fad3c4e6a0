#!/usr/bin/env python3
"""Is the likelihood of an answer true? Asks homes and dialogs what they talk of and what they do not, and compares what
memd says with what is so. Unanswerable questions are hard ones: of the same field, answered only in another home, and,
of a dialog, with the names exchanged.

  likelihood.py --memd MEMD --corpus HOME --locomo FILE --rows ROWS [--fit] [--only HOME]… [--picture SVG]

Writes a line per answer to ROWS, or reads them if the file exists. --fit prints new weights for
store/search/rank/ranking.hpp, and judges each home by weights that were fitted on the others. An answer is
right if a right session is among its first five hits; unanswered means that none exists. --picture draws reliability
diagrams: the share of right answers among those of each tenth of the likelihoods told.
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
RIGHT, UNANSWERED = ("talked of",), ("other home", "same field", "other field", "names exchanged")
FEATURES = ("surprise", "network_cosine", "soft_coverage", "coverage", "bm25", "cosine", "identifier", "surroundings",
            "brevity", "dense_z")
WAYS = ("second look", "one look", "several")
RULES = {"second look": ("surprise", "network_cosine", "gap", "soft_coverage"),
         "one look": ("surprise", "gap", "soft_coverage"), "several": ("surprise", "cosine", "gap", "coverage")}


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
    some = lambda of, most: random.Random(1).sample(of, min(len(of), most))
    sessions = {e["session"] for e in exchanges}
    texts = " ".join(e[part] for e in exchanges for part in ("user", "interventions", "agent", "tools")).lower()
    talked, elsewhere = [], []
    for pair in read("paraphrases.json")["pairs"] + read("questions.json")["pairs"]:
        right = {t["session"] for t in pair["targets"]}
        if right & sessions:
            talked.append((pair["question"], "talked of", right))
        else:
            elsewhere.append((pair["question"], "other home", ()))
    near = [one["question"] for one in read("near_topic.json")["questions"] if one["absent"] not in texts]
    far = read("off_topic.json")["questions"] + read("controls.json")["questions"]
    yield from some(talked, 120)
    yield from some(elsewhere, 60)
    yield from ((text, "same field", ()) for text in some(near, 70))
    yield from ((text, "other field", ()) for text in some(far, 30))


def questions_of_dialog(dialogs, i, uids):
    names = lambda d: sorted({turn["speaker"] for _, said in d[3].values() for turn in said})
    own, other = dialogs[i], dialogs[(i + 1) % len(dialogs)]
    talked = [(text, "talked of", {uids[i, s] for s, _ in evidence if (i, s) in uids})
              for text, category, evidence in own[4] if category != 5 and evidence]
    yield from random.Random(1).sample(talked, min(len(talked), 70))
    exchanged = [text for text, category, _ in own[4] if category == 5]
    yield from ((text, "names exchanged", ()) for text in random.Random(1).sample(exchanged, min(len(exchanged), 20)))
    moved = random.Random(1).sample([text for text, category, _ in other[4] if category != 5], 40)
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
                        if way != "several":
                            row[way] = answer_of(memd, text, right, **arguments)
                        elif text in PHRASINGS:
                            row[way] = answer_of(memd, text, right, also=PHRASINGS[text], **arguments)
                ask("one look")
                memd.settle(second_look=True)
                ask("second look")
                ask("several")
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.flush()
            print(name, len(rows), flush=True)


# ---- Judging. `told`: what memd says; otherwise a rule: the log odds of an answer by its likeliest hit.


class Rule:
    """Log odds of an answer: the largest weighted sum of a hit's features, the gap, which they share, and 1."""

    def __init__(self, names, weights=None):
        self.names, self.weights = names, weights or [1.0] * len(names) + [0.0]

    def inputs(self, answer, hit):
        values = dict(zip(FEATURES, hit), gap=answer["gap"])
        values["soft_coverage"] = max(values["soft_coverage"], values["coverage"])
        values["cosine"] = min(1, max(0, values["cosine"] / 0.6))
        return [values[name] for name in self.names] + [1.0]

    def log_odds(self, answer):
        return max((sum(w * x for w, x in zip(self.weights, self.inputs(answer, hit))) for hit in answer["hits"]),
                   default=-9.0)

    def best(self, answer):
        """Returns the inputs of the likeliest hit."""
        return max((self.inputs(answer, hit) for hit in answer["hits"]),
                   key=lambda xs: sum(w * x for w, x in zip(self.weights, xs)), default=[0.0] * len(self.names) + [1.0])

    def fit(self, answers):
        """`answers`: (answer, whether it is right, weight). Newton's method for the logistic regression of the likeliest
        hits, which are then chosen anew."""
        for _ in range(5):
            rows = [(self.best(a), y, w) for a, y, w in answers]
            self.weights = [0.0] * len(self.weights)  # Newton's method can leave far too large ones for good
            for _ in range(8):
                n = len(self.weights)
                gradient, hessian = [-0.001 * w for w in self.weights], [[0.001 * (i == j) for j in range(n)]
                                                                         for i in range(n)]
                for xs, y, weight in rows:
                    p = sigmoid(sum(w * x for w, x in zip(self.weights, xs)))
                    for i in range(n):
                        gradient[i] += weight * (y - p) * xs[i]
                        for j in range(n):
                            hessian[i][j] += weight * p * (1 - p) * xs[i] * xs[j]
                self.weights = [w + step for w, step in zip(self.weights, solve(hessian, gradient))]
        return self


def rule_of(way, answer):
    """Returns the rule that memd judges an answer by: where the best hit contains most words, none is looked at again."""
    looked = any(dict(zip(FEATURES, hit))["network_cosine"] for hit in answer["hits"])
    return "one look" if way == "second look" and not looked else way


def sigmoid(x):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


def solve(matrix, vector):
    rows = [list(row) + [v] for row, v in zip(matrix, vector)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def weighted(rows, way):
    """Yields answer, whether it is right, and its weight: homes count alike, all dialogs as one; half of each is talked
    of, and the kinds of the other half count alike."""
    groups = {}
    for row in rows:
        if way in row:
            groups.setdefault(row["home"], {}).setdefault(row["kind"], []).append(row)
    dialogs = sum(home.startswith("dialog") for home in groups)
    for home, kinds in groups.items():
        for kind, members in kinds.items():
            share = 0.5 if kind in RIGHT else 0.5 / max(1, len(kinds) - any(k in RIGHT for k in kinds))
            share /= dialogs if home.startswith("dialog") else 1
            for row in members:
                yield row, row[way]["found"], 1000 * share / len(members)


def auc(right, wrong):
    ranked = sorted([(v, 1) for v in right] + [(v, 0) for v in wrong])
    below = pairs = 0
    i = 0
    while i < len(ranked):
        j = i
        while j < len(ranked) and ranked[j][0] == ranked[i][0]:
            j += 1
        positive = sum(y for _, y in ranked[i:j])
        pairs += positive * (below + (j - i - positive) / 2)
        below += j - i - positive
        i = j
    return pairs / max(1, len(right) * len(wrong))


def tenths(rows, way, told):
    """Returns of each tenth of the likelihoods the sums of weights, of likelihoods and of right answers."""
    bins = [[0.0, 0.0, 0.0] for _ in range(10)]
    for row, right, weight in weighted(rows, way):
        p = told(row)
        for i, x in enumerate((weight, weight * p, weight * right)):
            bins[min(9, int(10 * p))][i] += x
    return bins


def figures(rows, way, told):
    """`told`: the likelihood of a row. Returns the figures of docs/benchmarks.md by name."""
    found = [told(r) for r in rows if r["kind"] in RIGHT and way in r and r[way]["found"]]
    wrong = [told(r) for r in rows if r["kind"] in UNANSWERED and way in r]
    if not found or not wrong:
        return {}
    least = sorted(found)[int(0.06 * len(found))]
    bins = tenths(rows, way, told)
    total = sum(b[0] for b in bins)
    return {"AUC": auc(found, wrong), "said at .06": mean([w < least for w in wrong]),
            "calibration error": sum(abs(b[1] - b[2]) for b in bins) / total,
            **{f"high, {kind}": mean([told(r) >= 0.8 for r in rows if r["kind"] == kind and way in r])
               for kind in UNANSWERED if any(r["kind"] == kind for r in rows)},
            "high, found": mean([p >= 0.8 for p in found]), "low, found": mean([p < 0.3 for p in found]),
            "low, unanswered": mean([p < 0.3 for p in wrong]), "questions": len(found) + len(wrong)}


def shown(rows, way, told):
    """Returns the figures with intervals: bootstrap over the questions, 200 resamples, always the same ones."""
    drawn, samples = random.Random(1), []
    for _ in range(200):
        samples.append(figures(drawn.choices(rows, k=len(rows)), way, told))
    for name, value in figures(rows, way, told).items():
        values = sorted(s[name] for s in samples if name in s)
        yield f"{name:26}{value:8.3f} [{values[5]:.3f} {values[-6]:.3f}]" if name != "questions" else f"{name:26}{value:8}"


def fitted(rows):
    """Returns the rule of each way."""
    return {way: Rule(names).fit([(r[way], y, w) for r, y, w in weighted(rows, way) if rule_of(way, r[way]) == way])
            for way, names in RULES.items()}


def kind_of_home(row):
    return "dialogs" if row["home"].startswith("dialog") else "whole" if row["home"] == "whole" else "homes"


def picture(rows):
    """Returns an SVG: a diagram for each way, a line for each kind of home; the dots' areas are shares of questions."""
    side, colours = 200, {"homes": "#2563eb", "whole": "#059669", "dialogs": "#d97706"}
    out = []
    for i, way in enumerate(WAYS):
        out.append(f'<g transform="translate({40 + i * (side + 40)} 30)"><text y="-10">{way}</text>'
                   f'<path d="M0 0V{side}H{side}M0 {side}L{side} 0" fill="none" stroke="#999"/>')
        for mark in (0, 0.5, 1):
            out.append(f'<text x="{mark * side}" y="{side + 16}" text-anchor="middle">{mark:g}</text>'
                       f'<text x="-6" y="{side - mark * side + 4}" text-anchor="end">{mark:g}</text>')
        for kind, colour in colours.items():
            bins = tenths([row for row in rows if kind_of_home(row) == kind], way, lambda row: row[way]["told"])
            total = sum(b[0] for b in bins)
            dots = [(side * b[1] / b[0], side - side * b[2] / b[0], 20 * math.sqrt(b[0] / total)) for b in bins if b[0]]
            if not dots:
                continue
            line = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in dots)
            out.append(f'<g fill="{colour}"><polyline points="{line}" fill="none" stroke="{colour}"/>' + "".join(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{r:.1f}" fill-opacity=".5"/>' for x, y, r in dots) + "</g>")
        out.append("</g>")
    kinds = {kind_of_home(row) for row in rows}
    for i, (kind, colour) in enumerate((k, c) for k, c in colours.items() if k in kinds):
        out.append(f'<text x="{40 + 80 * i}" y="{side + 66}" fill="{colour}">{kind}</text>')
    width, height = 40 + len(WAYS) * (side + 40), side + 76
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(out) + "\n</svg>\n")


def judge(o, rows):
    parts = [row for row in rows if row["home"] != "whole"]
    homes = list(dict.fromkeys(row["home"] for row in rows))
    ways = {"as told": lambda row, way: row[way]["told"]}
    if o.fit:
        for way, rule in fitted(parts).items():
            print(way, {name: round(w, 3) for name, w in zip((*RULES[way], "constant"), rule.weights)})
        rules = {home: fitted([row for row in parts if row["home"] != home]) for home in homes if home != "whole"}
        ways["fitted on the other homes"] = lambda row, way: sigmoid(
            rules[row["home"]][rule_of(way, row[way])].log_odds(row[way]))
    for way in WAYS:
        for name, told in ways.items():
            of = lambda row, way=way, told=told: told(row, way)
            asked = parts if o.fit else rows
            groups = {}
            for row in asked:
                groups.setdefault(kind_of_home(row), []).append(row)
            for place, part in groups.items():
                if part:
                    print(f"\n{way}, {name}: {place}", *shown(part, way, of), sep="\n")
            for home in homes:
                of_home = figures([row for row in asked if row["home"] == home], way, of)
                print(home, {n: round(v, 3) for n, v in of_home.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memd", required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="a home with real histories")
    parser.add_argument("--locomo", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, required=True)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--only", action="append", help="ask only this home")
    parser.add_argument("--picture", type=pathlib.Path, help="the file to draw reliability diagrams to")
    o = parser.parse_args()
    if o.only or not o.rows.exists():
        collect(o)
    rows = [json.loads(line) for line in o.rows.read_text().splitlines()]
    judge(o, rows)
    if o.picture:
        o.picture.write_text(picture(rows))


if __name__ == "__main__":
    main()
