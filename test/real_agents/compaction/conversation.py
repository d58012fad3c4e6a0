"""Conversations with planted facts, made from a seed.

A conversation is what a person and an agent said and did, told once and independent of the agent that writes it down.
Facts are what somebody who continues after a compaction has to know; `asked` is a question whose answer is the fact.
A fact is recovered where one line of a text has all of its parts.
"""

import random
from dataclasses import dataclass, field


@dataclass
class Call:
    """A tool call and what comes of it. Real agents run it, so `output` and `status` follow from the project's files."""

    kind: str  # read, shell or edit
    path: str = ''  # below the project, for read and edit
    command: str = ''
    old: str = ''
    new: str = ''
    output: str = ''
    status: int = 0  # exit code of a command


@dataclass
class Turn:
    prompt: str
    calls: list = field(default_factory=list)
    answer: str = ''


@dataclass
class Fact:
    kind: str  # goal, constraint, decision, value, command, error, edit or next
    parts: list
    asked: str

    def is_in(self, text):
        lines = text.lower().split('\n')
        return any(all(part.lower() in line for part in self.parts) for line in lines)


@dataclass
class Conversation:
    name: str
    turns: list
    facts: list
    files: dict  # of the project at the start: path -> content
    compact_after: list  # numbers of the turns after which the context is compacted, ascending


@dataclass
class Scenario:
    """How a conversation is made. `target_tokens` is what the agent is told that its context holds when it compacts."""

    name: str
    description: str
    message_count: int
    target_tokens: int
    include_code: bool = True
    include_files: bool = True
    checkpoints: list = field(default_factory=list)  # numbers of turns after which the storage is recorded
    expected_compactions: int = 1
    expected_data_loss: str = ''

    def conversation(self, seed):
        return _Teller(self, seed).conversation()


SCENARIOS = [
    Scenario('token_limit', 'large messages with code until the context is full', 10, 195_000, checkpoints=[3, 6, 9]),
    Scenario(
        'multi_compaction',
        'two compactions in one session; what stood before the first is needed after the second',
        12,
        195_000,
        checkpoints=[4, 8],
        expected_compactions=2,
        expected_data_loss='earlier messages are summarised twice',
    ),
    Scenario(
        'working_state',
        'a compaction in the middle of an investigation',
        9,
        195_000,
        include_code=False,
        checkpoints=[7, 8],
        expected_data_loss='the findings of the last turns',
    ),
]

_THINGS = [
    'import of invoices',
    'sync of addresses',
    'export of routes',
    'cache of tiles',
    'queue of mails',
    'index of parts',
    'backup of photos',
    'report of hours',
    'feed of prices',
    'audit of logins',
]
_GOALS = [
    ('Make the {thing} survive a restart without losing entries.', 'survive a restart'),
    ('The {thing} has to accept files of {n} MB.', 'files of {n} MB'),
    ('Move the {thing} from polling to events.', 'from polling to events'),
    ('The {thing} must finish within {n} seconds.', 'within {n} seconds'),
    ('Let the {thing} skip entries that were seen before.', 'seen before'),
]
_CONSTRAINTS = [
    ('Never change {file}, the {team} team owns it.', ['{file}']),
    ('Please keep {file} as it is, {team} imports it.', ['{file}']),
    ('It must run with at most {n} MB of memory.', ['{n} MB']),
    ('No new dependencies in {file}.', ['dependencies', '{file}']),
    ("Don't use threads in {file}, the {team} team forbids them.", ['threads', '{file}']),
]
_DECISIONS = [
    ("I'll use {a} instead of {b}, because {b} loses entries when the disk is full.", ['{a}', '{b}']),
    ('We go with {a} and not with {b}: {b} needs a server.', ['{a}', '{b}']),
    ('I decided for {a} over {b}, since {b} cannot be read while it is written.', ['{a}', '{b}']),
]
_WAYS = [
    'a journal file',
    'a table in SQLite',
    'an append-only log',
    'a lock file',
    'a ring buffer',
    'a sorted list',
    'a bloom filter',
    'a checksum a block',
]
_VALUES = [
    ('The limit is {n} entries a batch.', ['{n} entries']),
    ('Retries have to wait {n} ms.', ['{n} ms']),
    ('Port {n} is reserved for it.', ['Port {n}']),
    ('Keep {n} days of history.', ['{n} days']),
]
_ERRORS = ['checksum mismatch in segment {n}', 'row {n} has no owner', 'cursor {n} points behind the end', 'lock {n} is held by nobody']
_NEXT = [
    ("Next I'll wire the {thing} to the scheduler.", 'scheduler'),
    ('I still have to write the migration of the {thing}.', 'migration of the'),
    ("I'll come back to the documentation of the {thing} once the check passes.", 'documentation of the'),
    ("The benchmark of the {thing} comes after that, I'll run it then.", 'benchmark of the'),
]
_TEAMS = ['billing', 'mobile', 'search', 'platform', 'support']
_CHORES = [
    ('What does {file} do on start-up?', 'On start-up {file} reads its settings and opens a socket.'),
    ('Is the log line in {file} too long?', 'Yes, the log line in {file} has 140 characters; two lines would do.'),
    ('Why does {file} read the environment twice?', 'It reads the environment of {file} once for defaults and once for overrides.'),
    ('Which imports of {file} are unused?', 'None of the imports of {file} is unused.'),
]
_MODULES = ['reader', 'writer', 'schema', 'policy', 'cursor', 'ledger_raw', 'clock', 'batch', 'router', 'store']


