"""Decides what the model answers, from the request and the script alone: it has no state, so a repeated request gets the same answer.

The last text of the user that contains a turn's prompt selects the turn. The ids of the calls since then, which name their
step, select the step. A summary names the turn that it interrupts, so that the turn goes on after a compaction."""
import json
import re

from . import tools
from .conversation import Answer, Call

# What agents say when they want a summary of the conversation or a title.
SUMMARY_WANTED = re.compile(
    r'CONTEXT CHECKPOINT|create a (?:detailed|structured|concise|comprehensive|thorough)[^.]{0,40} summary|anchored summary'
    r'|summari[sz]e (?:the|our|this) (?:conversation|session)|coding session into a concise|<state_snapshot>|continuation (?:prompt|summary)|handoff summary'
    r'|detailed prompt for continuing|so the conversation can continue|(?:detailed )?summary of (?:the|our|this) conversation|compact(?:ing)? the conversation'
    r'|summar[^.]{0,60}(?:conversation|transcript) (?:so far|above|history)', re.I | re.S)
SIDE_QUESTION = re.compile(r'dashboard line|Do NOT call any tools|respond with plain text only|Reply with ONLY the suggestion|Existing memory files|^# Diffs:', re.I | re.M)
STEP_OF_CALL = re.compile(r'_s(-?\d+)c\d+')


def call_id(prefix, run, turn, number, step, place):
    return f'{prefix}{run}{turn}n{number}_s{step}c{place}'


def decide(script, request, project, run, prefix):
    """`script`: {'turns': {name: {'prompt', 'steps'}}, 'summary', 'summary_marker', 'title'}; `run` makes the ids unique."""
    last = request.last_text()
    if _wants_summary(script, request, last):
        text = script['summary'].replace('{unfinished}', _unfinished(script, request))
        return Answer('summary', text.replace('{messages}', str(len(request.messages))))  # so that no two are alike
    if request.answer_schema is not None:
        return Answer('json', json.dumps({**tools.example(request.answer_schema), 'title': script['title']}))
    has_tools = script.get('has_tools', True)
    if has_tools and tools.pick(request.tools, 'shell') is None or SIDE_QUESTION.search(last):
        return Answer('side', script['title'])  # a title, a line for a list: no part of the conversation
    found = _turn(script, request.messages)
    if found is None:
        return Answer('stray', f'Understood, {len(request.messages)}.')
    name, place, is_interrupted = found
    steps, after = script['turns'][name]['steps'], request.messages[place + 1:]
    if not has_tools:
        edits = [json.loads(json.dumps(s).replace('{project}', project)) for s in steps if s.get('tool') == 'edit']
        return Answer('step', steps[-1]['say'], turn=name, step=len(steps) - 1, usage=steps[-1].get('usage', {}),
                      stalls=steps[-1].get('stalls', False), tail=''.join(tools.block(edit, project) for edit in edits))
    number = _next_step(steps, after, is_interrupted)
    while number < len(steps):
        step = json.loads(json.dumps(steps[number]).replace('{project}', project).replace('{agent}', _started_agent(after)))
        step['agent'] = script.get('subagent')
        kind, offered, ident = step.get('tool'), None, f'_s{number}c0'
        if kind:
            kind, step, offered = _tool(request, kind, step)
            if kind == 'await' and tools.pick(request.tools, 'delegate') is None:
                offered = None  # nobody to wait for
            found = len({c for m in after for c in m.calls if c.endswith(f'f{number}')})
            is_wanted = offered is None or kind.startswith('mcp:')
            if found < len(step.get('find', [])) and is_wanted and (finder := tools.pick(request.tools, 'find-tool')):
                # The agent offers it when it is looked for. Each of the queries must find memd.
                kind, ident, offered = 'find-tool', f'_s{number - 1}c{found}f{number}', finder
                step = {'arguments': {'query': step['find'][found], 'limit': 8, 'max_results': 8}}
            if offered is None and not step.get('say'):
                number += 1  # the agent has no such tool
                continue
        answer = Answer('step', step.get('say', ''), step.get('think', ''), turn=name, step=number,
                        usage=step.get('usage', {}), stalls=step.get('stalls', False))
        if offered:
            answer.calls.append(Call(f'{prefix}{run}{name}n{len(request.messages)}{ident}', kind, offered,
                                     tools.arguments(offered, kind, step, project)))
        return answer
    return Answer('end', f'Done, {len(request.messages)}.', turn=name, step=number)


def _started_agent(messages):
    """The id of the sub-agent that the last results tell, for the tool that waits for it."""
    told = re.findall(r'(?:agent_id"\s*:\s*|task_ids=\[)"([0-9a-f-]{36})"', '\n'.join(r for m in messages for r in m.results.values()))
    return told[-1] if told else ''


def _wants_summary(script, request, last):
    if script['summary_marker'] in last and tools.pick(request.tools, 'shell'):
        return False  # it is the summary, with which the work goes on; without tools, the last one is quoted
    return bool(SUMMARY_WANTED.search(last) or not request.tools and SUMMARY_WANTED.search(request.system))


def _tool(request, kind, step):
    offered = tools.pick(request.tools, kind)
    if offered is None and kind == 'read':  # Codex reads with its shell
        kind, step = 'shell', {**step, 'command': 'cat ' + step['path']}
        offered = tools.pick(request.tools, kind)
    return kind, step, offered


def _unfinished(script, request):
    """What the summary says of the turn that it interrupts."""
    talk = '\n'.join([request.system, *(m.text for m in request.messages)])
    place, name = max((talk.rfind(turn['prompt']), name) for name, turn in script['turns'].items())
    if place < 0 or script['turns'][name]['steps'][-1]['say'] in talk[place:]:
        return 'nothing'
    return f'the turn {name}'


def _turn(script, messages):
    """(name, index of the message, whether a summary names it) of the turn that the conversation is in."""
    for place in range(len(messages) - 1, -1, -1):
        text = messages[place].text
        hits = [(text.rfind(turn['prompt']), name) for name, turn in script['turns'].items() if turn['prompt'] in text]
        if hits and messages[place].role == 'user':
            return max(hits)[1], place, False
        for name in script['turns']:
            if f'Unfinished: the turn {name}.' in text:
                return name, place, True
    return None


def _next_step(steps, after, is_interrupted):
    number = 0
    if is_interrupted:
        number = 1 + max((n for n, s in enumerate(steps) if s.get('usage', {}).get('input') == 'fill'), default=-1)
    for message in after:
        if message.role != 'assistant':
            continue
        told = [int(m.group(1)) for m in map(STEP_OF_CALL.search, message.calls) if m]
        if told:
            number = max(number, told[-1] + 1)
        elif message.text and not message.calls:  # a text without a call: the step whose words it has
            number = max([number] + [n + 1 for n, s in enumerate(steps) if s.get('say') and not s.get('tool') and s['say'] in message.text])
    return number
