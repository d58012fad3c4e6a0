"""OpenAI Responses."""
import json
import time

from .conversation import Message, Request, Tool, text_of

CALL_PREFIX = 'call_'


def parse(body, path):
    messages, system, found = [], body.get('instructions') or '', []
    given = body.get('input')
    for item in [{'role': 'user', 'content': given}] if isinstance(given, str) else given or []:
        kind = item.get('type', 'message')
        if kind == 'message' and item['role'] in ('system', 'developer'):
            system += text_of(item['content']) + '\n'
        elif kind == 'message':
            messages.append(Message(item['role'], text_of(item['content'])))
        elif kind.endswith('_call'):
            messages.append(Message('assistant', calls=[item.get('call_id') or item.get('id') or '']))
        elif kind.endswith('_output'):
            found += item.get('tools') or []
            named = ' '.join(t.namespace + t.name for t in _tools(item.get('tools') or []))
            messages.append(Message('user', results={item.get('call_id') or '': text_of(item.get('output')) + named}))
    answer_format = (body.get('text') or {}).get('format') or {}
    schema = answer_format.get('schema', {}) if answer_format.get('type') == 'json_schema' else None
    return Request(messages, _tools((body.get('tools') or []) + found), system, body.get('model', ''), schema, True)


def _tools(offered):
    out = []
    for t in offered:
        if t.get('type') == 'namespace':
            out += [Tool(x['name'], x.get('parameters') or {}, namespace=t['name']) for x in t.get('tools') or []]
        elif t.get('type') == 'tool_search':
            out.append(Tool('tool_search', t.get('parameters') or {}, is_search=True))
        elif t.get('name'):
            out.append(Tool(t['name'], t.get('parameters') or {}, is_freeform=t.get('type') == 'custom'))
    return out


def _items(answer, name):
    items = []
    if answer.think:
        items.append({'type': 'reasoning', 'id': 'rs_' + name, 'encrypted_content': None,
                      'summary': [{'type': 'summary_text', 'text': answer.think}]})
    if answer.say or not answer.calls:
        items.append({'type': 'message', 'id': 'msg_' + name, 'status': 'completed', 'role': 'assistant',
                      'content': [{'type': 'output_text', 'text': answer.say, 'annotations': []}]})
    for call in answer.calls:
        item = {'id': f'call{len(items)}_{name}', 'status': 'completed', 'call_id': call.id}
        if call.tool.is_freeform:
            item.update(type='custom_tool_call', name=call.tool.name, input=call.arguments)
        elif call.tool.is_search:
            item.update(type='tool_search_call', execution='client', arguments=call.arguments)
        else:
            item.update(type='function_call', name=call.tool.name, arguments=json.dumps(call.arguments))
            if call.tool.namespace:
                item['namespace'] = call.tool.namespace
        items.append(item)
    return items


def document(request, answer, name):
    t = answer.tokens
    usage = {'input_tokens': t.input, 'input_tokens_details': {'cached_tokens': t.cached}, 'output_tokens': t.output,
             'output_tokens_details': {'reasoning_tokens': 0}, 'total_tokens': t.input + t.output}
    return {'id': 'resp_' + name, 'object': 'response', 'created_at': int(time.time()), 'model': request.model, 'status': 'completed',
            'output': _items(answer, name), 'usage': usage, 'parallel_tool_calls': False, 'tools': [], 'tool_choice': 'auto',
            'error': None, 'incomplete_details': None, 'instructions': None, 'metadata': {}}


def events(request, answer, name):
    whole = document(request, answer, name)
    number = 0

    def event(kind, **more):
        nonlocal number
        number += 1
        return {'type': 'response.' + kind, 'sequence_number': number - 1, **more}
    yield event('created', response={**whole, 'status': 'in_progress', 'output': [], 'usage': None})
    for index, item in enumerate(whole['output']):
        at = {'item_id': item['id'], 'output_index': index}
        yield event('output_item.added', output_index=index, item={**item, **(
            {'content': []} if item['type'] == 'message' else {}), 'status': 'in_progress'})
        if item['type'] == 'message':
            at['content_index'] = 0
            part = item['content'][0]
            yield event('content_part.added', **at, part={**part, 'text': ''})
            for delta in answer.parts():
                yield event('output_text.delta', **at, delta=delta)
            yield event('output_text.done', **at, text=part['text'])
            yield event('content_part.done', **at, part=part)
        elif item['type'] == 'function_call':
            yield event('function_call_arguments.delta', **at, delta=item['arguments'])
            yield event('function_call_arguments.done', **at, arguments=item['arguments'])
        elif item['type'] == 'reasoning':
            at['summary_index'] = 0
            yield event('reasoning_summary_part.added', **at, part={'type': 'summary_text', 'text': ''})
            yield event('reasoning_summary_text.delta', **at, delta=item['summary'][0]['text'])
            yield event('reasoning_summary_text.done', **at, text=item['summary'][0]['text'])
        yield event('output_item.done', output_index=index, item=item)
    yield event('completed', response=whole)
