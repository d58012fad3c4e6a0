"""Agents that cannot be driven without their service: their records, written as the program writes them.

Each class writes the whole session anew after every turn, as text or rows of the same shape that adapters read. The
time of a record is made up: one second a record from START on.
"""

import json
import os
import sqlite3
from datetime import datetime, timezone
from urllib.parse import quote

START = 1_790_000_000  # seconds since the epoch


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')


class RecordedAgent:
    platform = ''
    written_as = ''  # where the shape of the records is from
    keeps = ''  # what stays in the context beside the summary, as far as it is known

    def __init__(self, home, project, number):
        self.home, self.project, self.number = home, project, number
        self.seconds = START + number * 86_400
        self.records = []

    def version(self):
        return self.written_as

    def tick(self):
        self.seconds += 1
        return self.seconds

    def path(self, name):
        return os.path.join(self.project, name)

    def say(self, turn):
        self.user(turn.prompt)
        for n, call in enumerate(turn.calls):
            self.call(call, f'call-{self.number}-{len(self.records)}-{n}')
        self.answer(turn.answer)
        self.write()

    def compact(self, summary, tokens):
        """Writes what the program records of a compaction. Returns the context with which the model continues."""
        self.compaction(summary, tokens)
        self.write()
        return summary

    def close(self):
        pass

    def put(self, relative, text):
        path = os.path.join(self.home, relative)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as out:
            out.write(text)


