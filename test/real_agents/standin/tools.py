"""Which of the agent's tools does what a step of a scenario asks for, and the arguments in that tool's own words."""
import json
import os

NAMES = {
    'read': ['Read', 'read_file', 'read', 'view', 'ReadFile', 'read_files', 'file_editor'],
    'shell': ['Bash', 'bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell', 'run_terminal_cmd',
              'run_terminal_command', 'execute_command', 'run_commands', 'Execute', 'terminal'],
    'edit': ['Edit', 'edit', 'replace', 'edit_file', 'search_replace', 'replace_in_file', 'editor', 'file_editor', 'apply_patch', 'patch'],
    'delegate': ['Agent', 'Task', 'task', 'agent', 'spawn_agent', 'delegate', 'delegate_task', 'invoke_agent', 'generalist', 'spawn_subagent'],
    'await': ['wait_agent', 'wait', 'get_command_or_subagent_output'],
    'finish': ['complete_task'],
    'find-tool': ['tool_search', 'ToolSearch', 'search_tool', 'search_tool_functions'],
}
PARAMETERS = {
    'path': ['file_path', 'filePath', 'filepath', 'absolute_path', 'path', 'target_file'],
    'command': ['command', 'cmd', 'commands'],
    'old': ['old_string', 'oldString', 'old_text', 'oldText', 'old_str', 'old', 'before'],
    'new': ['new_string', 'newString', 'new_text', 'newText', 'new_str', 'new', 'after'],
    'prompt': ['prompt', 'message', 'task', 'objective', 'instructions', 'goal'],
    'about': ['description', 'explanation', 'instruction', 'task_name'],
    'result': ['result', 'output'],
    'agent': ['subagent_type', 'agent_name'],
}
THROUGH = {'use_tool': ('memd__', 'tool_name', 'tool_input'),  # tools that call others, which are found by a search
           'tool_call': ('mcp__memd__', 'name', 'arguments'),
           'run_typescript': None}
EDITOR = {'read': 'view', 'edit': 'str_replace'}  # commands of file_editor
SUBAGENTS = {'Agent': 'general-purpose', 'agent': 'general-purpose', 'Task': 'general-purpose', 'task': 'general', 'invoke_agent': 'generalist',
             'spawn_subagent': 'general-purpose'}


def pick(tools, kind):
    """The offered tool that does `kind`, or None. 'mcp:NAME' is the tool NAME of an MCP server."""
    if kind.startswith('mcp:'):
        wanted = kind[4:]
        return next((t for t in tools if t.name == wanted or t.name.endswith(('_' + wanted, '-' + wanted))), None) or \
            next((t for t in tools if t.name in THROUGH), None)
    by_name = {t.name: t for t in tools}
    names = NAMES[kind] + ['run_typescript'] * (kind == 'delegate')
    return next((by_name[n] for n in names if n in by_name), None)


def patch(step, project):
    """The edit as a text for apply_patch."""
    lines = ['*** Begin Patch', '*** Update File: ' + os.path.relpath(step['path'], project), '@@']
    lines += ['-' + line for line in step['old'].split('\n')] + ['+' + line for line in step['new'].split('\n')]
    return '\n'.join(lines + ['*** End Patch', ''])


def block(step, project):
    """The edit in the text of an answer, for agents without tools."""
    return f"\n\n{os.path.relpath(step['path'], project)}\n```\n<<<<<<< SEARCH\n{step['old']}\n=======\n{step['new']}\n>>>>>>> REPLACE\n```"


def arguments(tool, kind, step, project):
    """The arguments of a call of `tool`. `step` has path, command, old, new, prompt, about, or `arguments` as they are."""
    if tool.name == 'run_typescript':
        called, given = (f'mcp_memd.{kind[4:]}', step['arguments']) if 'arguments' in step else \
            ('agents.spawn', {'name': 'count_lines', 'message': step['prompt']})
        return {'code': f'return await tools.{called}({json.dumps(given)});'}
    if 'arguments' in step:
        if tool.name in THROUGH:
            prefix, name, given = THROUGH[tool.name]
            return {name: prefix + kind[4:], given: step['arguments']}
        # What the agent itself requires of a tool of a server, as OpenHands its security_risk, is not in the scenario.
        added = tool.schema.get('required') or [] if kind.startswith('mcp:') else []
        return {**{name: _default(tool.schema['properties'].get(name) or {}, step) for name in added}, **_known(tool.schema, step['arguments'])}
    if tool.is_freeform:
        return patch(step, project) if tool.name == 'apply_patch' else step.get('command', '')
    properties = tool.schema.get('properties') or {}
    if kind == 'delegate':
        step = {**step, 'agent': step.get('agent') or SUBAGENTS.get(tool.name, 'default')}
    out = _fill(properties, step)
    for name in ('input', 'patchText'):
        if tool.name == 'apply_patch' and name in properties:
            out[name] = patch(step, project)
    if tool.name == 'file_editor':
        out['command'] = EDITOR[kind]
    if 'files' in properties and kind == 'read':
        out['files'] = [{'path': step['path']}]
    if 'edits' in properties:
        out['edits'] = [_fill(properties['edits']['items']['properties'], step)]
    if tool.name == 'spawn_agent' and 'task_name' in properties:
        out['task_name'] = 'count_lines'
    for name in tool.schema.get('required') or []:
        if name not in out:
            out[name] = _default(properties.get(name) or {}, step)
    return out


def _known(schema, given):
    properties = schema.get('properties')
    return {k: v for k, v in given.items() if k in properties} if properties else given


def _fill(properties, step):
    out = {}
    for key, names in PARAMETERS.items():
        name = next((n for n in names if n in properties), None)
        if name is None or key not in step:
            continue
        value, schema = step[key], properties[name]
        if _type(schema) == 'array':
            items = schema.get('items') or {}
            value = [_fill(items['properties'], step)] if items.get('properties') else [value]
        out[name] = value
    return out


def _type(schema):
    kind = schema.get('type')
    for other in schema.get('anyOf') or schema.get('oneOf') or []:
        kind = kind or other.get('type')
    return next((k for k in kind if k != 'null'), None) if isinstance(kind, list) else kind


def _default(schema, step):
    if schema.get('enum'):
        return schema['enum'][0]
    return {'boolean': False, 'integer': schema.get('default', 10), 'number': schema.get('default', 10), 'array': [],
            'object': {}}.get(_type(schema), step.get('about') or 'as asked')


def example(schema):
    """The smallest value that a JSON schema allows."""
    if schema.get('enum'):
        return schema['enum'][0]
    kind = _type(schema)
    if kind == 'object' or schema.get('properties'):
        return {k: example(v) for k, v in (schema.get('properties') or {}).items()}
    if kind == 'array':
        return []
    return {'boolean': False, 'integer': schema.get('minimum', 1), 'number': schema.get('minimum', 1)}.get(kind, 'stand-in')
