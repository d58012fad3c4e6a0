"""What an agent knew and what it used again: transcripts of Claude Code, read by the rules of docs/benchmark-details.md."""
import collections
import functools
import io
import json
import math
import pathlib
import re
from datetime import datetime

import text
from text import one_line, raw, subject_words, units, words_of_class

KINDS = ("files", "identifiers", "identifiers+edits", "command heads", "exact commands", "constraints")
FILES, IDENTIFIERS, EDITED, HEADS, COMMANDS, CONSTRAINTS = KINDS

# ---- Transcripts.

NOT_HUMAN = ("<", "[Request interrupted", "Caveat:")
WRAPPER = re.compile(r"\s*<(ide_opened_file|ide_selection|loaded_context|system-reminder|user-prompt-submit-hook)>.*?</\1>",
                     re.S)
Use = collections.namedtuple("Use", "tool inputs")  # inputs: (name, value), strings only


def _strings(value, name=""):
    if isinstance(value, str):
        yield name, raw(value)
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else ((name, part) for part in value):
            yield from _strings(part, name or key)


class Record:
    """One line. `kind`: user, assistant, boundary, summary (the platform's, at a compaction) or other."""

    def __init__(self, line, begin):
        self.begin, self.time, self.kind, self.human, self.sidechain, self.cwd = begin, 0, "other", False, False, ""
        self.texts, self.results, self.errors, self.uses = [], [], [], []
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            return
        if stamp := record.get("timestamp"):
            self.time = datetime.fromisoformat(stamp).timestamp()
        self.sidechain = record.get("isSidechain") is True or record.get("isMeta") is True
        self.cwd, kind = record.get("cwd") or "", record.get("type")
        if kind == "system" and record.get("subtype") == "compact_boundary":
            self.kind = "boundary"
        if kind not in ("user", "assistant"):
            return
        content = (record.get("message") or {}).get("content") or []
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            self._read(block)
        self.kind = "summary" if record.get("isCompactSummary") is True else kind
        if self.kind == "user" and not self.sidechain and not self.results and self.texts:
            first = self.texts[0]
            while found := WRAPPER.match(first):
                first = first[found.end():]
            self.human = bool(first.strip()) and not first.strip().startswith(NOT_HUMAN)

    def _read(self, block):
        kind = block.get("type")
        if kind == "text":
            self.texts.append(raw(block.get("text", "")))
        elif kind == "tool_use":
            self.uses.append(Use(block.get("name", ""), list(_strings(block.get("input", {})))))
        elif kind == "tool_result":
            found = [value for name, value in _strings(block.get("content", "")) if name != "type"]
            self.results += found
            self.errors += found if block.get("is_error") is True else []

    def is_talk(self):
        return self.kind in ("user", "assistant") and not self.sidechain


class Transcript:
    def __init__(self, file):
        self.file, self.id = file, file.stem
        self.bytes = file.read_bytes()
        self.records, begin = [], 0
        for line in io.BytesIO(self.bytes):
            self.records.append(Record(line, begin))
            begin += len(line)

    def talk_after(self, record, most):
        """Returns the next user and assistant records before the next compaction."""
        out = []
        for r in self.records[record:]:
            if r.kind == "boundary" or len(out) == most:
                break
            out += [r] if r.is_talk() else []
        return out


def main_transcripts(home):
    return sorted(pathlib.Path(home).glob(".claude/projects/*/*.jsonl"))


