"""Grok Build of xAI (OpenAI Chat Completions)."""
from .agent import Agent


class Grok(Agent):
    name = 'grok'
    program = 'grok'
    ready = 'always-approve'
    tells_trigger = False
    tokens_by_turn = True
    OPTIONS = ['-m', 'standin-model', '--always-approve', '--sandbox', 'off']

    def files(self):
        return {'.grok/config.toml': f'''[models]
default = "standin-model"

[model.standin-model]
model = "standin-model"
name = "standin"
base_url = "{self.model.url}/v1"
env_key = "STANDIN_KEY"
context_window = 200000
max_completion_tokens = 8000
'''}

    def variables(self):
        return {'STANDIN_KEY': 'none', 'GROK_DISABLE_AUTOUPDATER': '1', 'GROK_TELEMETRY_ENABLED': 'false'}

    def screen_command(self, resume):
        # Its screen does not find the sessions of -p with -c, but by their id.
        files = sorted((self.home / '.grok/sessions').glob('*/*/updates.jsonl'), key=lambda f: f.stat().st_mtime)
        return [*self.OPTIONS, *(['-r', files[0].parent.name] if resume else [])]

    def transcripts(self):
        return list((self.home / '.grok/sessions').rglob('*.jsonl'))
