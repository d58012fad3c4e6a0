#!/usr/bin/env python3
"""Measures a second look by a network: memd's best fifty hits, ranked again with the cosine of the network's vectors.

  retrieval_bench --memd MEMD --corpus HOME --part questions --part paraphrases [--final] --dump-cases CASES
  retrieval_bench … the same … --dump-texts TEXTS
  packaging/model/teacher_vectors.py MODEL_DIRECTORY TEXTS VECTORS
  second_look.py CASES TEXTS VECTORS [--weight W …]

An exchange has one vector, of its first 256 tokens. The cosine is standardised over the fifty and added to memd's score
with the weight. A hit that contains the question verbatim stays before the others. Prints hit@1 and hit@5 by session,
with one phrasing, without and with the second look, and the difference with its 95% interval (bootstrap by question).
Needs numpy.
"""
import argparse
import json
import struct

import numpy as np

FIFTY = 50
RESAMPLES = 4000
SESSION, TEXT, SCORE, VERBATIM = 1, 2, 3, 18  # fields of a candidate, as RankingCases::dump() writes them
GROUPS = ("exact", "question", "decision", "paraphrase")


def read_vectors(path):
    """Returns unit vectors by key."""
    data = open(path, "rb").read()
    dimension, count = struct.unpack_from("<II", data, 8)
    keys = np.frombuffer(data, "<u8", count, 16)
    rows = np.frombuffer(data, "<f4", count * dimension, 16 + 8 * count).reshape(count, dimension)
    return dict(zip(keys.tolist(), rows / np.linalg.norm(rows, axis=1, keepdims=True)))


def group_of(case):
    return "paraphrase" if case["part"] == "paraphrases" else next(g for g in GROUPS if g in case["groups"])


def sessions_of(case, cosine, weight):
    """Returns the sessions of the re-ranked pool, best first."""
    pool = sorted(case["pools"][0], key=lambda hit: -hit[SCORE])[:FIFTY]
    if not pool:
        return []
    near = np.array([cosine(hit) for hit in pool])
    near = (near - near.mean()) / (near.std() + 1e-9)
    order = sorted(range(len(pool)), key=lambda i: (-pool[i][VERBATIM], -(pool[i][SCORE] + weight * near[i])))
    return list(dict.fromkeys(pool[i][SESSION] for i in order))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cases")
    options.add_argument("texts")
    options.add_argument("vectors")
    options.add_argument("--weight", type=float, nargs="+", default=[0.05])
    o = options.parse_args()

    vectors = read_vectors(o.vectors)
    lines = [json.loads(line) for line in open(o.texts, encoding="utf-8")]
    by_number = [vectors[int(line["key"], 16)] for line in lines]
    by_text = {line["text"]: vector for line, vector in zip(lines, by_number)}
    cases = [case for case in map(json.loads, open(o.cases, encoding="utf-8")) if case["hybrid"]]

    def hits(case, weight):
        asked = by_text[case["question"]]
        found = sessions_of(case, lambda hit: float(by_number[hit[TEXT]] @ asked), weight)
        relevant = set(case["relevant"])
        return found[:1] != [] and found[0] in relevant, any(s in relevant for s in found[:5])

    random = np.random.default_rng(1)
    print("| weight | questions | | without | with | difference |\n|---|---|---|---|---|---|")
    for weight in o.weight:
        for group in (*GROUPS, "all"):
            asked = [case for case in cases if group in ("all", group_of(case))]
            if not asked:
                continue
            without = np.array([hits(case, 0) for case in asked], float)
            with_it = np.array([hits(case, weight) for case in asked], float)
            for measure, name in enumerate(("hit@1", "hit@5")):
                change = (with_it - without)[:, measure]
                means = change[random.integers(0, len(asked), (RESAMPLES, len(asked)))].mean(1)
                low, high = np.percentile(means, [2.5, 97.5])
                print(f"| {weight} | {group} ({len(asked)}) | {name} | {without[:, measure].mean():.3f} "
                      f"| {with_it[:, measure].mean():.3f} | {change.mean():+.3f} [{low:.3f} {high:.3f}] |")


if __name__ == "__main__":
    main()