class GrowingHome:
    """A home that shows the transcripts of a corpus as they were at successive moments."""

    def __init__(self, corpus, home):
        self.files, root = {}, pathlib.Path(corpus) / ".claude/projects"
        for file in sorted(root.rglob("*.jsonl")):
            transcript = Transcript(file)
            lines = [(r.time, end) for r, end in zip(transcript.records, [
                *(r.begin for r in transcript.records[1:]), len(transcript.bytes)])]
            self.files[file] = [transcript, home / ".claude/projects" / file.relative_to(root), collections.deque(lines), 0]

    def _write(self, file, end):
        transcript, target, _, written = self.files[file]
        if end > written:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "ab") as out:
                out.write(transcript.bytes[written:end])
            self.files[file][3] = end

    def append(self, transcript, record):
        """Shows the transcript up to a record, and the results moved out of it that it names so far."""
        self._write(transcript.file, transcript.records[record].begin if record < len(transcript.records) else
                    len(transcript.bytes))
        _, target, _, written = self.files[transcript.file]
        beside = transcript.file.with_suffix("")
        for file in beside.rglob("*") if beside.is_dir() else ():
            if file.is_file() and file.suffix != ".jsonl" and file.name.encode() in transcript.bytes[:written]:
                copy = target.with_suffix("") / file.relative_to(beside)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(file.read_bytes())

    def grow(self, transcript, record):
        """Also shows the part of the other files that is older. Moments come in the order of their times."""
        for file, (_, _, lines, _) in self.files.items():
            end = 0
            while file != transcript.file and lines and lines[0][0] < transcript.records[record].time:
                end = lines.popleft()[1]
            self._write(file, end)
        self.append(transcript, record)


# ---- Names, files and commands in a text.

EXTENSIONS = set("""go ts tsx js jsx mjs md json jsonl py rs sh yml yaml toml txt sql css html cpp hpp c h mod sum log lock
java rb xml svg png com org io dev""".split())
WITH_SUBCOMMAND = set("""git go npm npx pnpm yarn cargo make gh docker kubectl python python3 node mise bun uv pip brew
dotnet task just poetry helm aws terraform systemctl entire deno composer""".split())
NO_PROGRAM = set("cd echo done do then fi if for while true false EOF else esac exit export printf set".split())
_NAME = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*|(?P<name>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)|(?P<port>\d+)\w*", re.A)
_OTHER = re.compile(r"toolu_|msg_0|[0-9A-Fa-f_-]{7,}$")
_CODE = re.compile(r"_*[^_]+_+[^_].*|[^_]*[a-z0-9][A-Z][^_]*_?|[A-Z]{1,6}\d{2,5}|E[A-Z]{4,11}", re.A)
_PORT = re.compile(r"(localhost:| :|0\.1:|port |PORT=|--port=)$")


@functools.lru_cache(None)
def identifiers(line):
    """Returns camelCase, snake_case, dotted and :: names, --flags, VARIABLES, error codes and ports."""
    out = set()
    for found in _NAME.finditer(line):
        word = found["port"] or found[0]
        if found["port"]:
            if 4 <= len(word) <= 5 and _PORT.search(line[max(0, found.start() - 10):found.start()]):
                out.add(word)
        elif 4 <= len(word) <= 60 and (not found["name"] or _is_identifier(word)):
            out.add(word)
    return out


def _is_identifier(word):
    if _OTHER.match(word) or "." in word and word.rsplit(".", 1)[1] in EXTENSIONS:
        return False
    if "." in word or ":" in word:
        return bool(re.search("[A-Z_]", word))
    return bool(_CODE.fullmatch(word))


def paths(line):
    out = set()
    for found in re.finditer(r"[\w/.+@-]+", line, re.A):
        path = re.sub(r"^(\./)+", "", found[0]).rstrip("./")
        folder, slash, name = path.rpartition("/")
        pattern = line[found.start() - 1:found.start()] in tuple("*?$~{}:") or line[found.end():found.end() + 1] in tuple("*?{[")
        if slash and not pattern and "//" not in path and "..." not in path and re.search(r".\.[A-Za-z].{0,4}$", name, re.S) \
                and re.fullmatch(r"[A-Za-z].{0,4}", name.rsplit(".", 1)[1]):
            out.add(path)
    return out