class _Teller:
    def __init__(self, scenario, seed):
        self.scenario = scenario
        self.random = random.Random(f'{scenario.name}/{seed}')
        self.seed = seed
        self.thing = self.random.choice(_THINGS)
        self.files = {}
        self.facts = []
        self.modules = self.random.sample(_MODULES, len(_MODULES))

    def conversation(self):
        must = self._must_be_known()
        turns = self._among_chores(must)
        count = self.scenario.expected_compactions
        after = [len(turns) * (k + 1) // count - 1 for k in range(count)]
        return Conversation(f'{self.scenario.name}-{self.seed}', turns, self.facts, self.files, after)

    def _number(self):
        return self.random.randint(103, 997)

    def _fill(self, pattern, **words):
        return pattern.format(thing=self.thing, **words)

    def _fact(self, kind, parts, asked):
        self.facts.append(Fact(kind, parts, asked))

    def _module(self):
        path = f'src/{self.modules.pop()}.py'
        self.files[path] = f'# {path} of the {self.thing}\nlimit = {self._number()}\n'
        return path

    def _must_be_known(self):
        """The turns with facts, in the order in which work goes on."""
        pick = self.random.choice
        n = self._number()
        goal, words = (self._fill(text, n=n) for text in pick(_GOALS))
        self._fact('goal', [self.thing, words], f'goal of the {self.thing}')
        constraint, parts = pick(_CONSTRAINTS)
        words = {'file': self._module(), 'team': pick(_TEAMS), 'n': self._number()}
        self._fact('constraint', [part.format(**words) for part in parts], f"what must be kept in mind about {words['file']}")
        read = self._module()
        turns = [
            Turn(f'{goal} {constraint.format(**words)}', [Call('read', path=read, output=self.files[read])], f"I'll start with {read}.")
        ]

        a, b = self.random.sample(_WAYS, 2)
        decision, parts = pick(_DECISIONS)
        self._fact('decision', [part.format(a=a, b=b) for part in parts], f'{a} or {b}')
        turns.append(Turn('How do you want to store it?', [], decision.format(a=a, b=b)))

        n = self._number()
        value, parts = pick(_VALUES)
        self._fact('value', [part.format(n=n) for part in parts], 'which limit or number was given')
        edited = self._module()
        old = self.files[edited].split('\n')[1]
        self._fact('edit', edited.split('/'), f'change of {edited}')
        turns.append(
            Turn(
                f'{value.format(n=n)} Put it into {edited}.',
                [Call('read', path=edited, output=self.files[edited]), Call('edit', path=edited, old=old, new=f'limit = {n}')],
                f'{edited} has it now.',
            )
        )

        suite, n = pick(['smoke', 'nightly', 'quick', 'replay']), self._number()
        self.files['tools/verify.sh'] = 'echo "suite $2 with seed $4: all steps done"\n'
        command = f'sh tools/verify.sh --suite {suite} --seed {n}'
        self._fact('command', [command], f'how is the {suite} suite run')
        turns.append(
            Turn(
                'Run the verification.',
                [Call('shell', command=command, output=f'suite {suite} with seed {n}: all steps done')],
                f'The {suite} suite passes.',
            )
        )

        error = pick(_ERRORS).format(n=self._number())
        self.files['tools/replay.sh'] = f'echo "replay: {error}" >&2\nexit 3\n'
        command = f'sh tools/replay.sh --from {self._number()}'
        self._fact('error', [error], 'which error is open')
        self._fact('failing command', [command], 'which command fails')
        plan, words = (self._fill(text) for text in pick(_NEXT))
        self._fact('next', [words], 'what is next')
        turns.append(
            Turn(
                'And the replay?',
                [Call('shell', command=command, output=f'replay: {error}', status=3)],
                f'The replay fails: {error}. {plan}',
            )
        )
        return turns

    def _among_chores(self, must):
        """Spreads the turns over the conversation; the last one is near its end."""
        count = self.scenario.message_count
        places = sorted(self.random.sample(range(1, count - 2), len(must) - 2))
        places = [0, *places, count - 1 if self.scenario.name == 'working_state' else count - 2]
        turns = []
        for at in range(count):
            turns.append(must.pop(0) if places and at == places[0] else self._chore(at))
            if places and at == places[0]:
                places.pop(0)
        return turns

    def _chore(self, at):
        path = f'src/area{at}.py'
        self.files[path] = f'# area {at}\nvalue = {at}\n'
        asked, said = self.random.choice(_CHORES)
        asked, said = asked.format(file=path), said.format(file=path)
        if self.scenario.include_code:
            asked += '\n\n```python\n' + self._code(at) + '```\n'
        calls = [Call('read', path=path, output=self.files[path])] if self.scenario.include_files else []
        return Turn(asked, calls, said)

    def _code(self, at):
        lines = [f'class Area{at}:']
        for k in range(40):
            lines.append(
                f'    def step_{at}_{k}(self, items):\n        return [item.value_{k} + {self.random.randint(1, 99)} for item in items if item.area == {at}]'
            )
        return '\n'.join(lines) + '\n'
