#!/usr/bin/env python3
"""What an agent gets back after a compaction. At every compaction of a home's Claude Code transcripts, packs are made of
the earlier history alone and scored by what the agent used again in its next 50 records. docs/benchmark-details.md has
the rules.

  continuity.py --memd MEMD --corpus HOME [--cuts]

Beside memd's resume_context and recent_turns: the platform's summary, the end of the conversation, and lists of the
items used most recently, most frequently, at random, and of those used again (oracle). Of each kind of item: median, mean
and micro share named by the pack; w.: weighted by the information of names. precision: the share of a pack's tokens
in units used again. names, bare: of them in entries that are only a name; without its file. Half of the sessions, by a
hash of their ids, is held out.
"""
import collections
import hashlib
import json
import pathlib
import re
import statistics

import used
from memd import Memd, mean, options
from text import SPACE, fill, hash64, is_held_out, one_line, raw, subject_words, tokens, units
from used import COMMANDS, CONSTRAINTS, EDITED, FILES, HEADS, IDENTIFIERS, KINDS, covers, identifiers, names, names_command

WINDOW, BUDGETS = 50, (1000, 2000, 4000)
SECTIONS = ("Goal", "Keep to", "Memories", "Decided", "Open", "Last error", "Tests", "Next", "Values",
            "Agent's last words", "In the background", "Files (e edited, r read)", "Commands", "Also ran", "Names")


class Compaction:
    """The records before `boundary` are known, `summary` is the platform's; `resumed` is the record behind it."""

    def __init__(self, transcript, boundary, number):
        self.transcript, self.boundary, self.number = transcript, boundary, number
        self.resumed, self.summary, records = boundary + 1, "", transcript.records
        if records[boundary].kind != "boundary":  # a cut
            self.resumed = boundary
        self.next = transcript.talk_after(self.resumed, WINDOW)
        for k, r in enumerate(records[self.resumed:], self.resumed):
            if r.kind == "boundary":
                break
            if r.kind == "summary":
                self.resumed, self.summary = k + 1, self.summary + "".join(t + "\n" for t in r.texts)


def compactions(transcript):
    places = [i for i, r in enumerate(transcript.records) if r.kind == "boundary"]
    return [Compaction(transcript, place, n) for n, place in enumerate(places, 1)]


