#!/usr/bin/env python3
"""Has real agents work, and checks what memd makes of it: see README.md. run.sh installs the agents and calls this."""
import argparse
import concurrent.futures
import datetime
import json
import sys
import time
import traceback
from pathlib import Path

from agents import DRIVERS, MISSING
from agents.agent import Unable
from checking import Checker
from memd import Memd
from playing import Play, script

ROOT = Path(__file__).resolve().parents[2]
VALIDATION = ROOT / 'adapters/validation.tsv'


def options():
    out = argparse.ArgumentParser(prog='run.sh', description='Has real agents work, and checks what memd makes of it.')
    out.add_argument('--latest', action='store_true', help='the newest versions of the registry, not the pinned ones')
    out.add_argument('--install', action='store_true', help='only install the agents')
    out.add_argument('--installed', type=Path, help=argparse.SUPPRESS)
    out.add_argument('--agent', action='append', choices=list(DRIVERS), help='only this one (may be repeated)')
    out.add_argument('--scenario', action='append', choices=list(script()['scenarios']), help='only this one (may be repeated)')
    out.add_argument('--memd', type=Path, help='the memd to test (default: that of build/release, else of build/dev)')
    out.add_argument('--work', type=Path, default=Path('/tmp/memd-real-agents'), help='where homes, logs and stores are made')
    out.add_argument('--keep', action='store_true', help='leave them there')
    out.add_argument('--jobs', type=int, default=4, help='agents at once (4); they mostly wait')
    out.add_argument('--write-status', action='store_true', help='write what was watched to adapters/validation.tsv')
    given = out.parse_args()
    built = [ROOT / 'build' / preset / 'daemon/memd' for preset in ('release', 'dev')]
    given.memd = (given.memd or next((b for b in built if b.exists()), built[0])).resolve()
    if not given.memd.exists():
        out.error(f'no memd at {given.memd}: build it, or give --memd')
    return given


def play_and_check(agent, scenario, given):
    """One row of the table: {'agent', 'scenario', 'version', 'seconds', 'checks': {name: what is wrong}, 'trouble', 'unable'}."""
    began = time.monotonic()
    folder = given.work / agent / scenario
    row = {'agent': agent, 'scenario': scenario, 'version': '?', 'checks': {}, 'trouble': '', 'unable': ''}
    try:
        with Play(agent, scenario, given.installed, folder) as play:
            row['version'] = play.played.version
            live = Memd(given.memd, play.home, folder / 'live')
            with_setup = play.scenario.get('setup') and play.agent.setup_name
            if with_setup:
                live.configure('hooks: {start: true}\n')
            live.start()
            try:
                if with_setup:
                    live.run('setup', play.agent.setup_name)
                play.run(lambda what: live.catch_up())
                play.end()
                live.catch_up()
            finally:
                live.stop()
            fresh = Memd(given.memd, play.home, folder / 'fresh')
            fresh.ingest()
            row['checks'] = Checker(play, play.agent, fresh, live, live.rebuilt(folder / 'rebuilt')).run()
            lost = [r for r in play.model.records if r['kind'] == 'crash']
            row['trouble'] = lost[0]['error'] if lost else ''
    except Unable as reason:
        row['unable'] = str(reason)
    except (OSError, RuntimeError, TimeoutError) as trouble:
        row['trouble'] = str(trouble)[-600:] or repr(trouble)
    except Exception:  # noqa: BLE001: a bug of the bench is a line of its table
        row['trouble'] = traceback.format_exc()[-900:]
    row['seconds'] = round(time.monotonic() - began, 1)
    return row


def run_agent(agent, given):
    if not (given.installed / agent / '.installed').exists():
        return [{'agent': agent, 'scenario': 'all', 'version': '?', 'checks': {}, 'trouble': 'is not installed', 'unable': '', 'seconds': 0}]
    rows = []
    for scenario in given.scenario or script()['scenarios']:
        rows.append(play_and_check(agent, scenario, given))
        wrong = [name for name, what in rows[-1]['checks'].items() if what]
        state = rows[-1]['unable'] and 'cannot' or rows[-1]['trouble'] and 'FAILED' or wrong and 'FAILED ' + ' '.join(wrong) or 'ok'
        print(f"{agent:12} {scenario:13} {rows[-1]['seconds']:6.1f} s  {state}", file=sys.stderr, flush=True)
    return rows


