"""Agents that are driven: the program itself runs against a stand-in that plays the conversation."""

import json
import os
import pathlib
import shutil
import signal
import tempfile

from agents.agent import processes_of
from standin.server import StandIn

from .harness import summary_of
from .texts import texts_in

# How a compaction is brought about: told to, or the model says that the context is full, at the end of a turn or inside one.
TOLD = {'claude_code', 'gemini'}
INSIDE_A_TURN = {'grok', 'opencode'}
MARKER = 'SUMMARY-OF-THE-STANDIN'
GO_ON = 'Go on with what is next, please.'


def script_of(conversation, platform):
    """The stand-in's script: the turns, and one after each compaction."""
    full = {'input': 'fill', 'output': 500}
    turns = {}
    for number, turn in enumerate(conversation.turns):
        steps = [_step(call) for call in turn.calls] + [{'say': turn.answer}]
        if number in conversation.compact_after and platform not in TOLD | INSIDE_A_TURN:
            steps[-1]['usage'] = full
        turns[f'turn{number}'] = {'prompt': turn.prompt, 'steps': steps}
    for number in conversation.compact_after:
        steps = [{'say': f'I go on after turn {number}.'}]
        if platform in INSIDE_A_TURN:
            steps.insert(0, {'tool': 'shell', 'command': 'true', 'about': 'Go on', 'usage': full})
        turns[f'on{number}'] = {'prompt': f'{GO_ON} ({number})', 'steps': steps}
    return {'title': conversation.name, 'summary': '', 'summary_marker': MARKER, 'turns': turns}


def _step(call):
    if call.kind == 'shell':
        return {'tool': 'shell', 'command': call.command, 'about': 'Run it'}
    step = {'tool': call.kind, 'path': '{project}/' + call.path}
    return {**step, 'old': call.old, 'new': call.new} if call.kind == 'edit' else step


class DrivenAgent:
    """`driver`: a class of agents/. Every turn is a process of its own."""

    keeps = 'see the own context'

    def __init__(self, driver, installed, home, project, conversation):
        self.platform = driver.name
        self.work = pathlib.Path(tempfile.mkdtemp(prefix='memd-driven-'))
        self.conversation, self.number, self.before, self.told = conversation, -1, 0, []
        script = {**script_of(conversation, driver.name), 'models': list(driver.models), 'has_tools': driver.has_tools}
        self.model = StandIn(script, project, self.work / 'requests.jsonl', driver.fill, driver.filling, self.work)
        self.agent = driver(installed, home, project, self.model)
        self.agent.prepare()
        self.program_version = f'{driver.program} {self.agent.version()}, driven'

    def close(self):
        self.agent.close_screen()
        for process in processes_of(self.agent.home):  # some leave servers behind
            os.kill(process, signal.SIGKILL)
        self.model.__exit__()
        shutil.rmtree(self.work)

    def version(self):
        return self.program_version

    def say(self, turn):
        self.number += 1
        self.before = len(self.model.records)
        self.told.append(turn)
        self._summarize(summary_of(self.told))  # pi asks for it at the end of the turn
        self._ask(f'turn{self.number}')

    def compact(self, summary, tokens):
        """Returns the context of the first request after the summary: what the model still knows."""
        self._summarize(summary)
        if self.platform in TOLD:
            self.agent.compact()
        self._ask(f'on{self.number}')
        records = self.model.records[self.before :]
        summaries = [record['number'] for record in records if record['kind'] == 'summary']
        later = [
            record['number'] for record in records if record['kind'] in ('step', 'end') and record['number'] > max(summaries, default=0)
        ]
        return self._context(later[0]) if summaries and later else ''

    def _summarize(self, summary):
        self.model.script['summary'] = (
            f'<state_snapshot>\n<summary>\n{summary}\nUnfinished: {{unfinished}}.\n{MARKER}\n</summary>\n</state_snapshot>'
        )

    def _ask(self, turn):
        printed = self.agent.ask(turn)
        if not any(record.get('turn') == turn for record in self.model.records):
            raise RuntimeError(f'the agent never asked the model for {turn}; it printed: {printed.strip()[-400:]}')

    def _context(self, number):
        """The texts and results of a request, without the system prompt."""
        body = json.loads((self.work / f'{number:04}.json').read_bytes())
        body = body.get('request', body)
        return texts_in(next(body[key] for key in ('messages', 'input', 'contents') if key in body))
