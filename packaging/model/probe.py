"""A small retrieval test of developer text: manual pages, of which nothing is trained on.

The query is the one-line purpose of a page (NAME), the passage the beginning of its DESCRIPTION; in the harder form the
words that both share are taken out of the query.

    probe.py PAGES TEACHER MODEL...
"""

import gzip
import os
import re
import sys

import numpy as np

ESCAPES = (
    (r"\\f\[?[A-Z]+\]?|\\f.|\\&|\\/|\\,|\\c|\\%|\\:", ""),
    (r"\\\((aq|cq|oq)", "'"),
    (r"\\-|\\\(en|\\\(em|\\\[en\]|\\\[em\]", "-"),
    (r"\\\((lq|rq|dq)", '"'),
    (r"\\[ ~0|^]", " "),
    (r"\\(\*?\(..|\*?\[[^]]*\]|\*.|s[+-]?\d+|e)", ""),
)


def _plain(lines):
    text = []
    for line in lines:
        if line.startswith((".\\\"", "'\\\"")):
            continue
        match = re.match(r"[.'](B|I|BR|BI|IB|IR|RB|RI|SM|SB)\s+(.*)", line)
        if match:
            line = match[2].replace('" "', "").replace('"', "").replace(" ", "" if len(match[1]) == 2 else " ")
        elif line.startswith((".", "'")):
            continue
        for pattern, replacement in ESCAPES:
            line = re.sub(pattern, replacement, line)
        text.append(line)
    return " ".join(" ".join(text).split())


def page(path):
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        sections = re.split(r'^\.S[hH]\s+"?([^"\n]+)"?\s*$', file.read(), flags=re.M)
    found = {name.strip().upper(): body.split("\n") for name, body in zip(sections[1::2], sections[2::2])}
    name = _plain(found.get("NAME", []))
    return name.split(" - ", 1)[-1] if " - " in name else "", _plain(found.get("DESCRIPTION", []))[:600]


def stems(text):
    return {word[:5] for word in re.findall(r"[a-z]{2,}", text.lower())}


def load(folder):
    passages, queries = [], []
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if re.search(r"/man[1-8]$", base) and name.endswith(".gz") and os.path.isfile(os.path.join(base, name)):
                purpose, description = page(os.path.join(base, name))
                if len(purpose.split()) >= 3 and len(description.split()) >= 15 and description not in passages:
                    passages.append(description)
                    queries.append(purpose)
    return queries, passages


def without_shared_words(query, passage):
    shared = stems(passage)
    return " ".join(word for word in query.split() if not stems(word) & shared)


def ranks(scores):
    """Rank of each query's own passage, from 1."""
    return 1 + (scores > np.diag(scores)[:, None]).sum(axis=1)


def judge(embed, folder):
    queries, passages = load(folder)
    vectors = embed(passages)
    result = {}
    for name, texts in (("plain", queries), ("no shared words", list(map(without_shared_words, queries, passages)))):
        keep = np.array([len(stems(text)) >= 2 for text in texts])
        rank = ranks(embed(texts) @ vectors.T)[keep]
        result[name] = {
            "queries": int(keep.sum()),
            "passages": len(passages),
            "mrr@10": round(float(np.where(rank <= 10, 1 / rank, 0).mean()), 4),
            "recall@10": round(float((rank <= 10).mean()), 4),
        }
    return result


def main(folder, teacher, *models):
    from memdemb import StaticModel, normalise_rows
    from teacher import Teacher

    taught = Teacher(teacher)
    print("teacher", judge(lambda texts: normalise_rows(taught.encode(texts)), folder))
    for path in models:
        print(os.path.basename(path), judge(StaticModel.read(path).embed, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
