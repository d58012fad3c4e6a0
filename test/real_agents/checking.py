"""Compares what memd stored with what happened. Each check returns '' if all is well, else what is wrong."""
import bisect
import collections
import datetime
import itertools
import re
import time

TOLERANCE = 1.0  # seconds; more in a turn in which the agent itself was slower, see slowness()
MOST_TOLERANCE = 10.0
TIMES = ('time', 'started_at', 'ended_at', 'wall_clock_ms')  # columns
COUNTS = ('turns', 'tool_calls', 'tool_pairs', 'compactions', 'next_exchange', 'exchange_number')  # columns
PROMPTS = ('user_event_id', 'x.user_event_id')  # columns: of the exchange
ANSWERS = ('step', 'end', 'stray')  # kinds of requests whose answers are part of the conversation


def seconds(event):
    return datetime.datetime.fromisoformat(event['ts'].replace('Z', '+00:00')).timestamp()


def slowness(records, began):
    """{turn: how long the agent took at most from an answer to its next request}: it may write down events so late. The requests since a
    prompt (`began`: when each was) count together, as a helper works beside the one that began it. A turn with a single request is as slow
    as the slowest, which is that of None."""
    gaps = collections.defaultdict(lambda: TOLERANCE)
    for before, after in zip(records, records[1:]):
        if before['kind'] == after['kind'] == 'step' and bisect.bisect(began, before['asked']) == bisect.bisect(began, after['asked']):
            gap = min(after['asked'] - before['answered'], MOST_TOLERANCE)
            gaps |= {turn: max(gaps[turn], gap) for turn in (before['turn'], after['turn'])}
    return {None: max([TOLERANCE, *gaps.values()]), **gaps}


def some(problems, most=3):
    more = f' (and {len(problems) - most} more)' if len(problems) > most else ''
    return '; '.join(problems[:most]) + more


def difference(lacks, has):
    """In what two sets of rows differ: the columns of the most similar pair, else the numbers."""
    pairs = [[(a[0], a[1], b[1]) for a, b in zip(x, y) if a != b] for x in lacks for y in has]
    if len(lacks) == len(has) and pairs:
        return ', '.join(f'{column} {old!r:.40} is {new!r:.40}' for column, old, new in min(pairs, key=len)[:4])
    return f'lacks {len(lacks)}, has {len(has)} more'


def without(rows, *names):
    return {tuple(column for column in row if column[0] not in names) for row in rows}


