"""Qwen Code (OpenAI Chat Completions)."""
from .agent import Agent


class Qwen(Agent):
    name = 'qwen'
    program = 'qwen'
    setup_name = 'qwen'
    has_hook = True
    tokens_of = ('step', 'end', 'stray', 'summary')
    ready = 'Type your message'
    compact_word = '/compress'
    fill = 173_000  # beyond 177,000 it ends the session
    OPTIONS = ['--yolo']

    def files(self):
        return {'.qwen/settings.json': {
            'security': {'auth': {'selectedType': 'openai'}}, 'privacy': {'usageStatisticsEnabled': False},
            'general': {'enableAutoUpdate': False}}}

    def variables(self):
        return {'OPENAI_API_KEY': 'none', 'OPENAI_BASE_URL': self.model.url + '/v1', 'OPENAI_MODEL': self.models[0]}

    def keeps_tokens(self, record):
        return super().keeps_tokens(record) or 'Existing memory files' in record.get('prompt', '')  # its extractor of memories

    def compact_command(self):
        return self.command('/compress', True)

    def transcripts(self):
        return list((self.home / '.qwen/projects').rglob('*.jsonl'))

    def has_written(self, text):
        """Its telemetry tells a response before the record of it does, and is not read."""
        lines = (line for path in self.transcripts() for line in path.read_text(errors='replace').splitlines())
        return any(text in line and '"ui_telemetry"' not in line for line in lines)
