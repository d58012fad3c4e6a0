"""OpenAI Chat Completions."""
import json
import time

from .conversation import Message, Request, Tool, text_of

CALL_PREFIX = 'call_'


def parse(body, path):
    messages, system = [], ''
    for m in body.get('messages', []):
        text = text_of(m.get('content'))
        if m['role'] in ('system', 'developer'):
            system += text + '\n'
        elif m['role'] == 'tool':
            messages.append(Message('user', results={m['tool_call_id']: text}))
        else:
            messages.append(Message(m['role'], text, [c['id'] for c in m.get('tool_calls') or []]))
    schema = body.get('response_format')
    if schema is not None:
        schema = None if schema.get('type') == 'text' else (schema.get('json_schema') or {}).get('schema', {})
    tools = [Tool(t['function']['name'], t['function'].get('parameters') or {}) for t in body.get('tools') or [] if t.get('function')]
    return Request(messages, tools, system, body.get('model', ''), schema)


def _usage(answer):
    t = answer.tokens
    return {'prompt_tokens': t.input, 'completion_tokens': t.output, 'total_tokens': t.input + t.output,
            'prompt_tokens_details': {'cached_tokens': t.cached}}


def _calls(answer):
    return [{'index': n, 'id': c.id, 'type': 'function', 'function': {'name': c.tool.name, 'arguments': json.dumps(c.arguments)}}
            for n, c in enumerate(answer.calls)]


def _base(request, name, kind):
    return {'id': 'chatcmpl-' + name, 'object': kind, 'created': int(time.time()), 'model': request.model}


def document(request, answer, name):
    message = {'role': 'assistant', 'content': answer.say or None}
    if answer.calls:
        message['tool_calls'] = [{k: v for k, v in c.items() if k != 'index'} for c in _calls(answer)]
    return {**_base(request, name, 'chat.completion'), 'usage': _usage(answer),
            'choices': [{'index': 0, 'message': message, 'finish_reason': 'tool_calls' if answer.calls else 'stop'}]}


def events(request, answer, name):
    base = _base(request, name, 'chat.completion.chunk')

    def chunk(delta, finish=None):
        return {**base, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]}
    yield chunk({'role': 'assistant', 'content': ''})
    if answer.think:
        yield chunk({'reasoning_content': answer.think})
    for part in answer.parts():
        yield chunk({'content': part})
    for call in _calls(answer):
        yield chunk({'tool_calls': [call]})
    yield chunk({}, 'tool_calls' if answer.calls else 'stop')
    yield {**base, 'choices': [], 'usage': _usage(answer)}
    yield '[DONE]'
