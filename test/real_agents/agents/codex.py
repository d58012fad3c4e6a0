"""Codex (OpenAI Responses)."""
from .agent import Agent


class Codex(Agent):
    name = 'codex'
    program = 'codex'
    ready = 'GPT-5.5 default'
    setup_name = 'codex'
    has_hook = True
    models = ('gpt-5.5',)
    tells_trigger = False
    tokens_of = ('step', 'end', 'stray', 'summary')

    def files(self):
        return {'.codex/config.toml': f'''model = "{self.models[0]}"
model_provider = "standin"
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_auto_compact_token_limit = 150000
check_for_update_on_startup = false

[model_providers.standin]
name = "standin"
base_url = "{self.model.url}/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"

[projects."{self.project}"]
trust_level = "trusted"

[notice.model_migrations]  # no question at the start about a newer model
"{self.models[0]}" = "gpt-6-sol"
'''}

    def variables(self):
        return {'STANDIN_KEY': 'none'}

    def command(self, text, resume):
        return ['exec', *(['resume', '--last'] if resume else []), '--dangerously-bypass-hook-trust', text]

    def screen_command(self, resume):
        # `--last` finds no session of `codex exec` here: its id is the end of the file's name.
        return ['resume', min(self.transcripts()).stem[-36:]] if resume else []

    def transcripts(self):
        return list((self.home / '.codex/sessions').rglob('*.jsonl'))
