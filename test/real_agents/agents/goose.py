"""Goose (OpenAI Chat Completions)."""
from .agent import Agent


class Goose(Agent):
    name = 'goose'
    program = 'goose-binary-linux-x64'
    setup_name = 'goose'
    ready = 'goose is ready'
    tokens_of = ('step', 'end', 'stray', 'summary')
    numbers_sessions = True
    RESUME = ['--resume']
    ASK = ['-t']

    def files(self):
        return {'.config/goose/config.yaml': '''extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
    timeout: 300
'''}

    def variables(self):
        return {'GOOSE_PROVIDER': 'openai', 'GOOSE_MODEL': self.models[0], 'OPENAI_HOST': self.model.url, 'OPENAI_API_KEY': 'none', 'GOOSE_MODE': 'auto',
                'GOOSE_DISABLE_KEYRING': '1', 'GOOSE_CONTEXT_LIMIT': '200000', 'GOOSE_TELEMETRY_ENABLED': 'false'}

    def command(self, text, resume):
        return ['run', *super().command(text, resume)]

    def screen_command(self, resume):
        return ['session', *super().screen_command(resume)]

    def compact_command(self):
        return ['run', *self.RESUME, *self.ASK, self.compact_word]

    def transcripts(self):
        return list((self.home / '.local/share/goose/sessions').glob('sessions.db*'))
