"""Gemini CLI (generateContent). It deletes and writes anew its files when it resumes a session."""
from .agent import Agent


class Gemini(Agent):
    name = 'gemini'
    program = 'gemini'
    ready = 'Type your message'
    setup_name = 'gemini'
    has_hook = True
    models = ('gemini-2.5-pro', 'gemini-2.5-flash')
    fill = 900_000
    keeps_ids = False
    tells_trigger = False
    compact_word = '/compress'
    OPTIONS = ['-m', models[0], '--yolo']
    RESUME = ['-r', 'latest']

    def files(self):
        return {'.gemini/settings.json': {
            'security': {'auth': {'selectedType': 'gemini-api-key'}}, 'general': {'enableAutoUpdate': False, 'enableAutoUpdateNotification': False},
            'ui': {'hideTips': True}, 'privacy': {'usageStatisticsEnabled': False}}}

    def variables(self):
        return {'GEMINI_API_KEY': 'none', 'GOOGLE_GEMINI_BASE_URL': self.model.url, 'GEMINI_CLI_TRUST_WORKSPACE': 'true',
                'GEMINI_TELEMETRY_ENABLED': 'false'}

    def transcripts(self):
        return list((self.home / '.gemini/tmp').rglob('chats/*'))
