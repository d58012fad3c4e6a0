"""llm (OpenAI Chat Completions). Its tools are functions that its user gives it; it has no sub-agents, no MCP and no compaction."""
from .agent import Agent, Unable

FUNCTIONS = '''import pathlib
import subprocess


def read_file(path: str) -> str:
    "Reads a file."
    return pathlib.Path(path).read_text()


def edit_file(path: str, old_text: str, new_text: str) -> str:
    "Replaces a text of a file."
    file = pathlib.Path(path)
    file.write_text(file.read_text().replace(old_text, new_text))
    return "replaced"


def bash(command: str) -> str:
    "Runs a command."
    done = subprocess.run(["bash", "-c", command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stdout}")
    return done.stdout
'''


class Llm(Agent):
    name = 'llm'
    program = 'llm'
    programs = 'bin'
    ready = "Type 'exit' or 'quit' to exit"
    tells_edits = False
    ASK = []

    @property
    def OPTIONS(self):
        return ['-m', self.models[0], '--functions', str(self.home / 'functions.py'), '--chain-limit', '0']

    def files(self):
        return {'functions.py': FUNCTIONS, '.config/io.datasette.llm/extra-openai-models.yaml': [
            {'model_id': self.models[0], 'model_name': self.models[0], 'api_base': self.model.url + '/v1', 'supports_tools': True}]}

    def command(self, text, resume):
        return ['prompt', *super().command(text, resume)]

    def screen_command(self, resume):
        return ['chat', *super().screen_command(resume)]

    def compact(self):
        raise Unable('has no command for it')

    def transcripts(self):
        return list((self.home / '.config/io.datasette.llm').glob('logs.db*'))
