"""Gemini generateContent and streamGenerateContent."""
import json

from .conversation import Message, Request, Tool, text_of

CALL_PREFIX = 'fc_'


def parse(body, path):
    messages = []
    for m in body.get('contents', []):
        parts = m.get('parts') or []
        messages.append(Message('assistant' if m.get('role') == 'model' else 'user',
                                '\n'.join(p['text'] for p in parts if p.get('text') and not p.get('thought')),
                                [p['functionCall'].get('id') or '' for p in parts if 'functionCall' in p],
                                {p['functionResponse'].get('id') or '': json.dumps(p['functionResponse'].get('response'))
                                 for p in parts if 'functionResponse' in p}))
    wanted = body.get('generationConfig') or {}
    schema = wanted.get('responseJsonSchema') or wanted.get('responseSchema')
    if schema is None and wanted.get('responseMimeType') == 'application/json':
        schema = {}
    tools = [Tool(f['name'], _lower(f.get('parametersJsonSchema') or f.get('parameters') or {}))
             for t in body.get('tools') or [] for f in t.get('functionDeclarations') or []]
    return Request(messages, tools, text_of((body.get('systemInstruction') or {}).get('parts')),
                   path.split('/models/')[-1].split(':')[0], None if schema is None else _lower(schema), True)


def _lower(schema):
    """Gemini's own schemas spell types in capitals."""
    if isinstance(schema, dict):
        return {k: v.lower() if k == 'type' and isinstance(v, str) else _lower(v) for k, v in schema.items()}
    return [_lower(x) for x in schema] if isinstance(schema, list) else schema


def _chunk(request, answer, name, parts, is_last):
    t = answer.tokens
    candidate = {'content': {'role': 'model', 'parts': parts}, 'index': 0}
    if is_last:
        candidate['finishReason'] = 'STOP'
    return {'candidates': [candidate], 'modelVersion': request.model, 'responseId': name,
            'usageMetadata': {'promptTokenCount': t.input, 'candidatesTokenCount': t.output, 'totalTokenCount': t.input + t.output,
                              'cachedContentTokenCount': t.cached}}


def _parts(answer):
    parts = [{'text': answer.think, 'thought': True}] if answer.think else []
    if answer.say or not answer.calls:
        parts.append({'text': answer.say})
    return parts + [{'functionCall': {'id': c.id, 'name': c.tool.name, 'args': c.arguments}} for c in answer.calls]


def document(request, answer, name):
    return _chunk(request, answer, name, _parts(answer), True)


def events(request, answer, name):
    parts = _parts(answer)
    for n, part in enumerate(parts):
        yield _chunk(request, answer, name, [part], n == len(parts) - 1)
