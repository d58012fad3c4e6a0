"""Mistral Vibe (OpenAI Chat Completions). Tools of servers and helpers are called by programs in TypeScript."""
import json
import re

from .agent import Agent


class Vibe(Agent):
    name = 'vibe'
    program = 'vibe'
    programs = 'bin'
    setup_name = 'vibe'
    keeps_ids = False
    overwrites = True  # of several compactions only the last summary stays
    tokens_of = ('step', 'end', 'stray', 'summary')
    fill = 101_000
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

    def keeps_tokens(self, record):
        return super().keeps_tokens(record) and not any(call['name'] == 'run_typescript' for call in record['calls'])

    def stored_call(self, call):
        program = re.search(r'tools\.([\w.]+)\((.*)\);', call['arguments'].get('code', ''))
        if program:
            return program.group(1), json.loads(program.group(2)).values()
        edit = 'search_replace' if self.version() == '3.0.2' else 'edit'
        return {'edit': edit, 'wait': 'self.wait'}.get(call['name'], call['name']), call['arguments'].values()
