"""What an agent knew and what it used again: Claude Code's transcripts, read by the rules of docs/benchmarks.md."""
import collections
import functools
import io
import json
import math
import re
from datetime import datetime

from text import lower, one_line, raw, subject_words, units, words_of_class

KINDS = ("files", "identifiers", "identifiers+edits", "command heads", "exact commands", "constraints")
FILES, IDENTIFIERS, EDITED, HEADS, COMMANDS, CONSTRAINTS = KINDS

# ---- Transcripts.

NOT_HUMAN = ("<", "[Request interrupted", "Caveat:")
WRAPPER = re.compile(
    r"\s*<(ide_opened_file|ide_selection|loaded_context|system-reminder|user-prompt-submit-hook)>.*?</\1>", re.S)
Use = collections.namedtuple("Use", "tool inputs")  # inputs: (name, value), strings only


def strings(value, name=""):
    if isinstance(value, str):
        yield name, raw(value)
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else ((name, part) for part in value):
            yield from strings(part, name or key)


class Record:
    """One line. `kind`: user, assistant, boundary, summary (the platform's, at a compaction) or other. `human`: a person
    wrote it."""

    def __init__(self, line, begin):
        self.begin, self.time, self.kind, self.human, self.sidechain, self.cwd = begin, 0, "other", False, False, ""
        self.texts, self.results, self.errors, self.uses = [], [], [], []
        try:
            self._read(json.loads(line))
        except (ValueError, AttributeError):  # not an object
            pass

    def _read(self, record):
        if stamp := record.get("timestamp"):
            self.time = datetime.fromisoformat(stamp).timestamp()
        self.sidechain, self.cwd = bool(record.get("isSidechain") or record.get("isMeta")), record.get("cwd") or ""
        if record.get("subtype") == "compact_boundary":
            self.kind = "boundary"
        if record.get("type") not in ("user", "assistant"):
            return
        content = (record.get("message") or {}).get("content") or []
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                self.texts.append(raw(block["text"]))
            elif block["type"] == "tool_use":
                self.uses.append(Use(block["name"], list(strings(block.get("input")))))
            elif block["type"] == "tool_result":
                found = [value for name, value in strings(block.get("content")) if name != "type"]
                self.results += found
                self.errors += found if block.get("is_error") else []
        self.kind = "summary" if record.get("isCompactSummary") else record["type"]
        first = self.texts[0] if self.texts else ""
        while wrapper := WRAPPER.match(first):
            first = first[wrapper.end():]
        self.human = (self.kind == "user" and not self.sidechain and not self.results and bool(first.strip()) and
                      not first.strip().startswith(NOT_HUMAN))

    def is_talk(self):
        return self.kind in ("user", "assistant") and not self.sidechain


class Transcript:
    def __init__(self, file):
        self.file, self.id, self.bytes, self.records, begin = file, file.stem, file.read_bytes(), [], 0
        for line in io.BytesIO(self.bytes):
            self.records.append(Record(line, begin))
            begin += len(line)

    def begin(self, record):
        return self.records[record].begin if record < len(self.records) else len(self.bytes)

    def talk_after(self, record, most):
        """Returns the next user and assistant records before the next compaction."""
        end = next((i for i, r in enumerate(self.records) if i >= record and r.kind == "boundary"), None)
        return [r for r in self.records[record:end] if r.is_talk()][:most]


def main_transcripts(home):
    return [Transcript(file) for file in sorted(home.glob(".claude/projects/*/*.jsonl"))]


class GrowingHome:
    """A home that shows the transcripts of a corpus as they were at successive moments."""

    def __init__(self, corpus, home):
        self.corpus, self.home, self.written = corpus, home, collections.Counter()
        self.transcripts = [Transcript(file) for file in sorted((corpus / ".claude/projects").rglob("*.jsonl"))]

    def _write(self, transcript, record):
        begin, end = self.written[transcript.file], transcript.begin(record)
        if end > begin:
            target = self.home / transcript.file.relative_to(self.corpus)
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "ab") as out:
                out.write(transcript.bytes[begin:end])
            self.written[transcript.file] = end

    def append(self, transcript, record):
        """Shows the transcript up to a record, and the results moved out of it that it names so far."""
        self._write(transcript, record)
        shown = transcript.bytes[:self.written[transcript.file]]
        for file in transcript.file.with_suffix("").rglob("*"):
            if file.is_file() and file.suffix != ".jsonl" and file.name.encode() in shown:
                copy = self.home / file.relative_to(self.corpus)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(file.read_bytes())

    def grow(self, transcript, record):
        """Also shows the part of the other files that is older. Moments come in the order of their times."""
        for other in self.transcripts:
            if other.file != transcript.file:
                self._write(other, next((i for i, r in enumerate(other.records) if r.time >= transcript.records[record].time
                                         and r.begin >= self.written[other.file]), len(other.records)))
        self.append(transcript, record)


# ---- Names, files and commands in a text.

