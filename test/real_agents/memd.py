"""memd itself: its commands, its daemon, and the rows of its store."""
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from pathlib import Path

# What a store knows about itself and not about the history.
LOCAL_TABLES = {'meta', 'sources', 'coverage', 'source_items', 'diagnostics', 'ingestion_log', 'raw_files', 'raw_frames', 'enrichment_queue',
                'vectors', 'vector_models', 'identities', 'identity_runs', 'paths', 'tools', 'topics', 'exchange_topics', 'projects', 'pending_titles',
                'identifier_parts', 'second_look', 'silent_records'}
LOCAL_COLUMNS = {'source_pk', 'raw_offset', 'raw_length', 'raw_block', 'discovered_at', 'ingested_at', 'analyzed_at', 'session_pk',
                 'exchange_pk', 'observation_pk', 'path_pk', 'tool_pk', 'project_pk', 'topic_pk', 'seq', 'event_seq', 'parent_seq', 'pair_seq',
                 'first_seq', 'last_seq', 'next_seq', 'reversed_by', 'source_path', 'source_bytes'}
ANALYSES = {'session_digests', 'digest_errors'}


class Memd:
    """One store of a home. One thread at a time."""

    def __init__(self, program, home, data):
        self.program, self.home, self.data = program, home, data
        self.environment = {**os.environ, 'TZ': 'UTC', 'HOME': str(data), 'XDG_CONFIG_HOME': f'{home}/.config'}  # where a driver may write config.yaml
        self.daemon = None

    def run(self, *arguments, timeout=120):
        """Standard output. A failure is a RuntimeError with what it said."""
        done = subprocess.run([self.program, '--home', self.home, '--data-dir', self.data, *arguments], capture_output=True, text=True,
                              timeout=timeout, stdin=subprocess.DEVNULL, env=self.environment)
        if done.returncode not in (0, 3):
            raise RuntimeError(f'memd {" ".join(arguments)}: {done.stderr.strip()[-300:]}')
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run('--json', *arguments))

    def configure(self, text):
        """The configuration of every store of the home, and of the hooks that an agent runs."""
        path = Path(self.home) / '.config/memd/config.yaml'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def ingest(self):
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir(mode=0o700)
        return self.run('ingest', '--once')

    def start(self):
        """The daemon, which reads while the agent writes."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir(mode=0o700)
        name = f'memd-{os.getpid()}-{time.monotonic_ns()}'
        with open(self.data / 'memd.log', 'wb') as log, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind('\0' + name)  # where memd tells a service manager that it is ready
            self.daemon = subprocess.Popen([self.program, '--home', self.home, '--data-dir', self.data, '--socket'], stdin=subprocess.DEVNULL,
                                           stdout=log, stderr=log, env={**self.environment, 'NOTIFY_SOCKET': '@' + name})
            told.settimeout(60)
            try:
                while b'READY=1' not in told.recv(4096):
                    pass
            except TimeoutError:
                raise RuntimeError('the daemon did not start: ' + (self.data / 'memd.log').read_text()[-300:]) from None

    def catch_up(self):
        """Has the daemon read what there is."""
        self.run('ingest', '--once')

    def stop(self):
        if self.daemon is None:
            return
        self.daemon.terminate()
        self.daemon.wait(60)
        self.daemon = None
        self.run('ingest', '--once')  # what a daemon concludes in its own time

    def sessions(self):
        return self.json('sessions', '-n', '0', '--subagents')['sessions']

    def events(self):
        """All events of all sessions, as `memd export` writes them, with 'session_id'."""
        out = []
        file = self.data / 'export.jsonl'
        for session in self.sessions():
            self.run('export', session['session_id'], '-o', str(file))
            out += [json.loads(line) for line in file.read_text().splitlines()]
            file.unlink()
        return [e for e in out if 'event' in e['body']]

    def rebuilt(self, data):
        """A copy of the store, rebuilt from its raw layer."""
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.data, data, ignore=shutil.ignore_patterns('memd.sock', 'memd.pid', 'export.jsonl'))
        copy = Memd(self.program, self.home, data)
        copy.run('rebuild')
        copy.run('ingest', '--once')
        return copy

    def rows(self):
        """{table: set of rows} about the history. A row is a tuple of (column, value), with the keys that hold outside this store."""
        store = sqlite3.connect(f'file:{self.data}/memd.db?mode=ro', uri=True)
        tables = [name for name, kind in store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
                  if kind and 'VIRTUAL' not in kind and not name.startswith('sqlite_')]
        virtual = [name for name, in store.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")]
        out = {}
        for table in tables:
            if table in LOCAL_TABLES or any(table.startswith(v + '_') for v in virtual):
                continue
            columns = [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]
            kept = [f't."{c}"' for c in columns if c not in LOCAL_COLUMNS]
            joins = ''
            for key, joined, value in (('session_pk', 'sessions', 'uid'), ('path_pk', 'paths', 'path'), ('tool_pk', 'tools', 'tool'),
                                       ('topic_pk', 'topics', 'topic')):
                if key in columns and table != joined:
                    joins += f' LEFT JOIN {joined} USING ({key})'
                    kept.append(f'{joined}."{value}"')
            if 'event_seq' in columns:
                joins += ' LEFT JOIN events e ON e.session_pk = t.session_pk AND e.seq = t.event_seq'
                kept.append('e.event_id')
            if table == 'events':
                for key in ('parent', 'pair'):
                    joins += f' LEFT JOIN events {key} ON {key}.session_pk = t.session_pk AND {key}.seq = t.{key}_seq'
                    kept.append(f'{key}.event_id')
            if 'exchange_pk' in columns and table != 'exchanges':
                joins += ' LEFT JOIN exchanges x ON x.exchange_pk = t.exchange_pk'
                kept.append('x.user_event_id')
            if table in ANALYSES:  # one that is out of date is not read; whether there was one depends on how long the agent paused
                joins += ' JOIN sessions analysed ON analysed.session_pk = t.session_pk AND analysed.analysis_version > 0'
            names = [k.replace('t.', '').replace('"', '') for k in kept]
            if table == 'sessions':
                kept = [f'iif(t.analysis_version > 0, {k}, 0)' if k in ('t."outcome"', 't."outcome_signs"') else k for k in kept]
            out[table] = {tuple(zip(names, row)) for row in store.execute(f'SELECT {", ".join(kept)} FROM "{table}" t{joins}')}
        store.close()
        return out
