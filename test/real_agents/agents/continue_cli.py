"""Continue's command line (OpenAI Chat Completions). memd registers with Continue's editors only; what sub-agents say it does not store."""
from .agent import Agent


class Continue(Agent):
    name = 'continue'
    program = 'cn'
    ready = 'Ask anything'
    # It counts itself: it compacts at 28,800 tokens, and leaves out of the summary what is beyond 36,000.
    filling = ' and on' * 15_000
    keeps_times = False
    overwrites = True
    drops_turns = True
    writes_whole_turns = True
    tells_trigger = False
    tokens_of = ('step', 'end', 'stray', 'summary')
    OPTIONS = ['--auto']
    RESUME = ['--resume']

    def files(self):
        return {'.continue/config.yaml': f'''name: standin
version: 1.0.0
schema: v1
models:
  - name: standin
    provider: openai
    model: {self.models[0]}
    apiBase: {self.model.url}/v1
    apiKey: none
    capabilities: [tool_use]
    roles: [chat]
    defaultCompletionOptions: {{contextLength: 40000, maxTokens: 4000}}
''', '.continue/.onboarding_complete': ''}

    def variables(self):
        return {'CONTINUE_CLI_ENABLE_TELEMETRY': '0', 'CONTINUE_METRICS_ENABLED': '0', 'CONTINUE_CLI_AUTO_UPDATED': '1', 'SHELL': '/bin/bash'}

    def transcripts(self):
        return list((self.home / '.continue/sessions').glob('*.json'))
