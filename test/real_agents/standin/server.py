"""The stand-in: an HTTP server on loopback that answers as a script says, and its log, which is what really happened.

    with StandIn(script, project, log_path) as model: … model.port …

Each answered request is a line of JSON in the log: asked, answered (seconds since 1970), kind, turn, step, say, think, calls,
tokens, prompt (the last text of the user), results (of the calls before, by id), packs (how many of memd's hook the request
holds). `records` has the same lines."""
import gzip
import json
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import anthropic, director, gemini, openai_chat, openai_responses
from .conversation import Tokens

PACK = b'What memd remembers of the work here'  # `memd hook session-start`


def dialect(path):
    """The dialect of a path, None for other paths."""
    if path.endswith('/messages'):
        return anthropic
    if path.endswith('/chat/completions'):
        return openai_chat
    if path.endswith('/responses'):
        return openai_responses
    return gemini if path.endswith((':generateContent', ':streamGenerateContent')) else None


class StandIn:
    """One model for one agent. Thread-safe; `fill` is the input that a step with usage {"input": "fill"} reports, in tokens, and
    `filling` what it says behind its words: some agents estimate the tokens themselves."""

    def __init__(self, script, project, log_path, fill=195_000, filling='', keep_bodies=None):
        self.script, self.project, self.fill, self.filling, self.keep_bodies = script, str(project), fill, filling, keep_bodies
        self.run = f'{int(time.time() * 1000):x}'  # agents and memd take messages with equal ids for copies
        self.records = []
        self.stalled = threading.Event()  # an answer is held back
        self._closing = threading.Event()
        self._lock, self._number = threading.Lock(), 0
        self._log = open(log_path, 'a', encoding='utf-8')
        handler = type('BoundHandler', (_Handler,), {'model': self})
        self._server = ThreadingHTTPServer(('127.0.0.1', 0), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._log.close()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.port}'

    def next_number(self):
        with self._lock:
            self._number += 1
            return self._number

    def note(self, record):
        with self._lock:
            self.records.append(record)
            self._log.write(json.dumps(record, ensure_ascii=False) + '\n')
            self._log.flush()

    def tokens(self, answer, size):
        """What the answer to a request of `size` bytes is said to cost; a fourth of the input is called cached."""
        given = answer.usage.get('input')
        words = len(answer.say) + len(answer.think) + sum(len(json.dumps(c.arguments)) for c in answer.calls)
        whole = self.fill + size % 97 if given == 'fill' else given or max(4, size // 4)  # no two responses cost the same
        return Tokens(whole, answer.usage.get('output') or max(1, words // 4), 0 if given else whole // 4)

    def wait_stalled(self):
        """Holds an answer back until the server closes."""
        self.stalled.set()
        self._closing.wait()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    model = None

    def log_message(self, *_):
        pass

    def _body(self):
        if 'chunked' in (self.headers.get('transfer-encoding') or ''):
            data = b''
            while size := int(self.rfile.readline().split(b';')[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get('content-length') or 0))
        return gzip.decompress(data) if self.headers.get('content-encoding') == 'gzip' else data

    def _send(self, document, status=200):
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)

    def _stream(self, events):
        self.send_response(200)
        self.send_header('content-type', 'text/event-stream')
        self.send_header('cache-control', 'no-cache')
        self.send_header('transfer-encoding', 'chunked')
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if isinstance(event, dict) and 'type' in event else ''
            data = f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
            self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b'0\r\n\r\n')

    def _not_here(self, **more):
        self.model.note({'asked': time.time(), 'kind': 'unanswered', 'method': self.command, 'path': self.path[:200], **more})
        self._send({'error': {'message': 'not here', 'type': 'not_found_error'}}, 404)

    def do_GET(self):
        path = self.path.split('?')[0]
        if not (path.endswith('/models') or '/models/' in path):
            return self._not_here()
        names = self.model.script.get('models', ['standin-model'])
        if 'v1beta' in path:
            return self._send({'models': [{'name': 'models/' + n, 'displayName': n, 'inputTokenLimit': 200000, 'outputTokenLimit': 8192,
                                           'supportedGenerationMethods': ['generateContent', 'countTokens']} for n in names]})
        return self._send({'object': 'list', 'has_more': False, 'data': [
            {'id': n, 'object': 'model', 'type': 'model', 'display_name': n, 'created': 1, 'created_at': '2026-01-01T00:00:00Z',
             'owned_by': 'standin', 'context_length': 200000} for n in names]})

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_GET

    def do_POST(self):
        asked = time.time()
        data, path = self._body(), self.path.split('?')[0]
        number = self.model.next_number()
        if self.model.keep_bodies:
            (self.model.keep_bodies / f'{number:04}.json').write_bytes(data)
        try:
            body = json.loads(data or b'{}')
            if path.endswith(('count_tokens', ':countTokens')):
                return self._send({'input_tokens': len(data) // 4, 'totalTokens': len(data) // 4})
            spoken = dialect(path)
            if spoken is None:
                return self._not_here(body=data[:300].decode('utf-8', 'replace'))
            self._answer(spoken, body.get('request', body), path, asked, number, data)
        except ConnectionError:
            pass  # the agent was ended, or gave up
        except Exception:  # noqa: BLE001: a bug here is a line of the log, which the checker reports
            self.model.note({'asked': asked, 'kind': 'crash', 'path': path, 'error': traceback.format_exc()})
            self._send({'error': {'message': 'the stand-in failed'}}, 500)

    def _answer(self, spoken, body, path, asked, number, data):
        model = self.model
        request = spoken.parse(body, path)
        answer = director.decide(model.script, request, model.project, model.run, spoken.CALL_PREFIX)
        answer.tokens = model.tokens(answer, len(data))
        name = f'{model.run}x{number:04}'
        record = {'asked': asked, 'answered': None, 'number': number, 'kind': answer.kind, 'turn': answer.turn, 'step': answer.step,
                  'model': request.model, 'say': answer.say, 'think': answer.think if request.wants_thinking else '',
                  'calls': [{'id': c.id, 'kind': c.kind, 'name': c.tool.name, 'arguments': c.arguments} for c in answer.calls],
                  'tokens': vars(answer.tokens), 'prompt': request.last_text()[-400:],
                  'results': {k: v for m in request.messages[-4:] for k, v in m.results.items()}, 'packs': data.count(PACK)}
        if answer.stalls:
            model.note({**record, 'kind': 'stalled'})
            return model.wait_stalled()
        is_stream = body.get('stream') or 'stream' in path.lower()
        record['answered'] = time.time()
        model.note(record)  # before the answer: the agent may ask again at once
        answer.say += answer.tail + (model.filling if answer.usage.get('input') == 'fill' else '')
        if is_stream:
            return self._stream(spoken.events(request, answer, name))
        return self._send(spoken.document(request, answer, name))
