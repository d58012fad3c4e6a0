"""Mistral Vibe (OpenAI Chat Completions)."""
from .agent import Agent


class Vibe(Agent):
    name = 'vibe'
    program = 'vibe'
    programs = 'bin'
    setup_name = 'vibe'
    fill = 150_000
    ready = 'standin'
    OPTIONS = ['--yolo', '--trust']

    def files(self):
        return {'.vibe/config.toml': f'''active_model = "standin"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
auto_compact_threshold = 100000

[[providers]]
name = "standin"
api_base = "{self.model.url}/v1"
api_key_env_var = "STANDIN_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "{self.models[0]}"
provider = "standin"
alias = "standin"
auto_compact_threshold = 100000
'''}

    def variables(self):
        return {'MISTRAL_API_KEY': 'none', 'STANDIN_KEY': 'none'}
