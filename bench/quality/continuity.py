#!/usr/bin/env python3
"""What an agent gets back after a compaction. At every compaction of a home's Claude Code transcripts, packs are made of
the earlier history alone and scored by what the agent used again in its next 50 records. docs/benchmarks.md has
the rules.

  continuity.py --memd MEMD --corpus HOME [--cuts]

Beside memd's resume_context and recent_turns: the platform's summary, the end of the conversation, and a list of the
items used most frequently. Of each kind of item: median, mean and micro share named by the pack; w.: weighted by the
information of names. precision: the share of a pack's tokens in units used again. names, bare: of them in entries that
are only a name; without its file. Half of the sessions, by a hash of their ids, is held out.
"""
import bisect
import collections
import hashlib
import json
import pathlib
import re
import statistics

import used
from memd import Memd, mean, options
from text import SPACE, fill, is_held_out, one_line, raw, subject_words, tokens, units
from used import COMMANDS, CONSTRAINTS, EDITED, FILES, HEADS, IDENTIFIERS, KINDS, covers, identifiers, names, \
    names_command

WINDOW = 50
SECTIONS = ("Goal", "Keep to", "Memories", "Decided", "Said", "Open", "Last error", "Tests", "Next",
            "Agent's last words", "In the background", "Files (e edited, r read)", "Commands")


