"""Grok Build of xAI (OpenAI Chat Completions)."""
from .agent import Agent


class Grok(Agent):
    name = 'grok'
    program = 'grok'

    def prepare(self):
        folder = self.home / '.grok'
        folder.mkdir(parents=True)
        (folder / 'config.toml').write_text(f'''[models]
default = "standin-model"

[model.standin-model]
model = "standin-model"
name = "standin"
base_url = "{self.model.url}/v1"
env_key = "STANDIN_KEY"
context_window = 200000
max_completion_tokens = 8000
''')

    def variables(self):
        return {'STANDIN_KEY': 'none', 'GROK_DISABLE_AUTOUPDATER': '1', 'GROK_TELEMETRY_ENABLED': 'false'}

    def command(self, text, resume):
        return ['-m', 'standin-model', '--always-approve', '--sandbox', 'off', *(['-c'] if resume else []), '-p', text]

    def transcripts(self):
        return list((self.home / '.grok/sessions').rglob('*.jsonl'))
