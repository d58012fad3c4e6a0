"""Runs scenarios on an agent and observes its compactions: load, snapshots, what the agent keeps, what memd gives back."""

import hashlib
import json
import os
import subprocess
import tempfile
import time
from datetime import datetime, timezone

from .memd_client import Memd
from .observation import CompactionObservation
from .texts import texts_in

PACK_TOKENS = 2000
VITAL = {'goal', 'constraint', 'error', 'next'}  # without these nobody continues


def summary_of(turns, words=160):
    """What the stand-in model answers when an agent asks it for a summary: the first request and the last turns, shortened.

    A real model does better or worse; the same rule for every platform lets platforms be compared.
    """

    def short(text):
        return ' '.join(text.split()[: words // 4]).rstrip('.?')  # a whole prompt would be taken for the turn itself

    told = [f'Request: {short(turns[0].prompt)}']
    told += [f'Then: {short(turn.prompt)} Answer: {short(turn.answer)}' for turn in turns[-3:]]
    return '\n'.join(told)


def tokens_of(text):
    return len(text) // 4


def files_of(*folders):
    """Path -> size and hash of every file below the folders."""
    found = {}
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(root, name)
                try:
                    with open(path, 'rb') as file:
                        bytes = file.read()
                except OSError:  # sockets, files that were just deleted
                    continue
                found[os.path.relpath(path, folder)] = {
                    'size': len(bytes),
                    'hash': hashlib.blake2b(bytes, digest_size=8).hexdigest(),
                    'head': hashlib.blake2b(bytes[:256], digest_size=8).hexdigest(),
                }
    return found


def changes_of(before, after):
    changes = {}
    for path, now in after.items():
        then = before.get(path)
        if then is None:
            changes[path] = 'added'
        elif then['hash'] != now['hash']:
            changes[path] = 'grown' if now['size'] > then['size'] and then['head'] == now['head'] else 'rewritten'
    changes.update({path: 'deleted' for path in before if path not in after})
    return changes


class CompactionTestHarness:
    def __init__(self, memd, open_agent, output_dir):
        """`open_agent(home, project, conversation)` returns an agent with platform, version(), keeps, say(turn), compact(summary, tokens) and close()."""
        self.memd, self.open_agent, self.output_dir = memd, open_agent, output_dir
        self.observations = []

    def run_scenario(self, scenario, seed):
        conversation = scenario.conversation(seed)
        with tempfile.TemporaryDirectory(prefix='memd-compaction-') as work:
            home, project = os.path.join(work, 'home'), os.path.join(work, 'project')
            os.makedirs(home)
            for path, text in conversation.files.items():
                os.makedirs(os.path.dirname(os.path.join(project, path)), exist_ok=True)
                with open(os.path.join(project, path), 'w') as out:
                    out.write(text)
            for command in (
                ['init', '-q', '-b', 'main'],
                ['add', '-A'],
                ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qm', 'start'],
            ):
                subprocess.run(['git', '-C', project, *command], check=True)
            agent = self.open_agent(home, project, conversation)
            try:
                observation = self._observe(agent, scenario, conversation, work, home, project)
            finally:
                agent.close()
        self.observations.append(observation)
        os.makedirs(self.output_dir, exist_ok=True)
        observation.save(os.path.join(self.output_dir, f'{observation.platform}-{conversation.name}.json'))
        return observation

    def _observe(self, agent, scenario, conversation, work, home, project):
        seen = CompactionObservation(conversation.name, agent.platform, datetime.now(timezone.utc).isoformat(timespec='seconds'))
        config = os.path.join(work, 'config.yaml')
        with open(config, 'w') as out:
            out.write('embedding: {provider: builtin, second_look: off}\n')
            if agent.platform == 'thunderus':
                out.write(f'platforms: {{thunderus: {{paths: [{project}]}}}}\n')
        begin = time.monotonic()
        told, kept, checkpoints = [], '', {}
        seen.pre_compaction_snapshot = seen.post_compaction_snapshot = {}
        for number, turn in enumerate(conversation.turns):
            agent.say(turn)
            told.append(turn)
            seen.messages_sent += 1
            seen.total_tokens_estimated += tokens_of(turn.prompt + turn.answer + ''.join(call.output for call in turn.calls))
            if number + 1 in scenario.checkpoints:
                checkpoints[number + 1] = {path: file['size'] for path, file in files_of(home).items()}
            if number in conversation.compact_after:
                before = self._snapshot(agent, home, project, told, checkpoints)
                kept = agent.compact(summary_of(told), scenario.target_tokens)
                seen.pre_compaction_snapshot = before
                seen.post_compaction_snapshot = self._snapshot(agent, home, project, told, checkpoints)
                if seen.compaction_detected_at is None:
                    seen.compaction_detected_at = number + 1
        seen.duration_seconds = round(time.monotonic() - begin, 2)
        seen.storage_changes = changes_of(seen.pre_compaction_snapshot['files'], seen.post_compaction_snapshot['files'])
        for snapshot in (seen.pre_compaction_snapshot, seen.post_compaction_snapshot):
            snapshot['files'] = {path: file['size'] for path, file in snapshot['files'].items()}

        memd = Memd(self.memd, home, os.path.join(work, 'data'), config)
        memd.ingest()
        with memd:
            self._ask_memd(memd, agent, scenario, conversation, kept, seen)
        return seen

    def _snapshot(self, agent, home, project, told, checkpoints):
        return {
            'messages': len(told),
            'files': files_of(home, os.path.join(project, '.thunderus')),
            'checkpoints': dict(checkpoints),
            'metadata': {'agent': agent.version()},
            'timestamp': datetime.now(timezone.utc).isoformat(timespec='seconds'),
        }

    def _ask_memd(self, memd, agent, scenario, conversation, kept, seen):
        _, listed = memd.tool('list_sessions', all_projects=True)
        sessions = [row for row in listed['sessions'] if row['platform'] == agent.platform]
        if not sessions:
            return
        session = sessions[0]['session_id']
        seen.extraction_completeness = self._completeness(memd, session, conversation)
        seen.extraction_success = seen.extraction_completeness > 0

        pack, state = memd.tool('resume_context', session_id=session, max_tokens=PACK_TOKENS, complement='never')
        boundary = state['boundary']
        seen.compaction_occurred = boundary['compactions'] >= scenario.expected_compactions
        if not seen.compaction_occurred:
            seen.compaction_detected_at = None
        detail = boundary.get('detail') or ''
        if seen.compaction_occurred:
            seen.compaction_trigger = (
                'manual' if 'manual' in detail else 'token_limit' if 'auto' in detail or 'token' in detail else 'unknown'
            )
        for fact in conversation.facts:
            seen.data_preserved[fact.kind] = fact.is_in(pack)
        seen.platform_behavior = {
            'version': agent.version(),
            'keeps_beside_the_summary': agent.keeps,
            'compactions': boundary['compactions'],
            'boundary': boundary['kind'],
            'detail': detail,
            'context_after': tokens_of(kept),
            'context_holds': {fact.kind: fact.is_in(kept) for fact in conversation.facts},
        }
        both = kept + '\n' + pack
        held = {fact.kind for fact in conversation.facts if fact.is_in(both)}
        seen.context_quality = round(len(held) / len(conversation.facts), 3)
        seen.conversation_continuity = VITAL <= held
        asked = conversation.facts[0].asked
        calls = {
            'semantic_search': {'query': asked, 'all_projects': True},
            'recent_turns': {'session_id': session},
            'session_summary': {'session_id': session},
            'topic_search': {'topic': asked.split(' ')[-1], 'all_projects': True},
            'temporal_query': {'since': '1000d', 'all_projects': True},
            'resume_context': {'session_id': session, 'max_tokens': PACK_TOKENS},
        }
        seen.query_performance_ms = {name: memd.milliseconds(name, **arguments) for name, arguments in calls.items()}

    def _completeness(self, memd, session, conversation):
        """Share of the prompts and answers that an export of the session holds."""
        told = ' '.join(texts_in(json.loads(memd.text('export', session, '--format', 'json'))).split())
        texts = [turn.prompt for turn in conversation.turns] + [turn.answer for turn in conversation.turns]
        return round(sum(' '.join(text.split()) in told for text in texts) / len(texts), 3)
