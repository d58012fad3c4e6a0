"""Compares memd's tokenizer and vectors with the reference on random texts.

    check_parity.py MODEL EMBED_DUMP [COUNT [SEED]]

EMBED_DUMP is the program `embed_dump`: JSON strings on its input, one a line; {"ids": [...], "vector": [...]} a line on
its output. Ends with 1 and shows the first differences if there are any.
"""

import json
import subprocess
import sys

import numpy as np

from memdemb import StaticModel
from sample_texts import sample_texts

TOLERANCE = 1e-4
SHOWN = 10


def main(path, program, count="20000", seed="1"):
    model = StaticModel.read(path)
    texts = sample_texts(model.vocabulary, int(count), int(seed))
    question = "".join(json.dumps(text) + "\n" for text in texts)
    answer = subprocess.run([program], input=question, capture_output=True, check=True, text=True, encoding="utf-8").stdout
    lines = answer.split("\n")[:-1]
    if len(lines) != len(texts):
        sys.exit(f"{len(texts)} texts, {len(lines)} answers")
    wrong_ids = wrong_vectors = 0
    worst = 0.0
    for text, line, ids, vector in zip(texts, lines, model.token_ids(texts), model.embed(texts)):
        found = json.loads(line)
        distance = float(np.abs(np.asarray(found["vector"], np.float32) - vector).max())
        if found["ids"] != ids:
            wrong_ids += 1
            if wrong_ids <= SHOWN:
                print(f"ids of {text!r}\n  reference {ids}\n  memd      {found['ids']}")
        elif distance > TOLERANCE:
            wrong_vectors += 1
            if wrong_vectors <= SHOWN:
                print(f"vector of {text!r}: off by {distance:.2g}")
        else:
            worst = max(worst, distance)
    print(f"{len(texts)} texts: {wrong_ids} with other ids, {wrong_vectors} with other vectors, else within {worst:.1g}")
    sys.exit(1 if wrong_ids or wrong_vectors else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
