"""Passes the vocabulary and the texts of pairs.jsonl through the teacher.

    teach.py TEACHER OUT

Writes vocabulary.npy (a mean-pooled vector for each token), texts.json (the distinct texts) and targets.npy (their
vectors, normalised, float16). Starts again where an earlier run ended.
"""

import json
import os
import sys

import numpy as np

from memdemb import normalise_rows
from teacher import WIDTH, Teacher

CHUNK = 8192


def main(directory, out):
    teacher = Teacher(directory)
    vocabulary, path = (os.path.join(out, name) for name in ("vocabulary.npy", "targets.npy"))
    if not os.path.exists(vocabulary):
        np.save(vocabulary, teacher.encode_vocabulary())
    with open(os.path.join(out, "pairs.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    texts = list(dict.fromkeys(row[side] for row in rows for side in "ab"))
    with open(os.path.join(out, "texts.json"), "w", encoding="utf-8") as file:
        json.dump(texts, file, ensure_ascii=False)
    targets = np.load(path) if os.path.exists(path) else np.zeros((0, WIDTH), np.float16)
    targets = [targets[: len(targets) // CHUNK * CHUNK]]
    for start in range(len(targets[0]), len(texts), CHUNK):
        targets.append(normalise_rows(teacher.encode(texts[start : start + CHUNK])).astype(np.float16))
        with open(path + ".part", "wb") as file:
            np.save(file, np.concatenate(targets))
        os.replace(path + ".part", path)
        print(f"{start + len(targets[-1])} of {len(texts)} texts", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
