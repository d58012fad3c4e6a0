"""opencode (OpenAI Chat Completions)."""
import json

from .agent import Agent


class OpenCode(Agent):
    name = 'opencode'
    program = 'opencode'
    ready = 'ctrl+p commands'
    tokens_of = ('step', 'end', 'stray', 'summary')
    setup_name = 'opencode'

    def prepare(self):
        folder = self.home / '.config/opencode'
        folder.mkdir(parents=True)
        (folder / 'opencode.json').write_text(json.dumps({
            'model': 'standin/standin-model', 'small_model': 'standin/standin-model', 'autoupdate': False, 'share': 'disabled',
            'permission': {'*': 'allow'},
            'provider': {'standin': {'npm': '@ai-sdk/openai-compatible', 'name': 'standin',
                                     'options': {'baseURL': self.model.url + '/v1', 'apiKey': 'none'},
                                     'models': {'standin-model': {'name': 'standin', 'limit': {'context': 200000, 'output': 8000}}}}}}))

    def variables(self):
        return {'OPENCODE_DISABLE_AUTOUPDATE': '1', 'OPENCODE_DISABLE_MODELS_FETCH': '1', 'OPENCODE_DISABLE_SHARE': '1'}

    def command(self, text, resume):
        return ['run', *(['-c'] if resume else []), text]

    def screen_command(self, resume):
        return ['-c'] if resume else []
