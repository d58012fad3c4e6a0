"""pi (OpenAI Chat Completions). It has no sub-agents and no headless compaction; memd does not register with its MCP yet."""
from .agent import Agent


class Pi(Agent):
    name = 'pi'
    program = 'pi'
    ready = 'standin-model'
    tokens_of = ('step', 'end', 'stray', 'summary')
    fill = 190_000
    tells_trigger = False
    OPTIONS = ['--provider', 'standin', '--model', 'standin-model', '--offline']

    def files(self):
        # Of a conversation of fewer tokens than it keeps, it makes no summary.
        return {'.pi/agent/settings.json': {'compaction': {'keepRecentTokens': 150}}, '.pi/agent/models.json': {'providers': {'standin': {
            'baseUrl': self.model.url + '/v1', 'apiKey': 'none', 'api': 'openai-completions',
            'models': [{'id': 'standin-model', 'name': 'standin', 'reasoning': False, 'input': ['text'],
                        'cost': {'input': 1, 'output': 5, 'cacheRead': 0.1, 'cacheWrite': 1}, 'contextWindow': 200000, 'maxTokens': 8192}]}}}}

    def variables(self):
        return {'PI_OFFLINE': '1', 'PI_TELEMETRY': '0'}

    def transcripts(self):
        return list((self.home / '.pi/agent/sessions').rglob('*.jsonl'))