def command_heads(command):
    """Returns the program of each part of a command line, with its subcommand."""
    out = set()
    for part in re.findall(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^"';|\n&]|&(?!&|$))+""", command.split("<<")[0]):
        words = re.split(r"[ \t\r\n]+", part.strip(" \t\r\n"))
        while words and (re.match(r"[A-Za-z0-9]\w*=", words[0], re.A) or words[0] in ("sudo", "env", "time", "(", "{", "&")):
            words.pop(0)
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if not re.fullmatch(r"[A-Za-z0-9][\w+.-]*", program, re.A) or program in NO_PROGRAM:
            continue
        sub = next((w for w in words[1:] if not w.startswith("-")), "") if program in WITH_SUBCOMMAND else ""
        out.add(f"{program} {sub}" if re.fullmatch(r"[A-Za-z0-9][\w+.:-]*", sub, re.A) else program)
    return out


def normal_command(command):
    out = one_line(command)
    while out.startswith("cd ") and "&& " in out:
        out = out.split("&& ", 1)[1]
    return out


@functools.lru_cache(None)
def _name_pattern(term):
    before, behind = (r"(?<!\w)" if re.match(r"\w", term, re.A) else ""), r"(?!\w)" if re.search(r"\w$", term, re.A) else ""
    return re.compile(before + re.escape(term) + behind + ("(?!-)" if term.startswith("--") else ""), re.A)


def names(line, term):
    """Whether a text has the term other than as a part of a longer word."""
    return term in line and bool(term) and bool(_name_pattern(term).search(line))


@functools.lru_cache(None)
def _head_pattern(head):
    return re.compile(r"(?:^|[\n`'\"$|&;(>,:=/]|(?<![^\n ])[-*]|\xc2\xb7)[ \t]*" + re.escape(head) + r"(?![\w.-])", re.A)


def names_command(line, head):
    """Whether a text has the head where a command can stand. One of two words may stand anywhere."""
    return head in line and (names(line, head) if " " in head else bool(_head_pattern(head).search(line)))


@functools.lru_cache(None)
def _path_pattern(part):
    return re.compile(r"(?<![\w.-])" + re.escape(part) + r"(?![\w-]|\.[\w-])", re.A)


def _ends_with(path, end):
    return path == end or path.endswith("/" + end)


class FileNames:
    """The files that a session has touched, and what names one of them unambiguously."""

    def __init__(self):
        self.paths = set()

    def canonical(self, path):
        if path in self.paths:
            return path
        same = [known for known in self.paths if (not known.startswith("/") and _ends_with(path, known)
                                                  if path.startswith("/") else _ends_with(known, path))]
        return same[0] if len(same) == 1 else path

    @functools.lru_cache(None)
    def telling_end(self, path):
        """Returns the shortest end that no other known path has. Call when all are known."""
        ends = [path[at.end():] for at in re.finditer("/", path) if at.start() > 0]
        return next((end for end in reversed(ends) if not any(
            known != path and _ends_with(known, end) for known in self.paths)), path)

    def named_in(self, line, path):
        """Whether a text has the telling end, or its directory and on the same line its name."""
        end = self.telling_end(path)
        if end in line and _path_pattern(end).search(line):
            return True
        folder, _, name = end.rpartition("/")
        return bool(folder) and folder in line and any(
            _path_pattern(name).search(line, at.end(), len(line) if "\n" not in line[at.end():] else line.index("\n", at.end()))
            for at in _path_pattern(folder).finditer(line))


# ---- What was known before a moment, and what is used after it.

SPOKEN = ("command", "pattern", "query", "description", "prompt", "url")  # not what is written into files
CUES = tuple(f" {cue} " for cue in """don't|dont|do not|never|always|must|only|instead|make sure|ensure|should|shouldn't
without|avoid|keep|prefer|use|no need|not|rather|need to|needs to|have to|i want|i don't|please|we want|can't""".replace(
    "\n", "|").split("|"))


def input_of(use, *wanted):
    return next((value for want in wanted for name, value in use.inputs if name == want), None)


def touched(use):
    """Returns the files, command heads and the command line of a tool call."""
    file = input_of(use, "file_path", "notebook_path")
    command = input_of(use, "command") if use.tool == "Bash" else None
    files = ({file} if file is not None else set()) | (paths(command.split("<<")[0]) if command is not None else set())
    return files, *((command_heads(command), normal_command(command)) if command is not None else (set(), ""))


