"""Qwen Code (OpenAI Chat Completions)."""
from .agent import Agent


class Qwen(Agent):
    name = 'qwen'
    program = 'qwen'
    setup_name = 'qwen'
    has_hook = True
    ready = 'Type your message'
    compact_word = '/compress'
    OPTIONS = ['--yolo']

    def files(self):
        return {'.qwen/settings.json': {
            'security': {'auth': {'selectedType': 'openai'}}, 'privacy': {'usageStatisticsEnabled': False},
            'general': {'enableAutoUpdate': False}}}

    def variables(self):
        return {'OPENAI_API_KEY': 'none', 'OPENAI_BASE_URL': self.model.url + '/v1', 'OPENAI_MODEL': self.models[0]}

    def compact_command(self):
        return self.command('/compress', True)

    def transcripts(self):
        return list((self.home / '.qwen/projects').rglob('*.jsonl'))
