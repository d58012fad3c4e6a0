#!/usr/bin/env python3
"""Fits the likelihood that a hit is relevant to the question, and draws its reliability.

  retrieval_bench … --part homes --part negative-locomo --dump-cases cases.jsonl
  calibration.py cases.jsonl [--picture docs/images/reliability.svg]
  calibration.py cases.jsonl --leave-one-out [--features …,known,words_in,rarest_in,agreement,gap,hits_coverage]

  retrieval_bench … --part in-projects [--final] --dump-cases cases.jsonl
  calibration.py cases.jsonl --in-projects [--margins 3]

A question's label says whether its subject occurs in that home. The model is a logistic function of the features of its
best hit, which is the most likely one among the first five. Weights are not negative, so that a larger feature never
means less likely. The fit uses the questions of the group "train" and is reported for all; with --leave-one-out it uses
all homes but one, for each home.
--in-projects measures when an answer about one project may say that another one has a better hit: when that hit is
possible, and its log odds exceed those of all hits inside by the margin.
Needs numpy.
"""
import argparse
import collections
import json

import numpy as np

COLUMNS = ["id", "session", "text", "score", "bm25", "coverage", "adjacency", "title", "identifier", "brevity",
           "neighbour_turns", "surroundings", "cosine", "dense_z", "date", "tokens", "decision", "subagent", "verbatim", "terms"]
AT = {name: i for i, name in enumerate(COLUMNS)}
JUDGED = 5
TALKED_OF = "talked of"


def features(hit, names, of_question):
    def value(name):
        if name in of_question:
            return of_question[name]
        if name == "words_in":
            return min(1.0, hit[AT["terms"]].bit_count() / 6)
        if name == "rarest_in":
            return float(hit[AT["terms"]] >> of_question["rarest"] & 1)
        if name == "surroundings":
            return hit[AT["brevity"]] * hit[AT["surroundings"]]
        if name == "cosine":
            return min(1.0, max(0.0, hit[AT["cosine"]] / 0.6))
        if name == "deviations":
            return min(1.0, max(0.0, hit[AT["dense_z"]] / 8))
        return hit[AT[name]]
    return [value(n) for n in names]


class Question:
    def __init__(self, case, pool, names):
        groups = case["groups"]
        self.part = case["part"]
        self.train = "train" in groups
        self.talked_of = TALKED_OF in groups
        named = [g for g in groups if g.startswith(("home ", "dialog "))]
        self.home = named[0] if named else self.part
        self.control = "control" in groups or not self.home.startswith("home")
        seen, best = set(), []
        for hit in pool:
            if hit[AT["text"]] not in seen:
                seen.add(hit[AT["text"]])
                best.append(hit)
            if len(best) == JUDGED:
                break
        whole = whole_question(pool, best, case["shares"][0])
        self.best = np.array([features(hit, names, whole) for hit in best] or [[0.0] * len(names)])


def whole_question(pool, best, shares):
    """Returns features common to all hits of a question, tried in addition to those of a hit."""
    if not best:
        return {}
    nearest = max(pool, key=lambda h: h[AT["cosine"]])
    by_words = max(pool, key=lambda h: h[AT["bm25"]])
    return {
        "known": min(1.0, sum(shares)),  # share of the question's weight in words that occur somewhere
        "rarest": min(63, int(np.argmax(shares))) if shares else 0,
        "agreement": float(nearest[AT["id"]] == by_words[AT["id"]]),
        "gap": min(1.0, 5 * (best[0][AT["score"]] - best[-1 if len(best) < 2 else 1][AT["score"]])),
        "hits_coverage": float(np.mean([h[AT["coverage"]] for h in best])),
    }


def fit(questions, weights_of_questions, width, ridge=0.02):
    """Fits a logistic regression with non-negative weights on the most likely hit of each question."""
    w, c = np.ones(width), -2.0
    y = np.array([q.talked_of for q in questions], float)
    for _ in range(30):
        x = np.array([q.best[np.argmax(q.best @ w)] for q in questions])
        for _ in range(600):
            p = 1 / (1 + np.exp(-(x @ w + c)))
            g = weights_of_questions * (p - y)
            w = np.maximum(0, w - 1.0 * (x.T @ g + ridge * 0.01 * w))
            c -= 1.0 * g.sum()
    return w, c