class Grok(RecordedAgent):
    platform = 'grok'
    written_as = 'records of Grok Build (xai-org/grok-build, updates.jsonl)'
    keeps = 'the summary alone'

    def __init__(self, home, project, number):
        super().__init__(home, project, number)
        self.id = f'019f0000-0000-7000-8000-{number:012d}'
        self.turn = 0

    def update(self, update, method='session/update', **meta):
        at = self.tick()
        meta = {'eventId': f'{self.id}-{len(self.records)}', 'agentTimestampMs': at * 1000, **meta}
        self.records.append({'timestamp': at, 'method': method, 'params': {'sessionId': self.id, 'update': update, '_meta': meta}})

    def user(self, text):
        self.turn += 1
        self.update(
            {'sessionUpdate': 'user_message_chunk', 'content': {'type': 'text', 'text': text}, '_meta': {'promptIndex': self.turn}},
            promptId=f'p{self.turn}',
        )

    def call(self, call, id):
        name = {'read': 'read_file', 'shell': 'run_terminal_command', 'edit': 'search_replace'}[call.kind]
        given = {'command': call.command} if call.kind == 'shell' else {'file_path': self.path(call.path)}
        if call.kind == 'edit':
            given |= {'old_string': call.old, 'new_string': call.new}
        self.update(
            {'sessionUpdate': 'tool_call', 'toolCallId': id, 'title': name, 'rawInput': given, '_meta': {'x.ai/tool': {'name': name}}},
            promptId=f'p{self.turn}',
        )
        content = [{'type': 'content', 'content': {'type': 'text', 'text': call.output}}]
        if call.kind == 'edit':
            content = [{'type': 'diff', 'path': self.path(call.path), 'oldText': call.old, 'newText': call.new}]
        self.update(
            {'sessionUpdate': 'tool_call_update', 'toolCallId': id, 'status': 'failed' if call.status else 'completed', 'content': content},
            promptId=f'p{self.turn}',
        )

    def answer(self, text):
        self.update({'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': text}}, promptId=f'p{self.turn}')
        self.update(
            {
                'sessionUpdate': 'turn_completed',
                'prompt_id': f'p{self.turn}',
                'stop_reason': 'end_turn',
                'usage': {'inputTokens': 1000, 'outputTokens': 50, 'totalTokens': 1050, 'cachedReadTokens': 0, 'modelCalls': 1},
            },
            '_x.ai/session/update',
        )

    def compaction(self, summary, tokens):
        self.update({'sessionUpdate': 'auto_compact_started'}, '_x.ai/session/update')
        self.update(
            {'sessionUpdate': 'auto_compact_completed', 'tokens_before': tokens, 'tokens_after': len(summary) // 4}, '_x.ai/session/update'
        )

    def write(self):
        folder = f".grok/sessions/{quote(self.project, safe='')}/{self.id}"
        self.put(f'{folder}/updates.jsonl', ''.join(json.dumps(record) + '\n' for record in self.records))
        self.put(
            f'{folder}/summary.json',
            json.dumps(
                {
                    'info': {'id': self.id, 'cwd': self.project},
                    'generated_title': f'session {self.number}',
                    'created_at': iso(self.records[0]['timestamp']),
                    'last_active_at': iso(self.seconds),
                    'current_model_id': 'grok-4.5-build',
                    'num_messages': self.turn * 2,
                }
            ),
        )


class Cline(RecordedAgent):
    platform = 'cline'
    written_as = 'records of the Cline extension (cline/cline, ui_messages.json and api_conversation_history.json)'
    keeps = 'the summary, and the files that it names'

    def __init__(self, home, project, number):
        super().__init__(home, project, number)
        self.id = str(self.seconds * 1000)
        self.ui, self.api, self.first = [], [], True

    def show(self, kind, name, text):
        self.records.append(name)
        self.ui.append(
            {
                'ts': self.tick() * 1000,
                'type': kind,
                kind: name,
                'text': text,
                'partial': False,
                'conversationHistoryIndex': len(self.api) - 1,
                'modelInfo': {'providerId': 'anthropic', 'modelId': 'claude-sonnet-4-5', 'mode': 'act'},
            }
        )

    def user(self, text):
        self.show('say', 'task' if self.first else 'user_feedback', text)
        tag = 'task' if self.first else 'user_message'
        self.first = False
        self.request({'type': 'text', 'text': f'<{tag}>\n{text}\n</{tag}>'})

    def request(self, content):
        """Says that the model is asked, which comes before what it is asked with. Each result of a tool asks it again."""
        text = content.get('text') or content['content']
        self.show(
            'say',
            'api_req_started',
            json.dumps({'request': text[:40], 'tokensIn': 1000, 'tokensOut': 50, 'cacheWrites': 0, 'cacheReads': 0, 'cost': 0.01}),
        )
        self.api.append({'role': 'user', 'content': [content]})

    def call(self, call, id):
        name = {'read': 'read_file', 'shell': 'execute_command', 'edit': 'replace_in_file'}[call.kind]
        diff = f'------- SEARCH\n{call.old}\n=======\n{call.new}\n+++++++ REPLACE\n'
        given = {'command': call.command, 'requires_approval': False} if call.kind == 'shell' else {'path': call.path}
        if call.kind == 'edit':
            given['diff'] = diff
        if call.kind == 'shell':
            self.show('ask', 'command', call.command)
            self.show('say', 'command_output', call.output)
        elif call.kind == 'read':
            self.show('say', 'tool', json.dumps({'tool': 'readFile', 'path': call.path, 'content': self.path(call.path)}))
        else:
            self.show('say', 'tool', json.dumps({'tool': 'editedExistingFile', 'path': call.path, 'content': diff}))
        self.api.append({'role': 'assistant', 'content': [{'type': 'tool_use', 'id': id, 'name': name, 'input': given}]})
        target = call.command if call.kind == 'shell' else call.path
        output = f'Command exited with code {call.status}.\n{call.output}' if call.status else call.output
        self.request({'type': 'tool_result', 'tool_use_id': id, 'content': f"[{name} for '{target}'] Result:\n{output}"})

    def answer(self, text):
        self.show('say', 'text', text)
        self.api.append({'role': 'assistant', 'content': [{'type': 'text', 'text': text}]})

    def compaction(self, summary, tokens):
        id = f'summarize-{len(self.api)}'
        self.api.append(
            {'role': 'assistant', 'content': [{'type': 'tool_use', 'id': id, 'name': 'summarize_task', 'input': {'context': summary}}]}
        )
        self.show('say', 'tool', json.dumps({'tool': 'summarizeTask', 'content': summary}))

    def write(self):
        folder = f'.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/{self.id}'
        self.put(f'{folder}/ui_messages.json', json.dumps(self.ui))
        self.put(f'{folder}/api_conversation_history.json', json.dumps(self.api))
        self.put(
            '.config/Code/User/globalStorage/saoudrizwan.claude-dev/state/taskHistory.json',
            json.dumps([{'id': self.id, 'ts': self.seconds * 1000, 'task': self.ui[0]['text'], 'cwdOnTaskInitialization': self.project}]),
        )


class Cursor(RecordedAgent):
    platform = 'cursor'
    written_as = 'records of Cursor 3 (state.vscdb: composerData and bubbleId rows)'
    keeps = "the summary; it stays in Cursor's back end and is not on disk"

    def __init__(self, home, project, number):
        super().__init__(home, project, number)
        self.id = f'aaaaaaaa-0000-4000-8000-{number:012d}'

    def bubble(self, type, text, **more):
        id = f'bbbbbbbb-{self.number:04d}-4000-8000-{len(self.records):012d}'
        self.records.append(
            {
                '_v': 3,
                'type': type,
                'bubbleId': id,
                'text': text,
                'createdAt': iso(self.tick()),
                'tokenCount': {'inputTokens': 0, 'outputTokens': 0},
                **more,
            }
        )

    def user(self, text):
        self.bubble(1, text, workspaceUris=[f'file://{quote(self.project)}'])

    def call(self, call, id):
        if call.kind == 'shell':
            name, given, result = (
                'run_terminal_command_v2',
                {'command': call.command, 'is_background': False},
                {'output': call.output + '\n', 'exitCode': call.status},
            )
        elif call.kind == 'read':
            name, given, result = 'read_file_v2', {'target_file': call.path}, {'contents': call.output}
        else:
            name, given = 'search_replace', {'file_path': self.path(call.path), 'old_string': call.old, 'new_string': call.new}
            result = {'diff': {'chunks': [{'diffString': f'-{call.old}\n+{call.new}', 'linesAdded': 1, 'linesRemoved': 1}]}}
        self.bubble(
            2,
            '',
            capabilityType=15,
            toolFormerData={
                'tool': 1,
                'toolCallId': id,
                'status': 'completed',
                'name': name,
                'rawArgs': json.dumps(given),
                'params': '{}',
                'result': json.dumps(result),
            },
        )

    def answer(self, text):
        self.bubble(2, text, modelInfo={'modelName': 'claude-4.5-sonnet'})

    def compaction(self, summary, tokens):
        pass

    def write(self):
        self.put('.config/Cursor/User/workspaceStorage/ws1/workspace.json', json.dumps({'folder': f'file://{quote(self.project)}'}))
        path = os.path.join(self.home, '.config/Cursor/User/globalStorage/state.vscdb')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        composer = {
            '_v': 16,
            'composerId': self.id,
            'richText': '',
            'text': '',
            'status': 'completed',
            'unifiedMode': 'agent',
            'name': f'session {self.number}',
            'createdAt': (START + self.number * 86_400) * 1000,
            'lastUpdatedAt': self.seconds * 1000,
            'fullConversationHeadersOnly': [{'bubbleId': bubble['bubbleId'], 'type': bubble['type']} for bubble in self.records],
        }
        header = {
            'name': composer['name'],
            'workspaceIdentifier': {'id': 'ws1', 'uri': {'external': f'file://{quote(self.project)}', 'fsPath': self.project}},
        }
        with sqlite3.connect(path) as db:
            db.execute('CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
            db.execute('CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
            db.execute(
                'CREATE TABLE IF NOT EXISTS composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,'
                ' isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT, subagentTypeName TEXT)'
            )
            rows = [(f'composerData:{self.id}', composer)] + [
                (f"bubbleId:{self.id}:{bubble['bubbleId']}", bubble) for bubble in self.records
            ]
            db.executemany('INSERT INTO cursorDiskKV VALUES (?, ?)', [(key, json.dumps(value)) for key, value in rows])
            db.execute(
                "INSERT OR REPLACE INTO composerHeaders VALUES (?, 'ws1', ?, ?, 0, 0, 0, 0, ?, NULL)",
                (self.id, composer['createdAt'], composer['lastUpdatedAt'], json.dumps(header)),
            )
        db.close()


class Thunderus(RecordedAgent):
    platform = 'thunderus'
    written_as = 'events.v1 (docs/events-format.md), which Thunderus writes'
    keeps = 'what its own memory recaps; no compaction is recorded'

    def event(self, actor, kind, body, **refs):
        self.records.append(
            {
                'v': 1,
                'id': f'evt_{self.number}_{len(self.records)}',
                'ts': iso(self.tick()),
                'session_id': f'sess_{self.number}',
                'actor': actor,
                'kind': kind,
                'refs': refs,
                'body': body,
            }
        )

    def user(self, text):
        self.event('user', 'message', {'text': text})

    def call(self, call, id):
        if call.kind == 'edit':
            self.event(
                'agent',
                'patch',
                {
                    'title': 'edit',
                    'status': 'applied',
                    'diff': f'--- a/{call.path}\n+++ b/{call.path}\n@@ -2,1 +2,1 @@\n-{call.old}\n+{call.new}\n',
                },
                paths=[call.path],
                patch_id=id,
            )
            return
        given = {'command': call.command} if call.kind == 'shell' else {'path': call.path}
        self.event(
            'agent',
            'tool_call',
            {'tool': 'shell' if call.kind == 'shell' else 'read_file', 'call_id': id, 'input': given},
            paths=[call.path] if call.path else [],
        )
        self.event(
            'tool', 'tool_result', {'call_id': id, 'output': call.output, **({'exit_code': call.status} if call.kind == 'shell' else {})}
        )

    def answer(self, text):
        self.event('agent', 'message', {'text': text})

    def compaction(self, summary, tokens):
        pass

    def write(self):
        path = os.path.join(self.project, '.thunderus/sessions/2026-09/events.jsonl')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as out:
            out.writelines(json.dumps(record) + '\n' for record in self.records)


RECORDED = {agent.platform: agent for agent in (Grok, Cline, Cursor, Thunderus)}
