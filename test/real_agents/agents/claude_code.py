"""Claude Code (Anthropic Messages)."""
import uuid

from .agent import Agent


class ClaudeCode(Agent):
    name = 'claude_code'
    program = 'claude'
    ready = 'bypass permissions on'
    setup_name = 'claude-code'
    has_hook = True
    tokens_of = ('step', 'end', 'stray', 'summary')  # those of summaries in its account only
    models = ('claude-sonnet-4-5',)

    def files(self):
        # What the program would ask at its first start on a screen.
        return {'.claude.json': {
            'hasCompletedOnboarding': True, 'customApiKeyResponses': {'approved': ['none'], 'rejected': []},
            'bypassPermissionsModeAccepted': True,
            'projects': {str(self.project): {'hasTrustDialogAccepted': True, 'hasCompletedProjectOnboarding': True}}}}

    def variables(self):
        return {'ANTHROPIC_BASE_URL': self.model.url, 'ANTHROPIC_API_KEY': 'none', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1',
                'DISABLE_AUTOUPDATER': '1', 'CLAUDE_CODE_AUTO_COMPACT_WINDOW': '200000', 'ENABLE_TOOL_SEARCH': 'true', 'IS_SANDBOX': '1'}

    def _options(self, resume):
        if not resume:
            self.session = str(uuid.uuid4())
        return ['--permission-mode', 'bypassPermissions', '--model', self.models[0], '--resume' if resume else '--session-id', self.session]

    def command(self, text, resume):
        return [*self._options(resume), '-p', text]

    def compact_command(self):
        return [*self._options(True), '-p', '/compact']

    def screen_command(self, resume):
        return self._options(resume)

    def transcripts(self):
        return list((self.home / '.claude/projects').rglob('*.jsonl'))