EXTENSIONS = set("""go ts tsx js jsx mjs md json jsonl py rs sh yml yaml toml txt sql css html cpp hpp c h mod sum log
lock java rb xml svg png com org io dev""".split())
WITH_SUBCOMMAND = set("""git go npm npx pnpm yarn cargo make gh docker kubectl python python3 node mise bun uv pip brew
dotnet task just poetry helm aws terraform systemctl entire deno composer""".split())
NO_PROGRAM = set("cd echo done do then fi if for while true false EOF else esac exit export printf set".split())
NAME = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*|(?P<name>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)"
                  r"|(?:(?<=localhost:)|(?<= :)|(?<=0\.1:)|(?<=port )|(?<=PORT=)|(?<=--port=))(?P<port>\d{4,5})(?!\d)"
                  r"|\d\w*", re.A)
HASH = re.compile(r"toolu_|msg_0|[0-9A-Fa-f_-]{7,}$")
CODE = re.compile(r"_*[^_]+_+[^_].*|[^_]*[a-z0-9][A-Z][^_]*_?|[A-Z]{1,6}\d{2,5}|E[A-Z]{4,11}", re.A)


@functools.cache
def identifiers(line):
    """Returns camelCase, snake_case, dotted and :: names, --flags, VARIABLES, error codes and ports."""
    return {one[0] for one in NAME.finditer(line) if 4 <= len(one[0]) <= 60 and (
        is_identifier(one[0]) if one["name"] else one["port"] or one[0][0] == "-")}


def is_identifier(word):
    if HASH.match(word) or "." in word and word.rsplit(".", 1)[1] in EXTENSIONS:
        return False
    return bool(re.search("[A-Z_]", word) if "." in word or ":" in word else CODE.fullmatch(word))


def paths(line):
    found = re.findall(r"(?<![\w/.+@*?$~{}:-])[\w/.+@-]+(?![\w/.+@*?{[-])", line, re.A)
    bare = (re.sub(r"^(\./)+", "", path).rstrip("./") for path in found)
    return {path for path in bare if re.fullmatch(r".*/[^/]+\.[A-Za-z][^./]{0,4}", path) and "//" not in path and
            "..." not in path}


def command_heads(command):
    """Returns the program of each part of a command line, with its subcommand."""
    out = set()
    for part in re.findall(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^"';|\n&]|&(?!&|$))+""", command.split("<<")[0]):
        words = part.split()
        while words and (re.match(r"[A-Za-z0-9]\w*=", words[0], re.A) or
                         words[0] in ("sudo", "env", "time", "(", "{", "&")):
            words.pop(0)
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if re.fullmatch(r"[A-Za-z0-9][\w+.-]*", program, re.A) and program not in NO_PROGRAM:
            sub = next((w for w in words[1:] if not w.startswith("-")), "") if program in WITH_SUBCOMMAND else ""
            out.add(f"{program} {sub}" if re.fullmatch(r"[A-Za-z0-9][\w+.:-]*", sub, re.A) else program)
    return out


def normal_command(command):
    return re.sub("^(cd .*?&& )+", "", one_line(command))


@functools.cache
def pattern(before, term, behind):
    return re.compile(before + re.escape(term) + behind, re.A)


def names(line, term):
    """Whether a text has the term other than as a part of a longer word. --dry is not named by --dry-run."""
    return term in line and bool(term) and bool(pattern(r"(?<!\w)" if re.match(r"\w", term, re.A) else "", term, (
        r"(?!\w)" if re.search(r"\w$", term, re.A) else "") + "(?!-)" * term.startswith("--")).search(line))


def names_command(line, head):
    """Whether a text has the head where a command can stand. One of two words may stand anywhere."""
    opens = r"(?:^|[\n`'\"$|&;(>,:=/]|(?<![^\n ])[-*]|\xc2\xb7)[ \t]*"
    return head in line and (names(line, head) if " " in head else bool(pattern(opens, head, r"(?![\w.-])").search(line)))


def ends_with(path, end):
    return path == end or path.endswith("/" + end)


class FileNames(set):
    """The files that a session has touched, and what names one of them unambiguously."""
    __hash__ = object.__hash__

    def canonical(self, path):
        same = [path] if path in self else [known for known in self if (
            not known.startswith("/") and ends_with(path, known) if path.startswith("/") else ends_with(known, path))]
        return same[0] if len(same) == 1 else path

    @functools.cache
    def telling_end(self, path):
        """Returns the shortest end that no other known path has. Call when all are known."""
        ends = [path[at.end():] for at in re.finditer("/", path) if at.start() > 0]
        return next((end for end in reversed(ends) if not any(known != path and ends_with(known, end) for known in self)),
                    path)

    def named_in(self, line, path):
        """Whether a text has the telling end, or its directory and on the same line its name."""
        end, before, behind = self.telling_end(path), r"(?<![\w.-])", r"(?![\w-]|\.[\w-])"
        if end in line and pattern(before, end, behind).search(line):
            return True
        folder, _, name = end.rpartition("/")
        return bool(folder) and folder in line and any(
            pattern(before, name, behind).search(line, at.end(), (line + "\n").index("\n", at.end()))
            for at in pattern(before, folder, behind).finditer(line))


# ---- What was known before a moment, and what is used after it.