def cuts(transcript):
    """Returns the middle one of a person's messages with enough before and behind it."""
    talk = [i for i, r in enumerate(transcript.records) if r.is_talk()]
    places = [i for n, i in enumerate(talk, 1) if n > WINDOW and transcript.records[i].human and
              len(transcript.talk_after(i, WINDOW)) >= 10]
    return [Compaction(transcript, places[len(places) // 2], 1)] if places else []


# ---- Units of a pack: an entry of a list, a line or a sentence, with the prefix that a list's line has for its entries.

Unit = collections.namedtuple("Unit", "text context is_entry has_place", defaults=("", False, False))


def _outside_brackets(line):
    depth, out = 0, ""
    for c in line:
        depth += c in "([{"
        out += "\0" if depth else c
        depth -= c in ")]}" and depth > 0
    return out


def _context_end(line):
    colon, blank = line.find(": "), line.find(" ")
    return colon if 0 <= colon < blank else 0


def _entry(entry, context):
    """Flags behind a program, and the names in braces behind a file, are entries of their own."""
    if braces := re.match(r"([^{]*)(\{[^}]*)(\}.*)", entry, re.S):
        inner = re.split(r"(?<=.)(?= )", braces[2], flags=re.S)
        return [Unit(braces[1], context, True), *(Unit(name, "", True, True) for name in inner), Unit(braces[3], "", True)]
    program, *flags = re.split("(?= --)", entry)
    if program and flags:
        return [Unit(program, context, True), *(Unit(flag, "", True, True) for flag in flags)]
    return [Unit(entry, context, True)]


def _list(line):
    """The entries between commas, if most of them have few words."""
    end = _context_end(line)
    bounds = [0, *(m.end() for m in re.finditer(", ", _outside_brackets(line))), len(line)]
    if len(bounds) < 4 and not re.search("[/.]", line[:end]):
        return []
    entries = [line[a:b] for a, b in zip(bounds, bounds[1:])]
    counted = [entries[0][end + 2 if end else 0:], *entries[1:]]
    counted = [c[:-2] for c in counted[:-1]] + counted[-1:]
    few = sum(sum(word[:1] not in ("", "-") for word in re.split("[ \0]+", _outside_brackets(c))) <= 4 for c in counted)
    return [unit for entry in entries for unit in _entry(entry, line[:end])] if few * 10 >= len(entries) * 8 else []


def _bag(line):
    """The words of a line, if most of them are names."""
    words = re.findall(r"[^ ]* |[^ ]+\Z", line)
    if len(words) < 4 or sum(bool(identifiers(w.rstrip(" "))) for w in words) * 10 < len(words) * 6:
        return []
    has_place = bool(re.search("[/.]", line[:_context_end(line)]))
    return [Unit(w, "", True, has_place) for w in words]


def _sentences(line):
    starts, at = [], 0
    for _, unit in units(line):
        starts.append(line.index(unit, at))
        at = starts[-1] + len(unit)
    bounds = [0, *starts[1:], len(line)]
    return [Unit(line[a:b]) for a, b in zip(bounds, bounds[1:])]


def pack_units(pack):
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", pack)
    return [unit for line in lines if line.strip(SPACE) for unit in _list(line) or _bag(line) or _sentences(line)]


# ---- One compaction.


class Judge:
    def __init__(self, compaction, weights):
        transcript, boundary = compaction.transcript, compaction.boundary
        self.compaction, self.weights = compaction, weights
        self.known = used.Known(transcript.records[:boundary])
        self.items = self.known.used_again(compaction.next)
        self.said_after = used.said_in(compaction.next)
        before = transcript.bytes[:transcript.records[boundary].begin].decode("latin-1")
        later = set().union(*(used.spoken(r) | used.in_inputs(r) for r in compaction.next if r.kind == "assistant"))
        # The platform's summary comes from the agent itself, after the boundary, so its names are not leaks.
        self.future = [t for t in later if t not in before and not names(compaction.summary, t)]
        self.rows = {}  # (method, budget): figures

    def find(self, pack):
        """Returns which items the pack names, by kind."""
        line, told = one_line(pack), used.restatable(pack)
        has = {FILES: lambda i: self.known.files.named_in(pack, i), IDENTIFIERS: lambda i: names(pack, i),
               EDITED: lambda i: names(pack, i), HEADS: lambda i: names_command(pack, i),
               COMMANDS: lambda i: names(line, i) if " " in i else names_command(pack, i),
               CONSTRAINTS: lambda i: any(covers(t, self.known.constraints[i]) for t in told)}
        return {kind: [has[kind](item) for item in self.items[kind]] for kind in KINDS}

    def weight(self, unit, line, size):
        """Returns the weight of what is used again of a unit; negative: nothing."""
        flat = one_line(line)
        if (any(self.known.files.named_in(line, file) for file in self.items[FILES]) or
                any(names(flat, c) if " " in c else names_command(line, c) for c in self.items[COMMANDS]) or
                (unit.is_entry or size <= 12) and any(names_command(line, head) for head in self.items[HEADS]) or
                not unit.is_entry and any(covers(said, words) for words in [subject_words(unit.text)]
                                          for said in self.said_after)):
            return 1
        return max((self.weights.of(name) for name in {*self.items[IDENTIFIERS], *self.items[EDITED]}
                    if names(unit.text, name)), default=-1)

    def is_name(self, unit, line):
        return bool(identifiers(unit.text)) and (bool(identifiers(unit.text.split(" ")[0])) or not any(
            self.known.files.named_in(line, file) for file in self.known.files))

    def add(self, method, budget, pack):
        worth = collections.Counter()
        for unit in pack_units(pack):
            line, size = f"{unit.context} {unit.text}" if unit.context.endswith("/") else unit.text, tokens(unit.text)
            weight, is_name = self.weight(unit, line, size), unit.is_entry and self.is_name(unit, line)
            worth.update({"all": size, "precision": size * (weight >= 0), "precision, w.": size * max(weight, 0),
                          "names": size * is_name, "bare": size * (is_name and not unit.has_place)})
        row = {name: worth[name] / worth["all"] if worth["all"] else 0 for name in WORTH}
        row |= {"tokens": tokens(pack), "leaks": sum(names(pack, name) for name in self.future), "found": self.find(pack)}
        row["weights"] = {kind: [self.weights.of(i) if kind in (IDENTIFIERS, EDITED) else 1 for i in self.items[kind]]
                          for kind in KINDS}
        self.rows[method, budget] = row


WORTH = ("precision", "precision, w.", "names", "bare")


def tail(records, budget):
    """Returns the end of a conversation: texts, commands, files."""
    out = ""
    for r in reversed(records):
        piece = "".join(t + "\n" for t in r.texts) + "".join(
            f"{use.tool}: {value}\n" for use in r.uses for name in ("command", "file_path", "pattern")
            if (value := used.input_of(use, name)) is not None)
        size = tokens(piece)
        if size > budget:  # the longest beginning that fits
            low, high = 0, len(piece)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if tokens(piece[:middle]) <= budget else (low, middle)
            return piece[:low] + out
        out, budget = piece + out, budget - size
    return out


def score(memd, home, compaction, weights):
    judge = Judge(compaction, weights)
    transcript, summary, uses = compaction.transcript, compaction.summary, judge.known.uses
    orders = {"random": lambda item: (hash64(item, 1), item), "frequent": lambda item: (uses[item][1], uses[item][0], item),
              "recent": lambda item: (*uses[item], item)}
    listed = {name: sorted(uses, key=order, reverse=True) for name, order in orders.items()}
    oracle = sorted((judge.known.files.telling_end(i) if kind == FILES else i for kind in KINDS for i in judge.items[kind]),
                    key=len)
    if summary:
        judge.add("platform's summary", 0, summary)
    home.grow(transcript, compaction.boundary)
    memd.settle()
    packs = {}
    for budget in BUDGETS:
        for name, items in listed.items():
            judge.add(f"{name} items", budget, fill(items, budget))
        judge.add("tail", budget, tail(transcript.records[:compaction.boundary], budget))
        judge.add("oracle", budget, fill(dict.fromkeys(oracle), budget))
        ask = {"session_id": f"claude_code:{transcript.id}", "max_tokens": budget}
        judge.add("recent_turns", budget, raw(memd.tool("recent_turns", n_turns=100, **ask)[0]))
        packs[budget] = raw(memd.tool("resume_context", **ask)[0])
        judge.add("resume_context", budget, packs[budget])
    if summary:
        home.append(transcript, compaction.resumed)
        memd.settle()
        ask |= {"max_tokens": 1000}
        for name, pack in (("recent_turns", raw(memd.tool("recent_turns", n_turns=100, **ask)[0])),
                           ("resume_context", raw(memd.tool("resume_context", complement="always", **ask)[0])),
                           ("recent items", fill(listed["recent"], 1000))):
            judge.add(f"summary + {name}", 1000, summary + "\n" + pack)
    return judge.rows, packs[1000]


# ---- The tables.


def lines_judged(compaction, pack, verdicts):
    """Returns the verdicts of a reader on the lines of a pack: u useful, n noise, w wrong, ? not read."""
    section, out = None, []
    for line in pack.encode("latin-1").decode().split("\n"):
        line = line.lstrip("> ").rstrip()
        if head := next((s for s in SECTIONS if line.startswith(s + ":")), None):
            section, line = head, line[len(head) + 1:].strip()
        elif re.match(r"</history>|\d+ items? did not fit|Full text: ", line):
            section = None
        if section and line and not re.fullmatch(r"\[x\d+\]", line):
            named = f"{compaction.transcript.id}.{compaction.number} {section}: " + re.sub(r"\s*\[x\d+\]|\bx\d+:", "", line)
            out.append(verdicts.get(hashlib.sha256(named.encode()).hexdigest()[:12], "?"))
    return out


def table(side, rows_of):
    methods = sorted(dict.fromkeys(key for rows in rows_of for key in rows), key=lambda key: key[1])
    print(f"\n{side}: {len(rows_of)} compactions\n{'':32}{'tokens':>7}" + "".join(f"  {kind:17}" for kind in KINDS) +
          f"  {'identifiers, w.':17}{'+edits, w.':13}{'precision, w.':15}names, bare")
    for method, budget in methods:
        rows = [rows[method, budget] for rows in rows_of if (method, budget) in rows]
        line = f"{method + (f' @{budget}' if budget else ''):32}{mean([r['tokens'] for r in rows]):7.0f}"
        weighed = ""
        for kind in KINDS:
            found = [(r["found"][kind], r["weights"][kind]) for r in rows if r["found"][kind]]
            shares = [mean(hits) for hits, _ in found]
            named = f"{statistics.median(shares):.2f} {mean(shares):.2f} {mean(sum((f for f, _ in found), [])):.2f}" if found \
                else "–"
            line += f"  {named:17}"
            if kind in (IDENTIFIERS, EDITED):
                parts = [(sum(w for hit, w in zip(*f) if hit), sum(f[1])) for f in found]
                micro = sum(part for part, _ in parts) / (sum(whole for _, whole in parts) or 1)
                weighed += f"  {mean([part / whole for part, whole in parts if whole]):.2f} {micro:.2f}      "
        leaks = sum(r["leaks"] for r in rows)
        worth = [mean([r[name] for r in rows]) for name in WORTH]
        print(f"{line}{weighed}  {worth[0]:.2f} {worth[1]:.2f}      {worth[2]:.2f} {worth[3]:.2f}" +
              (f"  {leaks} names of the future" if leaks else ""))


def main():
    o = options(__doc__, cuts="cut sessions where a person speaks, not at compactions")
    transcripts = used.main_transcripts(o.corpus)
    places = [c for t in transcripts for c in (cuts if o.cuts else compactions)(t)]
    places.sort(key=lambda c: c.transcript.records[c.boundary].time)  # the home grows as the real one did
    weights, scored = used.NameWeights(transcripts), []
    verdicts = json.loads((pathlib.Path(__file__).parent / "line_labels.json").read_text())
    judged = collections.defaultdict(collections.Counter)
    with Memd(o.memd) as memd:
        home = used.GrowingHome(o.corpus, memd.home)
        for place in places:
            rows, pack = score(memd, home, place, weights)
            side = "held out" if is_held_out(place.transcript.id) else "fit"
            scored.append((side, rows))
            judged[side].update(lines_judged(place, pack, verdicts))
    for side in ("all", "fit", "held out"):
        table(side, [rows for of, rows in scored if side in ("all", of)])
    for side, counts in judged.items():
        read = counts["u"] + counts["n"] + counts["w"]
        print(f"\n{side}, lines of resume_context @1000 that a reader has judged: {read} of {read + counts['?']}, "
              f"noise {counts['n'] / max(1, read):.3f}, wrong {counts['w'] / max(1, read):.3f}")


if __name__ == "__main__":
    main()