def table(rows):
    """Agent × scenario × check, then the reasons."""
    names = Checker.CHECKS
    lines = [f"{'agent':12}{'version':11}{'scenario':14}" + ' '.join(names)]
    reasons = []
    for row in rows:
        where = f"{row['agent']} {row['scenario']}"
        cells = ['–' if not row['checks'] else 'FAIL' if row['checks'][n] else 'ok' for n in names]
        lines.append(f"{row['agent']:12}{row['version']:11}{row['scenario']:14}" + ' '.join(f'{c:{len(n)}}' for c, n in zip(cells, names)).rstrip())
        reasons += [f'– {where}: {row["unable"]}'] if row['unable'] else []
        reasons += [f'FAILED {where}: {row["trouble"]}'] if row['trouble'] else []
        reasons += [f'FAILED {where}, {n}: {what}' for n, what in row['checks'].items() if what]
    reasons += [f'– {agent}: {why}' for agent, why in MISSING.items()]
    return '\n'.join(lines + [''] + reasons)


def status(rows):
    """What is known of each agent now: a line of validation.tsv, by agent."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    out = {}
    for agent in dict.fromkeys(row['agent'] for row in rows):
        mine = [r for r in rows if r['agent'] == agent]
        missing = [f"{r['scenario']}: {r['unable']}" for r in mine if r['unable']]
        missing += [f"{r['scenario']}: the agent did not do its part" for r in mine if r['trouble']]
        for check in Checker.CHECKS:
            where = [r['scenario'] for r in mine if r['checks'].get(check)]
            if where:
                missing.append(f"{check} ({'all scenarios' if len(where) == len(mine) else ', '.join(where)})")
        version = next((r['version'] for r in mine if r['version'] != '?'), '?')
        if version == '?':
            continue  # it never ran: what was known stays
        out[agent] = '\t'.join((agent, version, today, '; '.join(missing)))
    return out


def write_status(rows):
    lines = VALIDATION.read_text().splitlines()
    now = {**status(rows), **{agent: f'{agent}\t\t\t{why}' for agent, why in MISSING.items()}}
    kept = [line for line in lines if line.startswith('#') or line.split('\t')[0] not in now]
    head = [line for line in kept if line.startswith('#')]
    VALIDATION.write_text('\n'.join(head + sorted([line for line in kept if not line.startswith('#')] + list(now.values()))) + '\n')


def with_earlier(path, rows):
    """These rows, after those that an earlier run left: of other agents, and of other scenarios of the same version."""
    played = {(r['agent'], r['scenario']) for r in rows}
    versions = {r['agent']: r['version'] for r in rows}
    earlier = json.loads(path.read_text()) if path.exists() else []
    return [r for r in earlier if (r['agent'], r['scenario']) not in played and versions.get(r['agent'], r['version']) == r['version']] + rows


def main():
    given = options()
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        rows = [row for some in pool.map(lambda agent: run_agent(agent, given), given.agent or DRIVERS) for row in some]
    print(table(rows))
    given.work.mkdir(parents=True, exist_ok=True)
    known = with_earlier(given.work / 'result.json', rows)
    (given.work / 'result.json').write_text(json.dumps(known, indent=1, ensure_ascii=False))
    checks = [what for row in rows for what in row['checks'].values()]
    failed = sum(map(bool, checks)) + sum(bool(r['trouble']) for r in rows)
    print(f"\n{len(checks) - sum(map(bool, checks))} passed, {failed} failed, {sum(bool(r['unable']) for r in rows)} skipped "
          f"in {time.monotonic() - began:.0f} s; {given.work}/result.json")
    if given.write_status:
        agents = {row['agent'] for row in rows}
        whole = {a for a in agents if {r['scenario'] for r in known if r['agent'] == a} >= set(script()['scenarios'])}
        print(*[f'{a}: not all scenarios were played, so its status stays' for a in sorted(agents - whole)], sep='\n')
        write_status([r for r in known if r['agent'] in whole])
    if not given.keep:
        import shutil
        for row in rows:
            shutil.rmtree(given.work / row['agent'], ignore_errors=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