SPOKEN = ("command", "pattern", "query", "description", "prompt", "url")  # not what is written into files
CUES = re.compile("""don't|dont|do not|never|always|must|only|instead|make sure|ensure|should|shouldn't|without|avoid|keep
|prefer|use|no need|not|rather|need to|needs to|have to|i want|i don't|please|we want|can't""".replace("\n", "").join(
    (" (", ") ")))


def input_of(use, *wanted):
    return next((value for want in wanted for name, value in use.inputs if name == want), None)


def touched(use):
    """Returns the files, the command heads and the command line of a tool call."""
    file, command = input_of(use, "file_path", "notebook_path"), use.tool == "Bash" and input_of(use, "command") or ""
    return ({file} if file is not None else set()) | paths(command.split("<<")[0]), command_heads(command), \
        normal_command(command)


def spoken_inputs(record):
    return [value for use in record.uses for name, value in use.inputs if name in SPOKEN]


def spoken(record):
    return set().union(*map(identifiers, record.texts + spoken_inputs(record)))


def in_inputs(record):
    return set().union(*(identifiers(value) for use in record.uses for _, value in use.inputs))


def mentioned(record):
    return in_inputs(record).union(*map(identifiers, record.texts + record.results))


def covers(words, wanted):
    shared = len(words & wanted)
    return shared >= 3 and shared * 10 >= len(wanted) * 6


def sentences(said):
    """Returns the subject words of each sentence of a text."""
    return [subject_words(unit) for kind, unit in units(said) if kind != "code"]


def said_in(records):
    """Returns the subject words of each sentence that the records say, also to tools."""
    return [words for r in records for said in r.texts + spoken_inputs(r) for words in sentences(said)]


def restatable(talk):
    return sentences(talk) + list(map(subject_words, talk.split("\n")))


def find_constraints(prompt):
    """Returns the sentences that demand how to work, and their subject words."""
    found = {one_line(unit): subject_words(unit) for kind, unit in units(prompt) if kind in ("sentence", "bullet")}
    return {sentence: words for sentence, words in found.items() if 3 <= len(words) <= 40 and
            CUES.search(f" {re.sub('[^a-z0-9]', ' ', lower(sentence).replace(chr(39), chr(1))).replace(chr(1), chr(39))} ")}


class Known:
    """All that a session had mentioned and touched before a record."""

    def __init__(self, records):
        agents = [r for r in records if r.kind == "assistant"]
        self.files = FileNames(f for r in agents for use in r.uses for f in touched(use)[0] if f.startswith("/"))
        self.identifiers, self.heads, self.commands = set().union(*map(mentioned, records)), set(), set()
        self.constraints = {}  # and their words
        for prompt in reversed([text for r in records if r.human for text in r.texts]):
            self.constraints |= find_constraints(prompt)
        self.uses = collections.defaultdict(lambda: (0, 0))  # last use and number of uses of each item
        for i, r in enumerate(records):
            used = spoken(r) | in_inputs(r) if r.kind == "assistant" else ()
            used = [*used]
            for files, heads, command in map(touched, r.uses if r.kind == "assistant" else ()):
                for file in sorted(files):
                    self.files.add(self.files.canonical(file))
                    used.append(self.files.canonical(file))
                self.heads |= heads
                self.commands |= {command} - {""}
                used += [command] if command else []
            for item in used:
                self.uses[item] = (i, self.uses[item][1] + 1)

    def used_again(self, records):
        """Returns what the records use of it, by kind."""
        agents = [r for r in records if r.kind == "assistant"]
        uses = [touched(use) for r in agents for use in r.uses]
        said = set().union(*map(spoken, agents))
        talk = restatable("".join(t + "\n\n" for r in records for t in r.texts))
        found = {FILES: {self.files.canonical(f) for files, _, _ in uses for f in files} & self.files,
                 IDENTIFIERS: said & self.identifiers, EDITED: said.union(*map(in_inputs, agents)) & self.identifiers,
                 HEADS: {head for _, heads, _ in uses for head in heads} & self.heads,
                 COMMANDS: {command for _, _, command in uses} & self.commands,
                 CONSTRAINTS: {c for c, words in self.constraints.items() if any(covers(t, words) for t in talk)}}
        return {kind: sorted(items) for kind, items in found.items()}


class NameWeights:
    """The information of names: 1 for one in a single session, 0 for one in every session or of a standard library."""

    def __init__(self, transcripts):
        self.sessions, of_project = collections.Counter(), collections.defaultdict(set)
        for t in transcripts:
            found = set().union(*map(mentioned, t.records))
            self.sessions.update(found)
            of_project[t.file.parent] |= found
        self.projects = collections.Counter(name for found in of_project.values() for name in found)
        self.counts = ((self.sessions, len(transcripts)), (self.projects, len(of_project)))

    def of(self, name):
        module = re.match(r"([^.:]*)[.:]", name)
        if name in words_of_class("standard_name") or module and module[1] in words_of_class("standard_module"):
            return 0
        rarities = (math.log((whole + 1) / ((counts[name] or 1) + 0.5)) / math.log((whole + 1) / 1.5)
                    for counts, whole in self.counts)
        return sum(min(1, max(0, rarity)) for rarity in rarities) / 2
