"""opencode (OpenAI Chat Completions)."""
from .agent import Agent


class OpenCode(Agent):
    name = 'opencode'
    program = 'opencode'
    ready = 'ctrl+p commands'
    tokens_of = ('step', 'end', 'stray', 'summary')
    setup_name = 'opencode'
    ASK = []

    def files(self):
        return {f'.config/{self.program}/{self.program}.json': {
            'model': 'standin/standin-model', 'small_model': 'standin/standin-model', 'autoupdate': False, 'share': 'disabled',
            'permission': {'*': 'allow'},
            'provider': {'standin': {'npm': '@ai-sdk/openai-compatible', 'name': 'standin',
                                     'options': {'baseURL': self.model.url + '/v1', 'apiKey': 'none'},
                                     'models': {'standin-model': {'name': 'standin', 'limit': {'context': 200000, 'output': 8000}}}}}}}

    def variables(self):
        return {f'{self.program.upper()}_DISABLE_{what}': '1' for what in ('AUTOUPDATE', 'MODELS_FETCH', 'SHARE')}

    def command(self, text, resume):
        return ['run', *super().command(text, resume)]
