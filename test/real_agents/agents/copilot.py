"""GitHub Copilot CLI with a provider of its user (OpenAI Chat Completions)."""
from .agent import Agent


class Copilot(Agent):
    name = 'copilot'
    program = 'copilot'
    setup_name = 'copilot'
    tokens_of = ('step', 'end', 'stray', 'summary')
    RESUME = ['--continue']
    ready = 'standin-model'

    def variables(self):
        return {'COPILOT_OFFLINE': 'true', 'COPILOT_PROVIDER_BASE_URL': self.model.url + '/v1', 'COPILOT_PROVIDER_TYPE': 'openai',
                'COPILOT_PROVIDER_API_KEY': 'none', 'COPILOT_MODEL': self.models[0], 'COPILOT_AUTO_UPDATE': 'false', 'COPILOT_ALLOW_ALL': 'true'}

    def compact_command(self):
        return self.command('/compact', True)

    def transcripts(self):
        return list((self.home / '.copilot/session-state').rglob('events.jsonl'))