class Compaction:
    """The records before `boundary` are known, `summary` is the platform's; `resumed` is the record behind it."""

    def __init__(self, transcript, boundary, number=1):
        self.transcript, self.boundary, self.number, self.summary = transcript, boundary, number, ""
        self.resumed = begin = boundary + (transcript.records[boundary].kind == "boundary")
        self.next = transcript.talk_after(begin, WINDOW)
        for k, r in enumerate(transcript.records[begin:], begin):
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
    places = [i for i in talk[WINDOW:] if transcript.records[i].human and len(transcript.talk_after(i, WINDOW)) >= 10]
    return [Compaction(transcript, places[len(places) // 2])] if places else []


# ---- Units of a pack: an entry of a list, a line or a sentence, with what a list's line has before its entries.

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
        first, *inner = braces[1], *re.split("(?<=.)(?= )", braces[2], flags=re.S)
        return [Unit(first, context, True), *(Unit(name, "", True, True) for name in inner), Unit(braces[3], "", True)]
    program, *flags = re.split("(?= --)", entry) if not entry.startswith(" --") else [entry]
    return [Unit(program, context, True), *(Unit(flag, "", True, True) for flag in flags)]


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
    """Scores packs by what is used after a compaction. `rows`: figures by method and size."""

    def __init__(self, compaction, weights):
        transcript, boundary, self.weights, self.rows = compaction.transcript, compaction.boundary, weights, {}
        self.known = used.Known(transcript.records[:boundary])
        self.items = self.known.used_again(compaction.next)
        self.said_after = used.said_in(compaction.next)
        before = transcript.bytes[:transcript.begin(boundary)].decode("latin-1")
        later = set().union(*(used.spoken(r) | used.in_inputs(r) for r in compaction.next if r.kind == "assistant"))
        # The platform's summary comes from the agent itself, after the boundary, so its names are not leaks.
        self.future = [t for t in later if t not in before and not names(compaction.summary, t)]

    def found(self, kind, pack, line, told):
        """Returns which items of a kind the pack names."""
        has = {FILES: lambda i: self.known.files.named_in(pack, i), HEADS: lambda i: names_command(pack, i),
               COMMANDS: lambda i: names(line, i) if " " in i else names_command(pack, i),
               CONSTRAINTS: lambda i: any(covers(t, self.known.constraints[i]) for t in told)}
        return list(map(has.get(kind, lambda i: names(pack, i)), self.items[kind]))

    def weight(self, unit, line, size):
        """Returns the weight of what is used again of a unit; negative: nothing."""
        flat, words = one_line(line), subject_words(unit.text)
        if (any(self.known.files.named_in(line, file) for file in self.items[FILES]) or
                any(self.found(COMMANDS, line, flat, ())) or
                (unit.is_entry or size <= 12) and any(self.found(HEADS, line, flat, ())) or
                not unit.is_entry and any(covers(said, words) for said in self.said_after)):
            return 1
        return max((self.weights.of(name) for name in {*self.items[IDENTIFIERS], *self.items[EDITED]}
                    if names(unit.text, name)), default=-1)

    def is_name(self, unit, line):
        return bool(identifiers(unit.text)) and (bool(identifiers(unit.text.split(" ")[0])) or not any(
            self.known.files.named_in(line, file) for file in self.known.files))

    def add(self, method, budget, pack):
        worth, line, told = collections.Counter(), one_line(pack), used.restatable(pack)
        for unit in pack_units(pack):
            text, size = f"{unit.context} {unit.text}" if unit.context.endswith("/") else unit.text, tokens(unit.text)
            weight, is_name = self.weight(unit, text, size), unit.is_entry and self.is_name(unit, text)
            for name, counts in zip(WORTH, (weight >= 0, max(weight, 0), is_name, is_name and not unit.has_place)):
                worth[name] += size * counts
            worth["all"] += size
        self.rows[method, budget] = {name: worth[name] / (worth["all"] or 1) for name in WORTH} | {
            "tokens": tokens(pack), "leaks": sum(names(pack, name) for name in self.future)} | {
            kind: [(hit, self.weights.of(item) if kind in (IDENTIFIERS, EDITED) else 1) for hit, item in zip(
                self.found(kind, pack, line, told), self.items[kind])] for kind in KINDS}


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
            return piece[:bisect.bisect_right(range(len(piece)), budget, key=lambda n: tokens(piece[:n])) - 1] + out
        out, budget = piece + out, budget - size
    return out


def score(memd, home, compaction, weights):
    """Returns the figures, and the pack of 1,000 tokens."""
    judge, packs, summary = Judge(compaction, weights), {}, compaction.summary
    uses, ask = judge.known.uses, {"session_id": "claude_code:" + compaction.transcript.id}
    frequent = sorted(uses, key=lambda item: (uses[item][1], uses[item][0], item), reverse=True)
    if summary:
        judge.add("platform's summary", 0, summary)
    home.grow(compaction.transcript, compaction.boundary)
    memd.settle()
    for budget in (1000, 2000, 4000):
        judge.add("frequent items", budget, fill(frequent, budget))
        judge.add("tail", budget, tail(compaction.transcript.records[:compaction.boundary], budget))
        judge.add("recent_turns", budget, raw(memd.tool("recent_turns", n_turns=100, max_tokens=budget, **ask)[0]))
        packs[budget] = raw(memd.tool("resume_context", max_tokens=budget, **ask)[0])
        judge.add("resume_context", budget, packs[budget])
    if summary:
        home.append(compaction.transcript, compaction.resumed)
        memd.settle()
        pack = raw(memd.tool("resume_context", complement="always", max_tokens=1000, **ask)[0])
        judge.add("summary + resume_context", 1000, summary + "\n" + pack)
    return judge.rows, packs[1000]


# ---- The tables.


def lines_judged(compaction, pack, verdicts):
    """Returns the verdicts of a reader on the lines of a pack: u useful, n noise, w wrong, ? not read."""
    section, out, session = None, [], f"{compaction.transcript.id}.{compaction.number} "
    for line in pack.encode("latin-1").decode().split("\n"):
        line = line.lstrip("> ").rstrip()
        if head := next((s for s in SECTIONS if line.startswith(s + ":")), None):
            section, line = head, line[len(head) + 1:].strip()
        elif re.match(r"</history>|\d+ items? did not fit|Full text: ", line):
            section = None
        if section and line and not re.fullmatch(r"\[x\d+\]", line):
            named = f"{session}{section}: " + re.sub(r"\s*\[x\d+\]|\bx\d+:", "", line)  # ids differ from store to store
            out.append(verdicts.get(hashlib.sha256(named.encode()).hexdigest()[:12], "?"))
    return out


def table(side, rows_of):
    print(f"\n{side}: {len(rows_of)} compactions\n{'':32}{'tokens':>7}" + "".join(f"  {kind:17}" for kind in KINDS) +
          "  identifiers, w.  +edits, w.       precision, w.  names, bare")
    for method, budget in sorted(dict.fromkeys(key for rows in rows_of for key in rows), key=lambda key: key[1]):
        rows = [rows[method, budget] for rows in rows_of if (method, budget) in rows]
        line, weighed = f"{method + (f' @{budget}' if budget else ''):32}{mean([r['tokens'] for r in rows]):7.0f}", ""
        for kind in KINDS:
            found = [r[kind] for r in rows if r[kind]]
            shares = [mean([hit for hit, _ in items]) for items in found]
            hits = [hit for items in found for hit, _ in items]
            named = f"{statistics.median(shares):.2f} {mean(shares):.2f} {mean(hits):.2f}" if found else "–"
            line += f"  {named:17}"
            parts = [(sum(hit * w for hit, w in items), sum(w for _, w in items)) for items in found]
            micro = sum(part for part, _ in parts) / (sum(whole for _, whole in parts) or 1)
            if kind in (IDENTIFIERS, EDITED):
                weighed += f"  {mean([part / whole for part, whole in parts if whole]):.2f} {micro:.2f}      "
        worth, leaks = [mean([r[name] for r in rows]) for name in WORTH], sum(r["leaks"] for r in rows)
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
