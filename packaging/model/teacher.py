"""all-MiniLM-L6-v2 as an OpenVINO graph built from its safetensors: mean-pooled sentence vectors on the CPU."""

import os

import numpy as np
import openvino as ov
from openvino import opset13 as op
from safetensors.numpy import load_file

from memdemb import wordpiece

LAYERS, HEADS, WIDTH = 6, 12, 384
CLS, SEP = 101, 102
LONGEST = 80  # WordPiece ids of a text that the teacher sees, [CLS] and [SEP] included


def load_vocabulary(directory):
    with open(os.path.join(directory, "vocab.txt"), encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


class Teacher:
    def __init__(self, directory, threads=1):
        self.vocabulary = load_vocabulary(directory)
        self.tokenizer = wordpiece(self.vocabulary)
        weights = load_file(os.path.join(directory, "model.safetensors"))
        self._weights = {name: value.astype(np.float32) for name, value in weights.items() if value.dtype != np.int64}
        core = ov.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1}
        self._compiled = core.compile_model(self._graph(), "CPU", settings)
        del self._weights

    def _linear(self, x, name):
        y = op.matmul(x, op.constant(self._weights[name + ".weight"]), False, True)
        return op.add(y, op.constant(self._weights[name + ".bias"]))

    def _normalise(self, x, name):
        y = op.mvn(x, op.constant(np.array([-1], np.int64)), True, 1e-12, "inside_sqrt")
        return op.add(op.multiply(y, op.constant(self._weights[name + ".weight"])), op.constant(self._weights[name + ".bias"]))

    def _heads(self, x):
        split = op.reshape(x, op.constant(np.array([0, 0, HEADS, WIDTH // HEADS], np.int64)), True)
        return op.transpose(split, op.constant(np.array([0, 2, 1, 3], np.int64)))

    def _graph(self):
        ids = op.parameter([-1, -1], np.int32, "ids")
        mask = op.parameter([-1, -1], np.float32, "mask")
        length = op.gather(op.shape_of(ids), op.constant(np.int64(1)), op.constant(np.int64(0)))
        zero, one = op.constant(np.int64(0)), op.constant(np.int64(1))
        positions = op.range(zero, length, one, "i64")
        words = op.gather(op.constant(self._weights["embeddings.word_embeddings.weight"]), ids, zero)
        places = op.gather(op.constant(self._weights["embeddings.position_embeddings.weight"]), positions, zero)
        segment = op.constant(self._weights["embeddings.token_type_embeddings.weight"][0])
        x = self._normalise(op.add(op.add(words, places), segment), "embeddings.LayerNorm")
        column = op.unsqueeze(op.unsqueeze(mask, one), one)
        bias = op.multiply(op.subtract(op.constant(np.float32(1)), column), op.constant(np.float32(-1e4)))
        for layer in range(LAYERS):
            p = f"encoder.layer.{layer}."
            q, k, v = (self._heads(self._linear(x, p + "attention.self." + n)) for n in ("query", "key", "value"))
            a = op.scaled_dot_product_attention(q, k, v, bias)
            a = op.transpose(a, op.constant(np.array([0, 2, 1, 3], np.int64)))
            a = op.reshape(a, op.constant(np.array([0, 0, WIDTH], np.int64)), True)
            x = self._normalise(op.add(x, self._linear(a, p + "attention.output.dense")), p + "attention.output.LayerNorm")
            h = op.gelu(self._linear(x, p + "intermediate.dense"), "erf")
            x = self._normalise(op.add(x, self._linear(h, p + "output.dense")), p + "output.LayerNorm")
        weight = op.unsqueeze(mask, op.constant(np.int64(2)))
        total = op.reduce_sum(op.multiply(x, weight), one)
        mean = op.divide(total, op.reduce_sum(weight, one))
        return ov.Model([mean], [ids, mask], "all-MiniLM-L6-v2")

    def encode_ids(self, batch):
        """Mean-pooled vectors (not normalised) of id lists that already hold [CLS] and [SEP]."""
        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), np.int32)
        mask = np.zeros((len(batch), longest), np.float32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return self._compiled([ids, mask])[0].astype(np.float32)

    def encode(self, texts, batch=64, progress=None):
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        sequences = [[CLS] + e.ids[: LONGEST - 2] + [SEP] for e in encoded]
        order = sorted(range(len(texts)), key=lambda i: len(sequences[i]))
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            vectors[rows] = self.encode_ids([sequences[i] for i in rows])
            if progress and start // batch % 500 == 0:
                progress(start, len(order))
        return vectors

    def encode_vocabulary(self, batch=512):
        """Each token alone, as [CLS] token [SEP]."""
        rows = [[CLS, i, SEP] for i in range(len(self.vocabulary))]
        return np.concatenate([self.encode_ids(rows[i : i + batch]) for i in range(0, len(rows), batch)])
