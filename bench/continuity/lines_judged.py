#!/usr/bin/env python3
"""Makes blind sheets of packs for a reader who judges them line by line, and scores the verdicts.

  continuity_bench … --packs PACKS [--cuts]
  lines_judged.py sheets OUT PACKS… [--half dev|held] [--seed N]
  lines_judged.py score OUT [--labels bench/continuity/line_labels.json]

`sheets` takes the packs of 1,000 tokens of each directory, shuffles them over all directories and writes OUT/sheets.txt
with the context and the numbered lines of each pack, and OUT/key.json. The reader writes OUT/verdicts.txt, a line for
each pack: "P007 uunuwn…", a letter for each line: u useful, n noise, w wrong. docs/benchmark-details.md has the rule.
`score` prints the shares by directory and section; --labels adds the letters to a file by hashes of the lines, without
their texts.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import random
import re

PACK = re.compile(r"^(?P<session>.+)\.(?P<number>\d+) resume_context@1000\.txt$")
SECTIONS = ("Goal", "Keep to", "Memories", "Decided", "Open", "Last error", "Tests", "Next", "Values",
            "Agent's last words", "In the background", "Files (e edited, r read)", "Commands", "Also ran", "Names")


def lines_of(text):
    """Returns section and text of each line to be judged."""
    section, out = None, []
    for line in text.split("\n"):
        line = line.lstrip("> ").rstrip()
        head = next((s for s in SECTIONS if line.startswith(s + ":")), None)
        if head:
            section = head
            line = line[len(head) + 1:].strip()
        elif re.match(r"^(</history>|\d+ items? did not fit|Full text: )", line):
            section = None
        if section and line and not re.match(r"^\[x\d+\]$", line):
            out.append((section, line))
    return out


def digest(session, number, section, line):
    line = re.sub(r"\s*\[x\d+\]|\bx\d+:", "", line)  # ids differ from store to store
    return hashlib.sha256(f"{session}.{number} {section}: {line}".encode()).hexdigest()[:12]


def sheets(o):
    packs = []
    for directory in o.packs:
        for file in sorted(pathlib.Path(directory).iterdir()):
            name = PACK.match(file.name)
            if not name:
                continue
            around = file.with_name(f"{name['session']}.{name['number']}.around.txt").read_text()
            half, around = around.split("\n", 1)
            if o.half in (None, half):
                packs.append((str(directory), half, name["session"], name["number"], around, file.read_text()))
    random.Random(o.seed).shuffle(packs)
    out = pathlib.Path(o.out)
    out.mkdir(parents=True, exist_ok=True)
    key = {}
    with open(out / "sheets.txt", "w", encoding="utf-8") as f:
        for i, (directory, half, session, number, around, text) in enumerate(packs):
            lines = lines_of(text)
            key[f"P{i:03}"] = {"from": directory, "half": half, "session": session, "number": number, "lines": lines}
            f.write(f"## P{i:03} ({len(lines)} lines)\n{around}")
            last = None
            for n, (section, line) in enumerate(lines, 1):
                f.write((f"[{section}]\n" if section != last else "") + f"{n} {line}\n")
                last = section
            f.write("\n")
    (out / "key.json").write_text(json.dumps(key, ensure_ascii=False))
    print(len(packs), "packs,", sum(len(k["lines"]) for k in key.values()), "lines")


def score(o):
    out = pathlib.Path(o.out)
    key = json.loads((out / "key.json").read_text())
    by = collections.defaultdict(collections.Counter)
    sections = collections.defaultdict(collections.Counter)
    packs = collections.defaultdict(list)
    labels = json.loads(pathlib.Path(o.labels).read_text()) if o.labels and pathlib.Path(o.labels).exists() else {}
    for row in (out / "verdicts.txt").read_text().split("\n"):
        if not row.strip():
            continue
        name, letters = row.split()
        pack = key[name]
        if len(letters) != len(pack["lines"]) or set(letters) - set("unw"):
            raise SystemExit(f"{name}: {len(letters)} letters for {len(pack['lines'])} lines, or others than u, n, w")
        group = pack["from"], pack["half"]
        packs[group].append(sum(c != "u" for c in letters) / max(1, len(letters)))
        for letter, (section, line) in zip(letters, pack["lines"]):
            by[group][letter] += 1
            sections[group[0], section][letter] += 1
            labels[digest(pack["session"], pack["number"], section, line)] = letter
    for group, c in sorted(by.items()):
        n = sum(c.values())
        shares = packs[group]
        drawn = random.Random(1)
        means = sorted(sum(drawn.choices(shares, k=len(shares))) / len(shares) for _ in range(2000))
        print(f"{group[0]} {group[1]}: {len(shares)} packs, {n} lines, useful {c['u'] / n:.3f}, noise {c['n'] / n:.3f}, "
              f"wrong {c['w'] / n:.3f}, together {(c['n'] + c['w']) / n:.3f}; mean of packs "
              f"{sum(shares) / len(shares):.3f} [{means[50]:.3f} {means[1949]:.3f}]")
    for (where, section), c in sorted(sections.items()):
        print(f"  {where} {section:26} {sum(c.values()):5} lines, noise {c['n']:4}, wrong {c['w']:4}")
    if o.labels:
        pathlib.Path(o.labels).write_text(json.dumps(dict(sorted(labels.items())), indent=0) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("sheets")
    one.add_argument("out")
    one.add_argument("packs", nargs="+")
    one.add_argument("--half", choices=["dev", "held"])
    one.add_argument("--seed", type=int, default=1)
    one.set_defaults(run=sheets)
    two = commands.add_parser("score")
    two.add_argument("out")
    two.add_argument("--labels")
    two.set_defaults(run=score)
    o = parser.parse_args()
    o.run(o)


if __name__ == "__main__":
    main()
