"""aider (OpenAI Chat Completions without tools). It keeps one time for each start, and what it writes lies in the project."""
from .agent import Agent, Unable


class Aider(Agent):
    name = 'aider'
    program = 'aider'
    programs = 'bin'
    has_tools = False
    resumes = False  # each start is a session, which has the texts of the earlier ones as its context
    dates_answers = tells_lines = False
    rounds_tokens = True
    ready = 'Added plan.day to the chat'
    ASK = ['--message']

    # A file that an answer names is asked for again, unless it is in the chat.
    OPTIONS = ['--restore-chat-history', '--model', 'openai/standin-model', '--edit-format', 'diff', '--yes-always', '--no-stream', '--no-show-model-warnings',
               '--no-show-release-notes', '--file', 'ferry.ini', '--file', 'notes.md', '--file', 'plan.day']

    def files(self):
        return {'.config/memd/config.yaml': f'platforms: {{aider: {{paths: [{self.project}]}}}}\n'}

    def variables(self):
        return {'OPENAI_API_KEY': 'none', 'OPENAI_API_BASE': self.model.url + '/v1', 'AIDER_ANALYTICS': 'false', 'AIDER_CHECK_UPDATE': 'false',
                'LITELLM_LOCAL_MODEL_COST_MAP': 'True'}

    def compact(self):
        raise Unable('has no command for it')

    def transcripts(self):
        return list(self.project.glob('.aider.chat.history.md'))
