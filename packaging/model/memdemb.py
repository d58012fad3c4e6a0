"""The file format of memd's built-in embedding model and a reference implementation of it.

Little endian:
    char magic[8] = "MEMDEMB1"
    u32  dimension, tokens, name_bytes, vocabulary_bytes, flags, reserved
    name, then the vocabulary (tokens in id order, each ended by '\\n')
    zeros up to a multiple of 64 bytes, float32 scale[tokens]
    zeros up to a multiple of 64 bytes, int8 table[tokens][dimension]

The vector of a text is normalise(sum over its WordPiece ids of scale[id] * table[id]). No [CLS] or [SEP] is added and
text that spells a special token is plain text. A text without tokens has the zero vector.
"""

import struct

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

MAGIC = b"MEMDEMB1"
HEADER = struct.Struct("<8s6I")
ALIGNMENT = 64
LOWER_CASE = 1  # flags: lower-case and strip accents before tokenising
LONGEST_WORD = 100  # characters; a longer word is [UNK]


def normalise_rows(rows):
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)


def wordpiece(vocabulary):
    """The BERT uncased tokenizer over `vocabulary` (tokens in id order), without special tokens."""
    ids = {token: i for i, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=LONGEST_WORD))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _padding(size):
    return b"\0" * (-size % ALIGNMENT)


class StaticModel:
    def __init__(self, name, vocabulary, scale, table):
        self.name = name
        self.vocabulary = vocabulary
        self.scale = np.ascontiguousarray(scale, "<f4")
        self.table = np.ascontiguousarray(table, "i1")
        self.tokenizer = wordpiece(vocabulary)

    @classmethod
    def quantised(cls, name, vocabulary, rows):
        """int8 per row, symmetric; the length of a row (its weight) goes into its scale."""
        largest = np.abs(rows).max(axis=1)
        scale = (largest / 127).astype("<f4")
        table = np.rint(np.divide(rows, scale[:, None], out=np.zeros_like(rows), where=scale[:, None] > 0))
        return cls(name, vocabulary, scale, np.clip(table, -127, 127))

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, dimension, tokens, name_bytes, vocabulary_bytes, flags, _ = HEADER.unpack_from(data)
        if magic != MAGIC or flags != LOWER_CASE:
            raise ValueError(f"{path} is not a memd embedding model of a known kind")
        at = HEADER.size
        name = data[at : at + name_bytes].decode()
        at += name_bytes
        vocabulary = data[at : at + vocabulary_bytes].decode().split("\n")[:-1]
        at += vocabulary_bytes + len(_padding(at + vocabulary_bytes))
        scale = np.frombuffer(data, "<f4", tokens, at)
        at += 4 * tokens + len(_padding(at + 4 * tokens))
        table = np.frombuffer(data, "i1", tokens * dimension, at).reshape(tokens, dimension)
        if len(vocabulary) != tokens or at + table.size != len(data):
            raise ValueError(f"{path} is damaged")
        return cls(name, vocabulary, scale, table)

    def write(self, path):
        name = self.name.encode()
        vocabulary = "".join(token + "\n" for token in self.vocabulary).encode()
        tokens, dimension = self.table.shape
        data = HEADER.pack(MAGIC, dimension, tokens, len(name), len(vocabulary), LOWER_CASE, 0) + name + vocabulary
        data += _padding(len(data))
        data += self.scale.tobytes()
        data += _padding(len(data))
        data += self.table.tobytes()
        with open(path, "wb") as file:
            file.write(data)

    def token_ids(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def embed(self, texts):
        vectors = np.zeros((len(texts), self.table.shape[1]), np.float32)
        for vector, ids in zip(vectors, self.token_ids(texts)):
            if ids:
                vector[:] = (self.scale[ids, None] * self.table[ids].astype(np.float32)).sum(axis=0)
        return normalise_rows(vectors)
