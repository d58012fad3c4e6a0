"""Finds the weights of store/search/ranking_weights.hpp from what the retrieval benchmark saw.

    retrieval_bench … --dump-features features.jsonl        (one dump per set: several may be given here)
    fit_ranking.py features.jsonl [more.jsonl …]

The benchmark writes the hits of the hybrid mode with their features, and whether they were right. The score is that of
fused_score() in store/search/fusion.cpp. Weights are moved one at a time, by factors, as long as the mean over the sets
of nDCG@10 on the questions to fit on grows by more than --least: small steps are noise, and few robust weights are worth
more than the last thousandth. Questions to fit on: of dialogues those of group "train", of other sets every second one.
Prints the weights and what they and each feature alone are worth on the rest. Standard library and numpy only.

What a reranking can show is bounded by the dump: hits that were not in it cannot come in. Neighbours were weighed with
the weights of the memd that wrote the dump, so after a large change of the first three, dump and fit once more.
"""

import argparse
import collections
import json

import numpy as np

WEIGHTS = {
    "bm25": 1.0,
    "coverage": 1.0,
    "adjacency": 0.2,
    "title": 0.2,
    "identifier": 0.3,
    "neighbour_turns": 1.76,
    "surroundings": 0.8,
    "meaning": 0.8,
    "recency": 0.05,
    "date": 0.3,
    "same_project": 0.1,
}
FACTORS = (0.0, 0.5, 0.75, 1.33, 2.0)
STARTS = {name: 0.1 for name in WEIGHTS}  # where a weight that is 0 begins again


def derived(features):
    """The features as fused_score() adds them."""
    out = dict(features)
    out["coverage"] = features["coverage"] * max(0.0, min(1.0, features["bm25"])) ** 0.5
    out["meaning"] = max(0.0, min(1.5, (features["dense_z"] - 1) / 4))
    return [out.get(name, 0.0) for name in WEIGHTS]


class Question:
    def __init__(self, part, groups, relevant_total):
        self.part, self.groups, self.relevant_total = part, groups, relevant_total
        self.features, self.relevant = [], []

    def ndcg(self, weights, places=10):
        order = np.argsort(-(self.features @ weights), kind="stable")[:places]
        discounts = 1 / np.log2(np.arange(places) + 2)
        gained = (self.relevant[order] * discounts[: len(order)]).sum()
        return gained / discounts[: min(places, self.relevant_total)].sum()


def read(paths):
    """Questions that have a right hit among those dumped, by part of the benchmark."""
    sets = collections.defaultdict(dict)
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                hit = json.loads(line)
                if not hit["features"] or hit["relevant_total"] == 0:
                    continue
                key = (path, hit["part"], hit["question"])
                question = sets[hit["part"]].setdefault(
                    key, Question(hit["part"], hit["groups"], hit["relevant_total"])
                )
                question.features.append(derived(hit["features"]))
                question.relevant.append(hit["relevant"])
    for questions in sets.values():
        for question in questions.values():
            question.features = np.array(question.features)
            question.relevant = np.array(question.relevant, float)
    return {part: list(questions.values()) for part, questions in sets.items()}


def split(questions):
    named = [q for q in questions if "train" in q.groups or "test" in q.groups]
    if named:
        return [q for q in named if "train" in q.groups], [q for q in named if "test" in q.groups]
    return questions[::2], questions[1::2]


def worth(sets, weights):
    """The mean over the sets, so that a large set does not drown a small one."""
    vector = np.array([weights[name] for name in WEIGHTS])
    return float(np.mean([np.mean([q.ndcg(vector) for q in questions]) for questions in sets.values() if questions]))


def fit(sets, least):
    weights, best = dict(WEIGHTS), worth(sets, WEIGHTS)
    improved = True
    while improved:
        improved = False
        for name in WEIGHTS:
            values = [weights[name] * f for f in FACTORS] if weights[name] > 0 else [STARTS[name]]
            scored = [(worth(sets, {**weights, name: value}), value) for value in values]
            top, value = max(scored)
            if top > best + least:
                weights[name], best, improved = value, top, True
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", nargs="+")
    parser.add_argument("--least", type=float, default=0.003, help="gain in nDCG@10 that a step has to bring")
    args = parser.parse_args()
    sets = read(args.features)
    if not sets:
        parser.error("no hits with features: was the benchmark run with a memd that explains?")
    halves = {part: split(questions) for part, questions in sets.items()}
    train = {part: half[0] for part, half in halves.items()}
    test = {part: half[1] for part, half in halves.items()}
    for part in sets:
        print(f"{part}: {len(train[part])} questions to fit on, {len(test[part])} to judge by")
    weights = fit(train, args.least)
    print(f"\nnDCG@10 of reranked hits, fit on / rest: now {worth(train, WEIGHTS):.3f} / {worth(test, WEIGHTS):.3f}, "
          f"fitted {worth(train, weights):.3f} / {worth(test, weights):.3f}\n")
    for name, value in weights.items():
        without = worth(test, {**weights, name: 0.0})
        print(f"  {name:16} {value:6.3f}  (was {WEIGHTS[name]:.3f}; the rest without it: {without:.3f})")


if __name__ == "__main__":
    main()