class Checker:
    """What was played, and the stores: `fresh` was read at the end, `live` while the agent worked, `rebuilt` from that one."""

    def __init__(self, play, driver, fresh, live, rebuilt):
        self.play, self.driver, self.made = play.played, driver, play.compactions()
        self.turns, self.scenario = play.script['turns'], play.scenario
        self.fresh, self.live, self.rebuilt = fresh, live, rebuilt
        # Where the agent's files are gone, or written anew without what they held, only the live store has everything.
        self.lost = self.scenario.get('sources_lost') or driver.overwrites and self.scenario.get('compacts')
        self.store = live if self.lost or not driver.keeps_times else fresh
        self.events = self.store.events()
        self.sessions = self.store.sessions()
        self.replaced = self._replaced_unwritten()
        self.answered = [r for r in self.play.records if r['kind'] in ANSWERS and not self._died_unwritten(r) and r not in self.replaced]
        self.slowness = slowness(self.answered, [began for _, began in self.play.prompts])

    def _tolerance(self, turn):
        return self.slowness.get(turn, self.slowness[None])

    def _written(self, turn, said):
        """When at the latest the agent wrote down what was said at a time: without times of its own, at the end of the turn."""
        if self.driver.keeps_times:
            return said
        return max([said, *(r['answered'] for r in self.answered if r['turn'] == turn)])

    def _of(self, kind, text=None):
        return [e for e in self.events if e['body']['event'] == kind and (text is None or text in (e['body'].get('text') or ''))]

    def _steps(self):
        """(record, call, step of the script) of each call that the script asks for."""
        for record in self.answered:
            if record['kind'] == 'step':
                for call in record['calls']:
                    if call['kind'] != 'find-tool':
                        yield record, call, self.turns[record['turn']]['steps'][record['step']]

    def _is(self, event, call, record):
        """Whether an event is a call of the log: by its id, or where the agent gives its own by tool, input and time."""
        if self.driver.keeps_ids:
            return event['body'].get('call_id') == call['id']
        late = self._tolerance(record['turn'])
        near = record['asked'] - late <= seconds(event) <= record['answered'] + late
        tool, values = self.driver.stored_call(call)
        return near and event['body'].get('tool') == tool and any(str(v) in (event['body'].get('text') or '') for v in values)

    def _was_killed(self, record):
        return bool(record['turn']) and any(step.get('stalls') for step in self.turns[record['turn']]['steps'])

    def _was_cut_off(self, call):
        """Whether the model was never sent the result: Hermes ends its helpers with the process that began them."""
        return call['kind'] != 'finish' and not any(call['id'] in r.get('results', {}) for r in self.play.records)

    def _died_unwritten(self, record):
        """Agents write late: what was said just before the kill may be in none of their files."""
        return self._was_killed(record) and not self.driver.has_written(record['say'])

    def _replaced_unwritten(self):
        """The requests that a compaction inside their turn replaced before the agent wrote the turn down."""
        records = [r for r in self.play.records if r['kind'] in ('step', 'summary')] if self.driver.writes_whole_turns else []
        summaries = [n for n, r in enumerate(records) if r['kind'] == 'summary']
        return [r for n in summaries for r in records[:n] if r['turn'] in [later['turn'] for later in records[n + 1:] if later['turn']]]

    def prompts(self):
        """Each prompt once, as the person's, at its time."""
        wrong = []
        for name, began in self.play.prompts:
            marker = re.search(r'PROMPT-\S+', self.turns[name]['prompt']).group()
            found = [e for e in self._of('user_msg', marker) if e['body'].get('origin') == 'typed']
            asked = min((r['asked'] for r in self.play.records if marker in (r.get('prompt') or '') or r.get('turn') == name), default=began)
            if not found and self._was_killed({'turn': name}) and not self.driver.has_written(marker):
                continue
            if not found and name in {r['turn'] for r in self.replaced}:
                continue
            if len(found) != 1:
                others = [f"{e['body']['event']} {e['body'].get('origin', '')}".strip() for e in self.events if marker in str(e['body'])]
                wrong.append(f'{marker} {len(found)} times' + (f' (is in {", ".join(sorted(set(others)))})' if not found and others else ''))
            elif not began - self._tolerance(name) <= seconds(found[0]) <= self._written(name, asked) + self._tolerance(name):
                wrong.append(f'{marker} is {seconds(found[0]) - asked:+.1f} s off')
        return some(wrong)

    def answers(self):
        """Each text of the model as often as it was sent, as the assistant's, at its time; thinking likewise."""
        wrong = []
        for field, kind in (('say', 'assistant_msg'), ('think', 'thinking')):
            sent = collections.defaultdict(list)
            for record in self.answered:
                if record.get(field):
                    sent[record[field]].append(record)
            for text, records in sent.items():
                found = self._of(kind, text)
                label = (re.search(r'[A-Z]+-[A-Z]+-\d+', text) or re.match(r'.{0,20}', text)).group()
                if len(found) != len(records):
                    wrong.append(f'{label} {len(found)} times, sent {len(records)}')
                for event, record in zip(sorted(found, key=seconds), records):
                    late = self._tolerance(record['turn'])
                    until = self._written(record['turn'], record['answered']) + late
                    if self.driver.dates_answers and not record['asked'] - late <= seconds(event) <= until:
                        wrong.append(f'{label} is {seconds(event) - record["answered"]:+.1f} s off')
        return some(wrong)

    def calls(self):
        """Each call once, under its id, with the result that shows what the tool printed; failed where it failed."""
        wrong = []
        for record, call, step in self._steps():
            found = [e for e in self._of('tool_call') if self._is(e, call, record)]
            results = [e for e in self._of('tool_result') if e['body'].get('call_id') in {f['body'].get('call_id') for f in found}]
            label = f"{record['turn']}.{record['step']} {call['name']}"
            if len(found) == 1 and (self._was_killed(record) or not results and self._was_cut_off(call)):
                continue  # whether the result reached the disk is the agent's affair
            if len(found) != 1 or len(results) != 1:
                wrong.append(f'{label}: {len(found)} calls, {len(results)} results')
                continue
            text, body = results[0]['body'].get('text') or '', results[0]['body']
            if step.get('shows') and step['shows'] not in text and step['shows'] not in text.replace('\\n', '\n'):
                wrong.append(f'{label}: the result lacks "{step["shows"]}", is "{text[:60]}"')
            if step.get('fails') and not (body.get('is_error') or body.get('exit_code')):
                wrong.append(f'{label}: failed, and is not stored as failed')
            late = self._tolerance(record['turn'])
            until = self._written(record['turn'], record['answered']) + late
            for event in (found[0], results[0]):
                if not record['asked'] - late <= seconds(event) <= until + 30 * (event is results[0]):
                    wrong.append(f'{label}: {event["body"]["event"]} is {seconds(event) - record["answered"]:+.1f} s off')
        return some(wrong)

    def failures(self):
        """A test run that failed is a failure, also behind a pipe or `|| true`."""
        ran = [call for _, call, step in self._steps() if 'unittest' in step.get('command', '')]
        runs = self._of('test_run')
        failed = [e for e in runs if e['body'].get('is_error')]
        return '' if len(runs) == len(failed) == len(ran) else f'{len(ran)} runs failed, stored are {len(runs)} runs, {len(failed)} as failed'

    def edits(self):
        """The edit of ferry.ini, once, with its lines."""
        if not self.driver.tells_edits:
            return ''
        made = sum(call['kind'] == 'edit' for _, call, _ in self._steps()) if self.driver.has_tools else sum(
            step.get('tool') == 'edit' for name, _ in self.play.prompts for step in self.turns[name]['steps'])
        found = [e for e in self._of('edit') if any('ferry.ini' in f['path'] for f in e['body'].get('files', []))]
        lines = sum(s.get('lines_added', 0) for s in self.sessions), sum(s.get('lines_removed', 0) for s in self.sessions)
        told = made if self.driver.tells_lines else 0
        return '' if len(found) == made and lines == (told, told) else f'{made} made, {len(found)} stored, lines +{lines[0]} -{lines[1]}'

    def tokens(self):
        """The sums of the log, as the sessions and as each day of `memd usage` has them. The driver says which requests
        its agent keeps the tokens of."""
        kept = [r for r in self.play.records if self.driver.keeps_tokens(r) and not self._died_unwritten(r) and r not in self.replaced]
        main = [s for s in self.sessions if not s.get('parent_session_id')]  # whose sums have those of its helpers in them
        store = [sum(s[f] for s in main) for f in ('tokens_input', 'tokens_output', 'tokens_cache_read')]
        if self.driver.tokens_by_turn and self._sums(kept, store) != store:
            kept = [r for r in kept if not self._was_killed(r)]
        if self.driver.overwrites:  # what a summary cost is in what it replaced, unless memd saw it before
            without_costs = [r for r in kept if r['kind'] != 'summary']
            costs = [r for r in kept if r['kind'] == 'summary']
            seen = (without_costs + list(chosen) for n in range(len(costs), -1, -1) for chosen in itertools.combinations(costs, n))
            kept = next((records for records in seen if self._sums(records, store) == store), without_costs)
        log = self._sums(kept, store)
        if log != store:
            return f'input, output, cached: log {log}, store {store}'
        if self.driver.rounds_tokens:
            return ''
        days = collections.defaultdict(list)
        for record in kept:
            days[time.strftime('%Y-%m-%d', time.localtime(record['answered']))].append(record)
        days = {day: sums for day, records in days.items() if any(sums := self._sums(records, store))}
        told = {r['date']: [r[f'{f}_tokens'] for f in ('input', 'output', 'cache_read')] for r in self.store.json('usage', '-n', '0')['rows']}
        return '' if told == days else f'by day: log {days}, usage {told}'

    def _sums(self, records, store):
        tokens = [r['tokens'] for r in records]
        log = [sum(t['input'] - t['cached'] for t in tokens), sum(t['output'] for t in tokens), sum(t['cached'] for t in tokens)]
        if self.driver.rounds_tokens:
            log = [log[0] + log[2], log[1], 0]
            if abs(log[0] - store[0]) <= 50 * len(tokens):
                log[0] = store[0]
        return log

    def shapes(self):
        """No byte of unknown shape."""
        unknown = collections.Counter()
        for row in self.store.json('coverage')['coverage']:
            if row['disposition'] == 'unknown':
                unknown[row['record_type']] += row['bytes']
        diagnostics = collections.Counter(d['error_type'] for d in self.store.json('diagnostics')['diagnostics']
                                          if not (self.driver.replaces and d['error_type'] == 'source_replaced'))
        return some([f'{kind}: {size} B unknown' for kind, size in unknown.items()] +
                    [f'{count} × {kind}' for kind, count in diagnostics.items() if not unknown])

    def _new_sessions(self):
        return 0 if self.driver.numbers_sessions and self.scenario.get('sources_lost') else self.scenario['play'].count('new')

    def whole(self):
        """One session for the person, one for each helper, each with a prompt of its own."""
        helpers = len({r['turn'] for r in self.answered if r['turn'] == 'count'})
        begun = 1 + self._new_sessions() if self.driver.resumes or 'open' in self.scenario['play'] else len(self.play.prompts)
        empty = [s['session_id'] for s in self.sessions if not s['exchanges']]
        children = [s for s in self.sessions if s.get('parent_session_id')]
        wrong = [f'{e} has no prompt' for e in empty]
        if len(self.sessions) - len(children) != begun or len(children) != helpers:
            wrong.append(f'{len(self.sessions)} sessions, {len(children)} of helpers; were {begun + helpers}, {helpers}')
        return some(wrong)

    def ids(self):
        """No mask: nothing here is a secret."""
        masked = {re.search(r'.{0,30}\[redacted:[^\]]*\]', str(x)).group() for x in self.events + self.sessions if '[redacted:' in str(x)}
        return some(sorted(masked))

    def compactions(self):
        """Number and trigger."""
        wanted = {self.scenario['compacts']: self.made} if self.made and 'compacts' in self.scenario else {}
        found = collections.Counter()
        for event in self._of('lifecycle'):
            if event['body'].get('lifecycle') == 'compaction':
                summary = event['body'].get('summary', '')
                found[next((word for word in ('manual', 'auto') if word in summary), 'unknown')] += 1
        counted = sum(s['compactions'] for s in self.sessions)
        total = sum(wanted.values())
        if self.driver.tells_trigger and dict(found) != wanted or sum(found.values()) != total or counted != total:
            return f'{wanted or "none"} made, {dict(found) or "none"} stored, {counted} counted'
        return ''

    def stores(self):
        """The fresh store, the live one and its rebuild have the same rows."""
        live, wrong = self.live.rows(), []
        for name, store in (('rebuilt', self.rebuilt), ('fresh', self.fresh)):
            if name == 'fresh' and self._new_sessions() < self.scenario['play'].count('new'):
                continue  # its only session has the turns of two in the live store
            other = store.rows()
            may_lack = name == 'fresh' and self.lost
            mine = live
            if name == 'fresh' and not self.driver.keeps_times:
                mine, other = ({table: without(content, *TIMES) for table, content in rows.items()}
                               for rows in (mine, other))
            if may_lack:  # it counts what it has; a compaction that it lacks may have ended an exchange
                mine, other = ({**rows, 'sessions': without(rows['sessions'], 'compactions'),
                                'exchanges': without(rows['exchanges'], 'ended_at')} for rows in (mine, other))
                # What lay beside a deleted transcript is a session without turns.
                other['sessions'] = {row for row in other['sessions'] if dict(row)['turns']}
            if may_lack and self.driver.drops_turns:  # and begins to count again, perhaps inside a turn that has lost its prompt
                mine, other = ({table: without(content, *COUNTS) for table, content in rows.items()} for rows in (mine, other))
                other = {table: {r for r in rows if None not in (dict(r).get(k) for k in PROMPTS if k in dict(r))} for table, rows in other.items()}
            if may_lack and self.driver.overwrites and self.made > 1:  # and lasted as long
                mine, other = ({**rows, 'session_digests': without(rows['session_digests'], 'wall_clock_ms')} for rows in (mine, other))
            for table, rows in mine.items():
                lacks, has = rows - other[table], other[table] - rows
                if has or lacks and not may_lack:
                    wrong.append(f'{name} {table}: ' + difference(lacks, has))
        return some(wrong, 6)

    def resume(self):
        """The pack tells goal, constraint, failing command, exact command and edit, as far as they happened."""
        played = {name for name, _ in self.play.prompts}
        wanted = {'look': ['23:40', 'never change plan.day'], 'move': ['sh check.sh --night 23:40', 'ferry.ini'],
                  'fail': ['python3 -m unittest test_ferry'], 'hidden': []}
        if not self.driver.tells_edits:
            wanted['move'].remove('ferry.ini')
        main = next((s['session_id'] for s in self.sessions if not s.get('parent_session_id')), None)
        if main is None or 'new' in self.scenario['play'] or not self.driver.resumes:
            return ''
        pack = self.store.run('resume', main, '--complement', 'never', '--max-tokens', '2000')
        flat = ' '.join(pack.split())
        return some([f'lacks "{w}"' for name in wanted if name in played for w in wanted[name] if w not in flat])

    def hooks(self):
        """Where memd is registered with a hook, a new session is told what happened before; one that is resumed knows it."""
        if not (self.scenario.get('setup') and self.driver.has_hook):
            return ''
        told = any(r['packs'] for r in self.answered)
        new = 'new' in self.scenario['play'] or not self.driver.resumes  # each process begins a session
        return '' if told == new else 'no request holds the pack of the hook' if new else 'a resumed session was told of itself'

    def found(self):
        """Where the agent offers tools only when they are looked for, each query found memd's."""
        told = {ident: text for record in self.play.records for ident, text in record.get('results', {}).items()}
        asked = [call for record in self.answered if record['turn'] == 'memory' for call in record['calls'] if call['kind'] == 'find-tool']
        return some([f'"{c["arguments"]["query"]}" does not find memd' for c in asked if 'memd' not in told.get(c['id'], '')])

    CHECKS = ('prompts', 'answers', 'calls', 'failures', 'edits', 'tokens', 'shapes', 'whole', 'ids', 'compactions', 'stores', 'resume', 'hooks', 'found')

    def run(self):
        """{check: what is wrong, '' for nothing}."""
        return {name: getattr(self, name)() for name in self.CHECKS}
