"""Fits the token table to the teacher's sentence vectors and to texts that belong together; writes the model.

    fit.py TEACHER OUT MODEL

A batch of pairs gives 2B texts. Each text should find the others with the probabilities softmax(cosine / TEMPERATURE)
that the teacher gives them, blended with certainty for its own partner; the loss is the cross entropy. Pairs beyond
those the teacher saw have the partner alone.
"""

import json
import os
import sys
import time

import numpy as np
import scipy.sparse

from memdemb import StaticModel, normalise_rows, wordpiece
from teacher import LONGEST, load_vocabulary

NAME = "memd-minilm-static-256"
DIMENSION = 256
FIRST_WORD = 999  # lower ids are [PAD], [UNK], [CLS], ... and unused ones
SEED = 20261122
SETTINGS = {"epochs": 4, "batch": 512, "rate": 0.2, "temperature": 0.07, "teacher_temperature": 0.07, "partner": 0.2}
HELD_OUT = 3000  # pairs


class Texts:
    """Token counts of texts, as the rows of a sparse matrix."""

    def __init__(self, tokenizer, texts):
        encoded = [e.ids[: LONGEST - 2] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
        self.starts = np.concatenate([[0], np.cumsum([len(ids) for ids in encoded])])
        self.ids = np.concatenate([np.asarray(ids, np.int32) for ids in encoded])

    def rows(self, texts):
        """(distinct tokens, counts[texts][distinct tokens])"""
        lengths = self.starts[texts + 1] - self.starts[texts]
        ends = np.cumsum(lengths)
        flat = np.arange(ends[-1]) + np.repeat(self.starts[texts] - (ends - lengths), lengths)
        tokens, columns = np.unique(self.ids[flat], return_inverse=True)
        counts = scipy.sparse.csr_matrix(
            (np.ones(len(columns), np.float32), columns, np.concatenate([[0], ends])), (len(texts), len(tokens))
        )
        return tokens, counts


def first_table(vocabulary_vectors, texts):
    """The vocabulary pass: PCA, half whitened, weighted by rank and by how few of the texts hold the token."""
    centred = vocabulary_vectors - vocabulary_vectors[FIRST_WORD:].mean(axis=0)
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    rows = centred @ axes[:DIMENSION].T / np.sqrt(spread[:DIMENSION])
    tokens, vocabulary = len(texts.starts) - 1, len(rows)
    seen = np.zeros(vocabulary)
    for start, end in zip(texts.starts, texts.starts[1:]):
        seen[np.unique(texts.ids[start:end])] += 1
    rarity = np.clip(np.log((tokens + 1) / (seen + 0.5)), 0.1, 7)
    rank = np.log(1 + np.maximum(np.arange(vocabulary) - FIRST_WORD + 1, 0))
    rows *= (0.7 * rarity + 0.3 * rank)[:, None]
    rows[:FIRST_WORD] = 0
    return (rows / np.linalg.norm(rows[FIRST_WORD:], axis=1).mean()).astype(np.float32)


def softmax_without_self(similarity, temperature):
    """In place. Cosines over the temperature stay small enough for exp without shifting them."""
    similarity *= np.float32(1 / temperature)
    np.fill_diagonal(similarity, -np.inf)
    np.exp(similarity, out=similarity)
    similarity /= similarity.sum(axis=1, keepdims=True)
    return similarity


class Fit:
    def __init__(self, table, texts, targets, settings):
        self.table = table
        self.texts = texts
        self.targets = targets
        self.settings = settings
        self.squares = np.zeros(len(table), np.float32)  # Adagrad, one value a row

    def step(self, pairs, rate):
        """One batch of (text, partner) rows; the mean surprise at the partners before the step."""
        both = pairs.T.reshape(-1)
        tokens, counts = self.texts.rows(both)
        sums = counts @ self.table[tokens]
        length = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        unit = sums / length
        gradient = softmax_without_self(unit @ unit.T, self.settings["temperature"])
        each, partner = np.arange(len(both)), np.roll(np.arange(len(both)), len(pairs))
        loss = -float(np.log(gradient[each, partner] + 1e-9).mean())
        share = self.settings["partner"] if both.max() < len(self.targets) else 1.0
        if share < 1:
            target = self.targets[both].astype(np.float32)
            target = softmax_without_self(target @ target.T, self.settings["teacher_temperature"])
            target *= np.float32(1 - share)
            gradient -= target
        gradient[each, partner] -= np.float32(share)
        gradient = gradient @ unit + gradient.T @ unit
        gradient -= unit * (gradient * unit).sum(axis=1, keepdims=True)
        gradient /= length
        rows = counts.T @ gradient
        self.squares[tokens] += np.square(rows).sum(axis=1)
        self.table[tokens] -= rows * (rate / np.sqrt(self.squares[tokens] + 1e-12))[:, None]
        return loss

    def found_in(self, pairs):
        """Share of the pairs whose partner is nearest of all partners, and among the nearest ten."""
        a, b = (normalise_rows(counts @ self.table[tokens]) for tokens, counts in map(self.texts.rows, pairs.T))
        scores = a @ b.T
        rank = (scores > np.diag(scores)[:, None]).sum(axis=1)
        return float((rank < 1).mean()), float((rank < 10).mean())


def prepare(directory, out):
    with open(os.path.join(out, "pairs.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with open(os.path.join(out, "texts.json"), encoding="utf-8") as file:
        taught = json.load(file)
    targets = np.load(os.path.join(out, "targets.npy"), mmap_mode="r")
    numbers = {text: i for i, text in enumerate(taught[: len(targets)])}
    for row in rows:
        for side in "ab":
            numbers.setdefault(row[side], len(numbers))
    pairs = np.array([[numbers[row["a"]], numbers[row["b"]]] for row in rows])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    texts = Texts(wordpiece(load_vocabulary(directory)), list(numbers))
    full = (texts.starts[1:] > texts.starts[:-1])[pairs].all(axis=1)
    return pairs[full], texts, np.asarray(targets)


def train(pairs, texts, targets, table, settings, watch=print):
    generator = np.random.default_rng(SEED)
    fit = Fit(table, texts, targets, settings)
    held_out, pairs = pairs[-HELD_OUT:], pairs[:-HELD_OUT]
    taught = pairs.max(axis=1) < len(targets)
    groups = [group for group in (pairs[taught], pairs[~taught]) if len(group) >= settings["batch"]]
    watch(f"start: held out {fit.found_in(held_out)}; {[len(group) for group in groups]} pairs with and without teacher")
    steps_done, begun = 0, time.time()
    steps = settings["epochs"] * sum(len(group) // settings["batch"] for group in groups)
    for epoch in range(settings["epochs"]):
        batches = []
        for group in groups:
            order = generator.permutation(len(group))
            count = len(group) // settings["batch"]
            batches += [group[part] for part in order[: count * settings["batch"]].reshape(count, -1)]
        losses = []
        for batch in (batches[i] for i in generator.permutation(len(batches))):
            rate = settings["rate"] * min(1, 1.02 - steps_done / steps)
            losses.append(fit.step(batch, np.float32(rate)))
            steps_done += 1
        watch(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, held out {fit.found_in(held_out)}, {time.time() - begun:.0f} s")
    return fit.table


def main(directory, out, path):
    pairs, texts, targets = prepare(directory, out)
    table = first_table(np.load(os.path.join(out, "vocabulary.npy")), texts)
    vocabulary = load_vocabulary(directory)
    StaticModel.quantised(NAME, vocabulary, table).write(os.path.join(out, "vocabulary-pass.memdemb"))
    table = train(pairs, texts, targets, table, SETTINGS)
    StaticModel.quantised(NAME, vocabulary, table).write(path)


if __name__ == "__main__":
    main(*sys.argv[1:4])
