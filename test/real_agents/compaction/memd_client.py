"""memd as a client of MCP sees it: `memd --stdio --standalone` on a home and a data directory of its own."""

import json
import statistics
import subprocess
import time


class Memd:
    def __init__(self, program, home, data_dir, config=None):
        self.base = [program, '--home', home, '--data-dir', data_dir, *(['--config', config] if config else [])]
        self.process = None
        self.number = 0

    def ingest(self):
        done = subprocess.run([*self.base, 'ingest', '--once'], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f'memd ingest: {done.stderr.strip() or done.stdout.strip()}')

    def text(self, *arguments):
        """What a command prints."""
        done = subprocess.run([*self.base, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"memd {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def __enter__(self):
        self.process = subprocess.Popen(
            [*self.base, '--stdio', '--standalone'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.request(
            'initialize',
            {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'compaction-harness', 'version': '1'}},
        )
        self.notify('notifications/initialized')
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)

    def notify(self, method):
        self.process.stdin.write(json.dumps({'jsonrpc': '2.0', 'method': method}) + '\n')
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params}) + '\n')
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer['result']
        raise RuntimeError(f'memd ended during {method}')

    def tool(self, name, **arguments):
        """Text and structured content of a tool's answer."""
        result = self.request('tools/call', {'name': name, 'arguments': arguments})
        text = '\n'.join(part['text'] for part in result['content'] if part['type'] == 'text')
        if result.get('isError'):
            raise RuntimeError(f'{name}: {text}')
        return text, result.get('structuredContent', {})

    def milliseconds(self, name, times=5, **arguments):
        """Median time of a call, after one that warms up."""
        self.tool(name, **arguments)
        taken = []
        for _ in range(times):
            begin = time.perf_counter()
            self.tool(name, **arguments)
            taken.append((time.perf_counter() - begin) * 1000)
        return round(statistics.median(taken), 2)
