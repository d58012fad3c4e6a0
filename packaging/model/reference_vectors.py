"""Writes the golden files that the C++ tokenizer and model are tested against.

    reference_vectors.py MODEL FOLDER [TEACHER]

tokenizer.json: {"cases": [[text, [ids]], ...]} by the `tokenizers` library; vectors.json: {"model": its name, "sha256",
"texts", "vectors"} from the quantised table, and with a teacher the correlation of the pairwise cosines of those texts
in both models.
"""

import hashlib
import json
import os
import sys

import numpy as np

from memdemb import StaticModel, normalise_rows
from sample_texts import CODE, SENTENCES, sample_texts

SEED = 7
CASES = 3600
MORE_VECTORS = 40  # beside the sentences and the code


def compact(value):
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def correlation(a, b):
    upper = np.triu_indices(len(a), 1)
    return float(np.corrcoef((a @ a.T)[upper], (b @ b.T)[upper])[0, 1])


def main(path, folder, teacher=None):
    model = StaticModel.read(path)
    texts = sample_texts(model.vocabulary, CASES, SEED)
    os.makedirs(folder, exist_ok=True)
    lines = ",\n".join(compact([text, ids]) for text, ids in zip(texts, model.token_ids(texts)))
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="ascii") as file:
        file.write('{"cases":[\n' + lines + "\n]}\n")

    texts = SENTENCES + CODE + texts[-MORE_VECTORS:] + ["", "hello", "hello hello", "x" * 101, "中文和English混合abc"]
    vectors = model.embed(texts)
    with open(path, "rb") as file:
        golden = {"model": model.name, "sha256": hashlib.sha256(file.read()).hexdigest()}
    if teacher:
        from teacher import Teacher

        plain = len(SENTENCES) + len(CODE)
        taught = normalise_rows(Teacher(teacher).encode(texts[:plain]))
        golden["cosine_correlation_with_teacher"] = round(correlation(vectors[:plain], taught), 4)
    golden["texts"] = texts
    lines = ",\n".join(compact([round(float(x), 6) for x in vector]) for vector in vectors)
    with open(os.path.join(folder, "vectors.json"), "w", encoding="ascii") as file:
        file.write(compact(golden)[:-1] + ',"vectors":[\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
