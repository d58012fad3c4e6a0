"""Reads the packages that distill.sh fetched and writes the texts the table is fitted to.

    corpus.py DEBS CHITCHAT OUT

DEBS holds unpacked Debian packages, one folder each; CHITCHAT is that package's dataset.json. OUT gets pairs.jsonl, {"source", "a", "b"} with two texts that
belong together. Sources and licences: README.md.
"""

import ast
import gzip
import hashlib
import json
import os
import random
import re
import sys

import lxml.html

SEED = 20261122
LONGEST_TEXT = 700  # characters
HTML_SOURCES = {  # package: (folder within it, files read at most, pairs kept at most)
    "python3.11-doc": ("", 600, 14000),
    "nodejs-doc": ("", 200, 7000),
    "rust-doc": ("html/(std|book|cargo|reference|rust-by-example|nomicon|rustc|alloc|core)/", 3000, 14000),
    "postgresql-doc-15": ("", 1300, 10000),
    "sqlite3-doc": ("", 800, 8000),
    "cmake-doc": ("", 2000, 6000),
    "python-django-doc": ("", 800, 12000),
    "python-sqlalchemy-doc": ("", 300, 10000),
    "python-pandas-doc": ("(user_guide|whatsnew|getting_started|development)", 400, 7000),
    "apache2-doc": ("/en/", 400, 5000),
}
OTHER_LIMITS = {"chat": 60000, "wordnet": 40000, "go": 16000, "python": 9000, "markdown": 4000}
NAMES = "Anna Ben Carla David Emma Frank Grace Henry Ivy Jack Kate Leo Maria Nick Olivia Paul Rosa Sam Tina Victor".split()


def stable_order(items, salt=""):
    return sorted(items, key=lambda item: hashlib.sha256(f"{SEED}{salt}{item}".encode()).digest())


def squeeze(text):
    return " ".join(text.replace("¶", " ").split())[:LONGEST_TEXT]


def words(text):
    return re.findall(r"[A-Za-z]{2,}", text)


def files_under(folder, pattern):
    found = []
    for base, _, names in os.walk(folder):
        found += [os.path.join(base, name) for name in names if re.search(pattern, os.path.join(base, name))]
    return sorted(path for path in found if os.path.isfile(path))


