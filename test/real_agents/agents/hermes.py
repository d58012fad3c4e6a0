"""Hermes (OpenAI Chat Completions)."""
from .agent import Agent, Unable


class Hermes(Agent):
    name = 'hermes'
    program = 'hermes'
    programs = 'bin'
    ready = '⚕ standin-model │'
    tells_trigger = False
    tokens_of = ()  # it keeps those of a session only
    OPTIONS = ['chat', '--yolo', '--cli', '--toolsets', 'terminal,file,delegation']
    ASK = ['-q']

    def files(self):
        return {'.hermes/config.yaml': f'''model:
  default: {self.models[0]}
  provider: custom
  base_url: {self.model.url}/v1
  api_key: none
  context_length: 200000
compression:
  protect_first_n: 0
  protect_last_n: 2
'''}

    def compact(self):
        raise Unable('/compress works only after a prompt in the same process')

    def transcripts(self):
        return list((self.home / '.hermes').glob('state.db*'))
