"""Anthropic Messages."""
import json

from .conversation import Message, Request, Tool, text_of

CALL_PREFIX = 'toolu_'


def parse(body, path):
    messages = []
    for m in body.get('messages', []):
        blocks = m['content'] if isinstance(m['content'], list) else [{'type': 'text', 'text': m['content']}]
        messages.append(Message(m['role'], '\n'.join(b['text'] for b in blocks if b.get('type') == 'text'),
                                [b['id'] for b in blocks if b.get('type') == 'tool_use'],
                                {b['tool_use_id']: text_of(b.get('content')) for b in blocks if b.get('type') == 'tool_result'}))
    found = {name for m in messages for text in m.results.values() for name in text.split('\n')}  # tools that a search has named
    answer_format = body.get('output_format') or (body.get('output_config') or {}).get('format')
    return Request(messages, [Tool(t['name'], t.get('input_schema') or {}) for t in body.get('tools') or []
                              if not t.get('defer_loading') or t['name'] in found],
                   text_of(body.get('system')), body.get('model', ''), answer_format and answer_format.get('schema', {}),
                   (body.get('thinking') or {}).get('type') in ('enabled', 'adaptive'))


def _content(request, answer):
    content = []
    if answer.think and request.wants_thinking:
        content.append({'type': 'thinking', 'thinking': answer.think, 'signature': 'c3RhbmRpbg=='})
    if answer.say or not answer.calls:
        content.append({'type': 'text', 'text': answer.say})
    return content + [{'type': 'tool_use', 'id': c.id, 'name': c.tool.name, 'input': c.arguments} for c in answer.calls]


def _head(request, answer, name):
    usage = {'input_tokens': answer.tokens.input - answer.tokens.cached, 'output_tokens': answer.tokens.output,
             'cache_creation_input_tokens': 0, 'cache_read_input_tokens': answer.tokens.cached}
    message = {'id': 'msg_' + name, 'type': 'message', 'role': 'assistant', 'model': request.model, 'content': [],
               'stop_reason': 'tool_use' if answer.calls else 'end_turn', 'stop_sequence': None, 'usage': usage}
    return message, usage


def document(request, answer, name):
    return {**_head(request, answer, name)[0], 'content': _content(request, answer)}


def events(request, answer, name):
    message, usage = _head(request, answer, name)
    yield {'type': 'message_start', 'message': {**message, 'stop_reason': None, 'usage': {**usage, 'output_tokens': 1}}}
    for index, block in enumerate(_content(request, answer)):
        if block['type'] == 'text':
            start, deltas = {'type': 'text', 'text': ''}, [{'type': 'text_delta', 'text': p} for p in answer.parts()]
        elif block['type'] == 'thinking':
            start = {'type': 'thinking', 'thinking': '', 'signature': ''}
            deltas = [{'type': 'thinking_delta', 'thinking': block['thinking']},
                      {'type': 'signature_delta', 'signature': block['signature']}]
        else:
            start = {**block, 'input': {}}
            deltas = [{'type': 'input_json_delta', 'partial_json': json.dumps(block['input'])}]
        yield {'type': 'content_block_start', 'index': index, 'content_block': start}
        for delta in deltas:
            yield {'type': 'content_block_delta', 'index': index, 'delta': delta}
        yield {'type': 'content_block_stop', 'index': index}
    yield {'type': 'message_delta', 'delta': {'stop_reason': message['stop_reason'], 'stop_sequence': None}, 'usage': usage}
    yield {'type': 'message_stop'}