def likelihoods(questions, w, c):
    return np.array([1 / (1 + np.exp(-(np.max(q.best @ w) + c))) for q in questions])


def auc(p, y):
    pos, neg = p[y], p[~y]
    if len(pos) == 0 or len(neg) == 0:
        return float("nan")
    return float(np.mean((pos[:, None] > neg[None, :]) + 0.5 * (pos[:, None] == neg[None, :])))


def balance(questions):
    """Returns question weights that balance homes and labels: most questions are about dialogs, few about work."""
    cells = collections.Counter((q.home, q.talked_of) for q in questions)
    parts = collections.Counter(h.split()[0] for h, _ in cells)
    w = np.array([1.0 / (cells[(q.home, q.talked_of)] * parts[q.home.split()[0]]) for q in questions])
    return w / w.sum()


def report(name, questions, p, threshold):
    y = np.array([q.talked_of for q in questions])
    said = p < threshold
    n, m = int((~y).sum()), int(y.sum())
    control = np.array([q.control for q in questions]) & ~y
    other = ~control & ~y
    print(f"{name:28} never {n:4} said {said[~y].mean() if n else float('nan'):.3f}   "
          f"controls {int(control.sum()):4} said {said[control].mean() if control.any() else float('nan'):.3f}   "
          f"other projects {int(other.sum()):4} said {said[other].mean() if other.any() else float('nan'):.3f}   "
          f"talked of {m:4} said {said[y].mean() if m else float('nan'):.3f}   AUC {auc(p, y):.3f}   "
          f"mean likelihood {p[~y].mean() if n else float('nan'):.2f} / {p[y].mean() if m else float('nan'):.2f}")


def reliability(questions, p, weights, bins):
    y = np.array([q.talked_of for q in questions], float)
    out = []
    for low, high in zip(bins, bins[1:]):
        inside = (p >= low) & (p < high)
        if inside.sum() >= 5:
            w = weights[inside] / weights[inside].sum()
            out.append((float(w @ p[inside]), float(w @ y[inside]), int(inside.sum())))
    return out


def said_at(p, y, alarms=0.06):
    """Returns the share of unanswerable questions that is detected at the given rate of false alarms."""
    return float((p[~y] < np.quantile(p[y], alarms)).mean())


def leave_one_out(questions, names):
    homes = sorted({q.home for q in questions})
    rows = []
    for home in homes:
        others = [q for q in questions if q.home != home]
        w, c = fit(others, balance(others), len(names))
        own = [q for q in questions if q.home == home]
        p, y = likelihoods(own, w, c), np.array([q.talked_of for q in own])
        rows.append((auc(p, y), said_at(p, y)))
        print(f"left out {home:12} AUC {rows[-1][0]:.3f}   said at .06 missed {rows[-1][1]:.3f}")
    print("mean of homes         AUC %.3f   said at .06 missed %.3f" % tuple(np.mean(rows, axis=0)))


def share(values):
    rng = np.random.default_rng(2)
    values = np.array(values, float)
    means = [values[rng.integers(0, len(values), len(values))].mean() for _ in range(2000)]
    return "%.3f [%.3f %.3f]" % (values.mean(), *np.quantile(means, [0.025, 0.975]))


