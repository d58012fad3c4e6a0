"""Plays a scenario with an agent in a directory of its own, and keeps what was done when."""
import json
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents import DRIVERS
from agents.agent import Unable, end_all
from standin.server import StandIn

FILES = {
    'notes.md': 'Ferry notes\nThe departures are in ferry.ini.\ncheck.sh proves them.\n',
    'ferry.ini': '[departures]\nday = 09:15\nnight = 22:10\n',
    'plan.day': '09:15 north island\n',
    'check.sh': 'grep -q "night = $2" ferry.ini && echo "departure $2: agreed"\n',
    'test_ferry.py': '''import unittest


class NightFerry(unittest.TestCase):
    def test_day(self):
        self.assertEqual("09:15", "09:15")

    def test_harbour(self):
        self.fail("the harbour is not open at 23:40")
''',
}


def script():
    """The turns and scenarios of scenarios.json."""
    return json.loads((Path(__file__).parent / 'scenarios.json').read_text())


def make_project(folder):
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for command in ('init -q -b main .', 'add -A', '-c user.name=Ada -c user.email=ada@example.invalid commit -qm start'):
        subprocess.run(['git', *command.split()], cwd=folder, check=True)


@dataclass
class Played:
    """What was done: `prompts` are (turn, when it was begun); `records` is the log of the stand-in."""
    agent: str
    scenario: str
    version: str
    home: Path
    project: Path
    records: list = field(default_factory=list)
    prompts: list = field(default_factory=list)
    trouble: str = ''       # why the agent did not do its part
    unable: str = ''        # why it cannot do it at all


class Play:
    """One agent, one scenario. `between(what)` is called after each action, with its word."""

    def __init__(self, agent, scenario, installed, folder, the_script=None):
        self.script = the_script or script()
        self.scenario = self.script['scenarios'][scenario]
        shutil.rmtree(folder, ignore_errors=True)
        self.home, self.project = folder / 'home', folder / 'project'
        self.home.mkdir(parents=True)
        make_project(self.project)
        driver = DRIVERS[agent]
        self.model = StandIn({**self.script, 'models': list(driver.models), 'has_tools': driver.has_tools, 'subagent': driver.subagent}, self.project, folder / 'log.jsonl', driver.fill, driver.filling)
        self.agent = driver(installed, self.home, self.project, self.model)
        self.played = Played(agent, scenario, '?', self.home, self.project, self.model.records)

    def __enter__(self):
        self.agent.prepare()
        self.played.version = self.agent.version()
        return self

    def __exit__(self, *_):
        self.end()
        self.model.__exit__()

    def end(self):
        """Ends the agent with all that it left running."""
        self.agent.close_screen()
        end_all(self.home)

    def run(self, between=lambda what: None):
        for action in self.scenario['play']:
            what, _, turn = action.partition(' ')
            if turn and not self.agent.setup_name and self._asks_memd(turn):
                continue  # memd does not register with this agent
            if turn:
                self.played.prompts.append((turn, time.time()))
            self._do(what, turn)
            between(what)
        if self.scenario.get('compacts') and not self.compactions():
            raise Unable(f'did not compact itself when {self.model.fill} tokens were reported')

    def _asks_memd(self, turn):
        return any(step.get('tool', '').startswith('mcp:') for step in self.script['turns'][turn]['steps'])

    def compactions(self):
        """How often the agent compacted: it may ask for a summary several times in a row."""
        kinds = [r['kind'] for r in self.model.records if r['kind'] in ('step', 'end', 'stray', 'summary')]
        return sum(now == 'summary' and before != 'summary' for before, now in zip([''] + kinds, kinds))

    def _do(self, what, turn):
        agent = self.agent
        if what == 'ask':
            out = agent.ask(turn)
            last = self.script['turns'][turn]['steps'][-1]['say']
            if not any(r.get('say') == last for r in self.model.records):
                raise RuntimeError(f'the turn {turn} did not come to its end: {(out or "")[-300:]}')
        elif what == 'say':
            agent.say_turn(turn)
        elif what == 'kill':
            agent.ask_and_kill(turn)
        elif what == 'new':
            agent.has_session = False
        elif what == 'delete':
            for path in agent.transcripts():
                path.unlink()
        else:
            {'open': agent.open_screen, 'close': agent.close_screen, 'compact': agent.compact}[what]()