def html_pairs(path):
    """Heading and first paragraph, signature and description, paragraph and its successor, explanation and example."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        tree = lxml.html.fromstring(data.decode("utf-8", "replace").encode())
    except (lxml.etree.ParserError, ValueError):
        return
    for element in tree.xpath("//script|//style|//nav|//header|//footer|//*[contains(@class,'sidebar')]|//*[@class='related']"):
        if element.getparent() is not None:
            element.drop_tree()
    title = heading = signature = paragraph = ""
    for element in tree.iter("h1", "h2", "h3", "h4", "h5", "p", "pre", "dt", "li"):
        if element.tag == "pre":
            text = element.text_content().strip("\n")[:LONGEST_TEXT]
            if paragraph and len(text) > 10:
                yield paragraph, text
            continue
        if element.tag == "li" and element.find(".//p") is not None:
            continue
        text = squeeze(element.text_content())
        if element.tag == "h1":
            title = heading = text
            paragraph = signature = ""
        elif element.tag[0] == "h":
            heading = text if len(words(text)) > 2 or not title else f"{title}: {text}"
            paragraph = signature = ""
        elif element.tag == "dt":
            signature, paragraph = text, ""
        elif len(words(text)) >= 4:
            if signature or heading:
                yield signature or heading, text
                if signature:
                    signature = ""
                else:
                    heading = ""
            elif paragraph and len(words(text)) >= 8:
                yield paragraph, text
            paragraph = text


def documentation(debs):
    for package, (where, most_files, most_pairs) in HTML_SOURCES.items():
        files = files_under(os.path.join(debs, package), where + r".*\.html(\.en)?$")
        found = []
        files = stable_order([os.path.relpath(path, debs) for path in files], "debs/")
        for path in files[:most_files]:
            found += [(a, b) for a, b in html_pairs(os.path.join(debs, path)) if len(words(a)) >= 1 and len(words(b)) >= 3]
        yield package, found, most_pairs


def markdown(debs):
    for path in files_under(os.path.join(debs, "docker-doc"), r"\.md(\.gz)?$"):
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as file:
            blocks = [squeeze(block) for block in file.read().split("\n\n")]
        blocks = [block for block in blocks if len(words(block)) >= 3]
        yield from zip(blocks, blocks[1:])


def chat(path):
    """A turn and the answer to it; one in four as a transcript line with its speaker."""
    with open(path, encoding="utf-8") as file:
        conversations = json.load(file)
    for key in stable_order(conversations):
        turns = [squeeze(" ".join(m["text"] for m in turn)) for turn in conversations[key]["messages"]]
        names = stable_order(NAMES, key)[:2]
        labelled = hashlib.sha256(key.encode()).digest()[0] % 4 == 0
        for i, (a, b) in enumerate(zip(turns, turns[1:])):
            if len(words(a)) + len(words(b)) >= 8 and words(a) and words(b):
                yield (f"{names[i % 2]}: {a}", f"{names[1 - i % 2]}: {b}") if labelled else (a, b)


def wordnet(debs):
    """The words of a synset and its gloss; its gloss and an example sentence."""
    folder = os.path.join(debs, "wordnet-base/usr/share/wordnet")
    for part in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(folder, "data." + part), encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("  ") or " | " not in line:
                    continue
                fields, gloss = line.split(" | ", 1)
                fields = fields.split()
                lemmas = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
                examples = re.findall(r'"([^"]{12,})"', gloss)
                definition = squeeze(gloss.split('; "')[0])
                yield ", ".join(lemmas), definition
                for example in examples:
                    yield definition, squeeze(example)


def go_sources(debs):
    pattern = re.compile(r"((?:^//[^\n]*\n)+)^(func [^\n]*\n(?:[^\n]*\n){0,8})", re.M)
    for path in files_under(os.path.join(debs, "golang-1.19-src"), r"/src/.*\.go$"):
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        for comment, code in pattern.findall(source):
            comment = squeeze(re.sub(r"^//", "", comment, flags=re.M))
            code = code.split("\n}")[0][:LONGEST_TEXT]
            if len(words(comment)) >= 5 and "copyright" not in comment.lower():
                yield comment, code


def python_sources(debs):
    for path in files_under(os.path.join(debs, "libpython3.11-stdlib"), r"\.py$"):
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        lines = source.split("\n")
        for node in ast.walk(tree):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or not (text := ast.get_docstring(node)):
                continue
            text = squeeze(text)
            if len(words(text)) < 4:
                continue
            yield lines[node.lineno - 1].strip(), text
            if len(node.body) > 1:
                yield text, "\n".join(lines[node.body[1].lineno - 1 : node.end_lineno][:12])[:LONGEST_TEXT]


def main(debs, chitchat, out):
    sources = list(documentation(debs))
    for name, pairs in (
        ("chat", chat(chitchat)),
        ("wordnet", wordnet(debs)),
        ("go", go_sources(debs)),
        ("python", python_sources(debs)),
        ("markdown", markdown(debs)),
    ):
        sources.append((name, list(pairs), OTHER_LIMITS[name]))
    seen, total = set(), []
    for name, pairs, most in sources:
        unique = [pair for pair in dict.fromkeys(pairs) if pair[1] not in seen]
        seen.update(b for _, b in unique)
        if name != "chat":
            unique = stable_order(unique)
        total += [{"source": name, "a": a, "b": b} for a, b in unique[:most]]
        print(f"{name:24} {len(unique):7} pairs, {min(len(unique), most):6} kept")
    random.Random(SEED).shuffle(total)
    with open(os.path.join(out, "pairs.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in total)
    print(f"{len(total)} pairs")


if __name__ == "__main__":
    main(*sys.argv[1:4])
