"""Hermes (OpenAI Chat Completions)."""
from .agent import Agent


class Hermes(Agent):
    name = 'hermes'
    program = 'hermes'
    programs = 'bin'
    compact_word = '/compress'
    tells_trigger = False
    OPTIONS = ['chat', '--yolo', '--cli', '--toolsets', 'terminal,file,delegation']
    ASK = ['-q']

    def files(self):
        return {'.hermes/config.yaml': f'''model:
  default: {self.models[0]}
  provider: custom
  base_url: {self.model.url}/v1
  api_key: none
  context_length: 200000
'''}

    def transcripts(self):
        return list((self.home / '.hermes').glob('state.db*'))