def in_projects(file, margins, threshold):
    """Prints how often an answer says that nothing here is relevant, or that another project has a better hit."""
    rows = collections.defaultdict(list)
    with open(file, encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            own = any(g.startswith("from its own") for g in case["groups"])
            for asked, likely in zip(("one phrasing", "with also"), case["verdicts"]):
                p = np.clip(likely, 1e-12, 1 - 1e-12)
                inside, outside = np.log(p / (1 - p))
                rows["hybrid" if case["hybrid"] else "lexical", asked].append((own, likely[0], likely[1], outside - inside))
    for (mode, asked), listed in sorted(rows.items()):
        own, inside, outside, more = (np.array(c) for c in zip(*listed))
        own = own.astype(bool)
        print(f"{mode}, {asked}: from another project {(~own).sum()}, from its own {own.sum()}; "
              f"AUC inside {auc(inside, own):.3f}, inside less outside {auc(-more, own):.3f}")
        nothing = inside < threshold
        print(f"  nothing relevant        {share(nothing[~own])}   {share(nothing[own])}")
        for margin in margins:
            better = (outside >= threshold) & (more >= margin)
            print(f"  better by {margin:4.2f}          {share(better[~own])}   {share(better[own])}   "
                  f"or nothing {share((better | nothing)[~own])}   {share((better | nothing)[own])}")


def picture(curves, file):
    """Draws reliability diagrams side by side, as SVG."""
    size, gap, top = 220, 56, 44
    width = gap + len(curves) * (size + gap)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{size + top + 60}" '
           f'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for i, (name, points) in enumerate(curves):
        x0, y0 = gap + i * (size + gap), top + size
        out.append(f'<text x="{x0 + size / 2}" y="24" text-anchor="middle" font-weight="bold">{name}</text>')
        out.append(f'<rect x="{x0}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#888"/>')
        out.append(f'<line x1="{x0}" y1="{y0}" x2="{x0 + size}" y2="{top}" stroke="#bbb" stroke-dasharray="4"/>')
        for tick in (0, 0.5, 1):
            out.append(f'<text x="{x0 + tick * size}" y="{y0 + 16}" text-anchor="middle">{tick:g}</text>')
            out.append(f'<text x="{x0 - 6}" y="{y0 - tick * size + 4}" text-anchor="end">{tick:g}</text>')
        at = [(x0 + a * size, y0 - b * size, n) for a, b, n in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in at)
        out.append(f'<polyline points="{path}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
        for x, y, n in at:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + min(6, n ** 0.5 / 3):.1f}" fill="#1f6feb">'
                       f'<title>{n} questions</title></circle>')
        out.append(f'<text x="{x0 + size / 2}" y="{y0 + 36}" text-anchor="middle">likelihood told</text>')
    out.append(f'<text transform="translate(16 {top + size / 2}) rotate(-90)" text-anchor="middle">'
               'share that was talked of</text></svg>')
    with open(file, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("--features", default="coverage,bm25,identifier,surroundings,cosine")
    parser.add_argument("--lexical", action="store_true", help="by words alone, instead of hybrid")
    parser.add_argument("--threshold", type=float, default=0.3)
    parser.add_argument("--weights", help="constant,weight,…: report these, fit nothing")
    parser.add_argument("--leave-one-out", action="store_true", help="fit on all homes but one, for each")
    parser.add_argument("--picture")
    parser.add_argument("--in-projects", action="store_true", help="what another project would have to have")
    parser.add_argument("--margins", default="1,1.5,2,2.5,3,3.5,4,5", help="in log odds")
    o = parser.parse_args()
    if o.in_projects:
        in_projects(o.cases, [float(m) for m in o.margins.split(",")], o.threshold)
        return
    names = o.features.split(",")
    questions = []
    with open(o.cases, encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            if case["hybrid"] == o.lexical or case["part"] not in ("homes", "negative-locomo"):
                continue
            questions.append(Question(case, case["pools"][0], names))
    if o.leave_one_out:
        leave_one_out(questions, names)
        return
    train = [q for q in questions if q.train]
    if o.weights:
        c, *w = map(float, o.weights.split(","))
        w = np.array(w)
    else:
        w, c = fit(train, balance(train), len(names))
    print("constant %.3f  " % c + "  ".join(f"{n} {v:.3f}" for n, v in zip(names, w)))
    for title, chosen in (("fitted on", train), ("the rest", [q for q in questions if not q.train])):
        print(title)
        for home in sorted({q.home for q in chosen}):
            own = [q for q in chosen if q.home == home]
            report("  " + home, own, likelihoods(own, w, c), o.threshold)
    if o.picture:
        bins = [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.0001]
        rest = [q for q in questions if not q.train]
        homes = sorted({q.home for q in rest if q.home.startswith("home")})
        groups = [("fitted on", train)] + [(h, [q for q in rest if q.home == h]) for h in homes]
        groups.append(("dialogs 4, 5", [q for q in rest if q.home.startswith("dialog")]))
        picture([(n, reliability(g, likelihoods(g, w, c), balance(g), bins)) for n, g in groups], o.picture)


if __name__ == "__main__":
    main()
