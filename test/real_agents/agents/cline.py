"""Cline's command line (OpenAI Chat Completions). Without its screen it only begins sessions."""
import os
import signal

from .agent import TURN_SECONDS, Agent, Unable, processes_of


class Cline(Agent):
    name = 'cline'
    program = 'cline'
    setup_name = 'cline'
    overwrites = True
    tells_trigger = False
    # It compacts at nine tenths of the model's input, by its own estimate of three characters a token; what the model reports counts four times
    # that at most.
    filling = ' The ferry leaves, the ferry comes.' * 4500
    OPTIONS = ['--provider', 'openai-compatible', '-m', 'standin-model', '-k', 'none', '--auto-approve', 'true']

    def prepare(self):
        self.run(['auth', 'openai-compatible', '-k', 'none', '-m', 'standin-model', '-b', self.model.url + '/v1'])

    def command(self, text, resume):
        if resume:
            raise Unable('resumes on its screen only')
        return [*self.OPTIONS, text]

    def _session(self):
        files = sorted((self.home / '.cline/data/sessions').glob('*/*.json'), key=lambda f: f.stat().st_mtime)
        return next(f.parent.name for f in reversed(files))

    def screen_command(self, resume):
        return ['-i', *self.OPTIONS, *(['--id', self._session()] if resume else [])]

    def screen_ready(self):
        self.screen.wait_text('Auto-approve')
        self.screen.settle()
        if 'Try ClinePass' in self.screen.text():  # comes over the input, a moment after it
            self.screen.key('Escape')
            self.screen.settle()

    def ask(self, name):
        if not self.has_session:
            return super().ask(name)
        self.open_screen()
        try:
            self.say_turn(name)
            return self.screen.text()
        finally:
            self.close_screen()

    def ask_and_kill(self, name):
        self.open_screen()
        self.screen.type(self.model.script['turns'][name]['prompt'])
        try:
            if not self.model.stalled.wait(TURN_SECONDS):
                raise TimeoutError(self.screen.text()[-1500:])
        finally:
            for process in processes_of(self.home):
                os.kill(process, signal.SIGKILL)
            self.close_screen()

    def transcripts(self):
        return list((self.home / '.cline/data/sessions').glob('*/*.json'))
