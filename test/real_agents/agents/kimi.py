"""Kimi Code (OpenAI Chat Completions)."""
from .agent import Agent


class Kimi(Agent):
    name = 'kimi'
    program = 'kimi'
    setup_name = 'kimi'
    ready = 'context: '
    subagent = 'coder'
    tokens_of = ('step', 'end', 'stray', 'summary')
    tells_trigger = False  # in another record than the summary
    asks = {'Trust this folder?': 'Enter'}

    def variables(self):
        return {'KIMI_MODEL_NAME': self.models[0], 'KIMI_MODEL_PROVIDER_TYPE': 'openai', 'KIMI_MODEL_BASE_URL': self.model.url + '/v1',
                'KIMI_MODEL_API_KEY': 'none', 'KIMI_MODEL_MAX_CONTEXT_SIZE': '200000', 'KIMI_CODE_NO_AUTO_UPDATE': '1'}

    def screen_command(self, resume):
        return ['--auto', *super().screen_command(resume)]

    def transcripts(self):
        return list((self.home / '.kimi-code/sessions').rglob('wire.jsonl'))
