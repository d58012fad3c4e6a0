"""What all drivers share: an agent in a home and a project of its own, talking to one stand-in."""
import contextlib
import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

from .screen import Screen

TURN_SECONDS = 480  # on a busy machine Kilo begins after four minutes


class Unable(Exception):
    """The agent cannot do what a scenario asks for; the text says why."""


class Agent:
    """A driver gives `name`, `program`, its options, and what differs. One thread at a time."""
    name = ''          # as memd and the file `versions` name the agent
    program = ''
    programs = 'node_modules/.bin'  # the folder of the program, where it was installed; 'bin' of a Python program
    OPTIONS = []       # of every command line
    RESUME = ['-c']    # those for the session that exists
    ASK = ['-p']       # what stands before the prompt
    resumes = True     # else every turn without a screen is a session of its own
    subagent = ''      # the kind of its sub-agents, where it has none that the stand-in knows
    has_tools = True   # else it asks the model for texts only, edits included
    fill = 195_000     # input tokens that make the agent compact
    filling = ''       # and text, where it estimates them itself
    models = ('standin-model',)
    setup_name = ''    # of `memd setup`, where it knows the agent
    has_hook = False   # `memd setup` gives it a hook for the start of a session
    tokens_of = ('step', 'end', 'stray')  # kinds of requests whose tokens the agent keeps
    overwrites = False    # it writes its files anew, without what a compaction replaced
    drops_turns = False   # and without the turns that it replaced
    writes_whole_turns = False  # at their ends, so that of one that it compacted inside there is only what came after
    replaces = False      # it writes a transcript anew, with all that it held, in place of the old file
    numbers_sessions = False  # so that another has the number of one whose files are deleted
    keeps_ids = True      # of the model's calls
    dates_answers = True  # else they have the time of their prompt
    keeps_times = True    # else what memd reads has the time at which memd saw it first
    tells_edits = True    # else its tools are not known to change files
    tells_lines = True    # of an edit
    rounds_tokens = False  # to hundreds, and does not tell which were cached
    tokens_by_turn = False  # it keeps those of a turn at its end only
    tells_trigger = True  # of a compaction: by hand or by itself
    compact_word = '/compact'  # typed on its screen
    ready = ''         # what its screen shows when it takes input
    asks = {}          # what it may ask before: a text on the screen -> the key that answers

    def __init__(self, installed, home, project, model):
        """`installed`: folder with node/ and NAME/ (see run.sh); `model`: a StandIn, or None where only files are wanted."""
        self.bin = Path(installed) / self.name / self.programs
        self.node = Path(installed) / 'node/node_modules/.bin'
        self.home, self.project, self.model = Path(home), Path(project), model
        self.has_session = False
        self.screen = None

    # What a driver says about its agent.
    def files(self):
        """The configuration: path below the home -> text, or what is written as JSON."""
        return {}

    def prepare(self):
        """Makes the home ready."""
        for name, content in self.files().items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))

    def variables(self):
        """Variables of the environment beside the common ones."""
        return {}

    def command(self, text, resume):
        """The command line for one turn in a process of its own; `resume`: in the session that exists."""
        return [*self.OPTIONS, *(self.RESUME if resume else []), *self.ASK, text]

    def screen_command(self, resume):
        """The command line of the interactive program."""
        if not self.ready:
            raise Unable('is not driven on a screen')
        return [*self.OPTIONS, *(self.RESUME if resume else [])]

    def compact_command(self):
        """The command line that compacts the session, in a process of its own; None: only its screen can."""
        return None

    def stored_call(self, call):
        """A call of the stand-in's log as the agent stores it, where it does not keep ids: name of the tool, values of the input."""
        return call['name'], call['arguments'].values()

    def keeps_tokens(self, record):
        """Whether the agent stores the tokens of a request of the stand-in's log."""
        return record['kind'] in self.tokens_of

    def transcripts(self):
        """The files that the agent wrote about its sessions and that its user may delete."""
        return []

    def has_written(self, text):
        """Whether a text of the conversation is in the transcripts; true where the driver names none."""
        paths = self.transcripts()
        return not paths or any(text in path.read_text(errors='replace') for path in paths)

    # What scenarios do with it.
    def version(self):
        out = subprocess.run([self.program, '--version'], env=self.environment(), cwd=self.project, text=True, timeout=TURN_SECONDS,
                             stdin=subprocess.DEVNULL, capture_output=True)
        return next((w.strip('v,().') for w in (out.stdout or out.stderr).split() if w.strip('v,().')[:1].isdigit()), '?')

    def environment(self):
        return {'HOME': str(self.home), 'USER': 'dev', 'LANG': 'C.UTF-8', 'TERM': 'xterm-256color', 'TZ': 'UTC', 'NO_COLOR': '1',
                'PATH': f'{self.bin}:{self.node}:{os.environ.get("PATH", "/usr/bin:/bin")}', **self.variables()}

    def start(self, command, output=subprocess.DEVNULL):
        return subprocess.Popen([self.program, *command], env=self.environment(), cwd=self.project, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command):
        """Runs the agent until it ends; its output. Past the limit it is killed, and TimeoutError says what it printed."""
        with open(self.home / 'output.txt', 'w+b') as output:
            process = self.start(command, output)
            try:
                process.wait(TURN_SECONDS)
            except subprocess.TimeoutExpired:
                kill(process)
                output.seek(0)
                raise TimeoutError(output.read().decode('utf-8', 'replace')[-600:]) from None
            output.seek(0)
            return output.read().decode('utf-8', 'replace')

    def ask(self, name):
        """A turn of the script in a new process, the first of which begins the session."""
        out = self.run(self.command(self.model.script['turns'][name]['prompt'], self.has_session))
        self.has_session = self.resumes
        return out

    def ask_and_kill(self, name):
        """A turn that ends with `kill -9` while the model is asked: one of its steps stalls."""
        process = self.start(self.command(self.model.script['turns'][name]['prompt'], self.has_session))
        came = self.model.stalled.wait(TURN_SECONDS)
        kill(process)
        self.has_session = self.resumes
        if not came:
            raise TimeoutError('the agent never asked the step that stalls')

    def compact(self):
        """Has the agent compact its session by hand."""
        command = self.compact_command()
        if command:
            return self.run(command)
        was_open = self.screen is not None
        if not was_open:
            self.open_screen()
        before = self._answered('summary')
        self.say(self.compact_word, lambda: self._answered('summary') > before)
        self.screen.settle(4)  # it stores the summary after it has it
        if not was_open:
            self.close_screen()
        return ''

    def _answered(self, kind, turn=None):
        return sum(r['kind'] == kind and turn in (None, r['turn']) for r in self.model.records)

    # On a screen
    def open_screen(self):
        self.screen = Screen(f'{self.name}-{os.getpid()}-{time.monotonic_ns()}')
        self.screen.start([self.program, *self.screen_command(self.has_session)], self.environment(), self.project)
        self.has_session = True
        self.screen_ready()

    def screen_ready(self):
        """Waits until the program takes input; answers what it asks at its start."""
        asked = True
        while asked:
            self.screen.wait(lambda: any(text in self.screen.text() for text in (self.ready, *self.asks)), TURN_SECONDS)
            self.screen.settle()
            asked = next((key for text, key in self.asks.items() if text in self.screen.text()), None)
            if asked:
                self.screen.key(asked)
                self.screen.settle()

    def say_turn(self, name):
        """Types the prompt of a turn and waits for its last step."""
        turn = self.model.script['turns'][name]
        last = turn['steps'][-1]['say']
        before = sum(r.get('say') == last for r in self.model.records)
        self.say(turn['prompt'], lambda: sum(r.get('say') == last for r in self.model.records) > before)

    def say(self, text, until):
        """Types a line and waits until `until()` holds and the screen is still."""
        self.screen.type(text)
        self.screen.wait(until, TURN_SECONDS)
        self.screen.settle()

    def close_screen(self):
        """Ends the program and the servers that it leaves: Codex's holds the session, Cline's asks the closed screen."""
        if self.screen:
            self.screen.close()
            end_all(self.home)
        self.screen = None


def kill(process):
    """Ends a process that `start` started, with its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def processes_of(home):
    """What still runs with this home: some agents leave servers behind."""
    wanted = f'HOME={home}'.encode()
    out = []
    for environment in Path('/proc').glob('[0-9]*/environ'):
        try:
            if wanted in environment.read_bytes().split(b'\0'):
                out.append(int(environment.parent.name))
        except OSError:
            pass  # it has ended, or is not ours
    return out


def end_all(home):
    """Ends what still runs with this home, if need be the hard way."""
    for number, seconds in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        deadline = time.monotonic() + seconds
        with contextlib.ExitStack() as opened:
            waited_for = []
            for process in processes_of(home):
                try:
                    handle = os.pidfd_open(process)
                    opened.callback(os.close, handle)
                    signal.pidfd_send_signal(handle, number)
                    waited_for.append(handle)
                except ProcessLookupError:
                    pass  # it ended by itself
            for handle in waited_for:
                select.select([handle], [], [], max(deadline - time.monotonic(), 0))
