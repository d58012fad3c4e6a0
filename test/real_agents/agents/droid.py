"""Factory droid with a model of its user (OpenAI Chat Completions). It goes on with a session only where its cloud answers."""
from .agent import Agent


class Droid(Agent):
    name = 'droid'
    program = 'droid'
    setup_name = 'droid'
    resumes = False
    has_hook = True
    subagent = 'worker'
    replaces = True
    OPTIONS = ['exec', '--skip-permissions-unsafe', '-m', 'custom:Stand-in-0']
    ASK = []

    def files(self):
        return {'.factory/settings.json': {'enableDroidShield': False, 'cloudSessionSync': False, 'customModels': [{
            'model': self.models[0], 'displayName': 'Stand-in', 'baseUrl': self.model.url + '/v1', 'apiKey': 'none',
            'provider': 'generic-chat-completion-api', 'maxOutputTokens': 8192}]}}

    def variables(self):
        return {'FACTORY_API_KEY': 'fk-none', 'FACTORY_DISABLE_AUTOUPDATE': '1'}

    def transcripts(self):
        return list((self.home / '.factory/sessions').rglob('*.jsonl'))