def spoken(record):
    return set().union(*map(identifiers, record.texts), *(
        identifiers(value) for use in record.uses for name, value in use.inputs if name in SPOKEN))


def in_inputs(record):
    return set().union(*(identifiers(value) for use in record.uses for _, value in use.inputs))


def covers(words, wanted):
    shared = len(words & wanted)
    return shared >= 3 and shared * 10 >= len(wanted) * 6


def said_in(records):
    """Returns the subject words of each sentence that the records say, also to tools."""
    said = [t for r in records for t in [*r.texts, *(v for use in r.uses for name, v in use.inputs if name in SPOKEN)]]
    return [subject_words(unit) for t in said for kind, unit in units(t) if kind != "code"]


def restatable(talk):
    """Returns the subject words of each sentence and of each line of a text."""
    return [subject_words(unit) for kind, unit in units(talk) if kind != "code"] + list(map(subject_words, talk.split("\n")))


def find_constraints(prompt):
    """Yields the sentences that demand how to work, and their subject words."""
    for kind, unit in units(prompt):
        sentence, words = one_line(unit), subject_words(unit)
        plain = f" {re.sub(r'''[^A-Za-z0-9']''', ' ', text.lower(sentence))} "
        if kind in ("sentence", "bullet") and 3 <= len(words) <= 40 and any(cue in plain for cue in CUES):
            yield sentence, words


class Known:
    """All that a session had mentioned and touched before a record."""

    def __init__(self, records):
        self.files, self.identifiers, self.heads, self.commands = FileNames(), set(), set(), set()
        self.constraints, self.uses = {}, collections.defaultdict(lambda: [0, 0])  # item: last use, number of uses
        agents = [r for r in records if r.kind == "assistant"]
        self.files.paths |= {f for r in agents for use in r.uses for f in touched(use)[0] if f.startswith("/")}
        for i, r in enumerate(records):
            self.identifiers |= in_inputs(r).union(*map(identifiers, r.texts + r.results))
            for prompt in r.texts if r.human else ():
                for sentence, words in find_constraints(prompt):
                    self.constraints.setdefault(sentence, words)
            if r.kind != "assistant":
                continue
            for term in spoken(r) | in_inputs(r):
                self._count(term, i)
            for files, heads, command in map(touched, r.uses):
                for file in sorted(files):
                    self.files.paths.add(self.files.canonical(file))
                    self._count(self.files.canonical(file), i)
                self.heads |= heads
                if command:
                    self.commands.add(command)
                    self._count(command, i)

    def _count(self, item, record):
        self.uses[item] = [record, self.uses[item][1] + 1]

    def used_again(self, records):
        """Returns what the records use of it, by kind."""
        agents = [r for r in records if r.kind == "assistant"]
        uses = [touched(use) for r in agents for use in r.uses]
        said = set().union(*map(spoken, agents))
        talk = restatable("".join(t + "\n\n" for r in records for t in r.texts))
        found = {FILES: {self.files.canonical(f) for files, _, _ in uses for f in files} & self.files.paths,
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
            found = set().union(*(in_inputs(r).union(*map(identifiers, r.texts + r.results)) for r in t.records))
            self.sessions.update(found)
            of_project[t.file.parent] |= found
        self.projects = collections.Counter(name for found in of_project.values() for name in found)
        self.all_sessions, self.all_projects = len(transcripts), len(of_project)

    @staticmethod
    def _rarity(having, all_of):
        n = max(having, all_of) + 1
        return min(1, max(0, math.log(n / (having + 0.5)) / math.log(n / 1.5)))

    def of(self, name):
        module = re.match(r"([^.:]*)[.:]", name)
        if name in words_of_class("standard_name") or module and module[1] in words_of_class("standard_module"):
            return 0
        return (self._rarity(self.sessions[name] or 1, self.all_sessions) +
                self._rarity(self.projects[name] or 1, self.all_projects)) / 2
