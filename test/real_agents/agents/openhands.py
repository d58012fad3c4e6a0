"""OpenHands' command line (OpenAI Chat Completions). It condenses by the number of events only."""
from .agent import Agent


class OpenHands(Agent):
    name = 'openhands'
    program = 'openhands'
    programs = 'bin'
    setup_name = 'openhands'
    subagent = 'general-purpose'
    tokens_by_turn = True
    OPTIONS = ['--headless', '--override-with-envs', '--always-approve', '--exit-without-confirmation']
    ASK = ['-t']

    def variables(self):
        return {'LLM_MODEL': 'openai/' + self.models[0], 'LLM_BASE_URL': self.model.url + '/v1', 'LLM_API_KEY': 'none',
                'OPENHANDS_SUPPRESS_BANNER': '1', 'LITELLM_LOCAL_MODEL_COST_MAP': 'True'}

    def command(self, text, resume):
        folders = (self.home / '.openhands/conversations').glob('*')
        newest = max(folders, key=lambda f: f.stat().st_mtime, default=None)
        return [*self.OPTIONS, *(['--resume', newest.name] if resume else []), *self.ASK, text]
