"""Runs the scenarios on every platform and writes the comparison.

test/real_agents/run.sh --compactions --memd MEMD --out DIR [--platform P]... [--scenario S]... [--seeds 5] [--first-seed 0] [--jobs 2]
"""

import argparse
import concurrent.futures
import json
import pathlib
import sys
import time

from agents import DRIVERS

from . import report
from .conversation import SCENARIOS
from .driven import DrivenAgent
from .harness import CompactionTestHarness
from .observation import CompactionObservation
from .recorded import RECORDED

DRIVEN = ['claude_code', 'codex', 'gemini', 'opencode', 'grok', 'pi']


def opener(platform, installed):
    """Opens an agent of the platform: driven if it is installed, else written as it writes."""
    if platform in DRIVEN and installed and (installed / platform).is_dir():
        return lambda home, project, conversation: DrivenAgent(DRIVERS[platform], installed, home, project, conversation)
    if platform in RECORDED:
        return lambda home, project, conversation: RECORDED[platform](home, project, 1)
    return None


def observe(harness, platform, scenario, seed):
    """One run: a line on the screen. Returns what went wrong, '' for nothing."""
    begin = time.monotonic()
    where = f'{platform:12} {scenario.name:16} {seed}'
    try:
        seen = harness.run_scenario(scenario, seed)
    except Exception as error:  # noqa: BLE001: one run that fails is a line of the report
        print(f'{where}  FAILED: {str(error)[-160:]}', flush=True)
        return f'{platform} {scenario.name} {seed}: {type(error).__name__}: {str(error)[-300:]}'
    missed = [kind for kind, found in seen.data_preserved.items() if not found]
    print(
        f'{where}  {len(seen.data_preserved) - len(missed)}/{len(seen.data_preserved)} facts in the pack'
        f'{" (not " + ", ".join(missed) + ")" if missed else ""}, '
        f'{"compacted" if seen.compaction_occurred else "no compaction seen"}, {time.monotonic() - begin:.0f} s',
        flush=True,
    )
    return ''


def main():
    options = argparse.ArgumentParser(prog='run.sh --compactions')
    options.add_argument('--memd', required=True)
    options.add_argument('--installed', type=pathlib.Path, help='where run.sh installed the agents; without it only records are written')
    options.add_argument('--out', type=pathlib.Path, required=True)
    options.add_argument('--platform', '--agent', action='append', dest='platform')
    options.add_argument('--scenario', action='append')
    options.add_argument('--seeds', type=int, default=5)
    options.add_argument('--first-seed', type=int, default=0)
    options.add_argument('--jobs', type=int, default=2, help='runs at once (2)')
    given = options.parse_args()
    observations, failures = [], []
    for platform in given.platform or list(dict.fromkeys(DRIVEN + list(RECORDED))):
        open_agent = opener(platform, given.installed)
        if open_agent is None:
            failures.append(f'{platform}: not installed')
            continue
        harness = CompactionTestHarness(given.memd, open_agent, given.out / 'observations')
        seeds = range(given.first_seed, given.first_seed + given.seeds)
        runs = [(scenario, seed) for scenario in SCENARIOS if scenario.name in (given.scenario or [scenario.name]) for seed in seeds]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            failures += filter(None, pool.map(lambda run: observe(harness, platform, *run), runs))
        observations += sorted(harness.observations, key=lambda seen: seen.scenario_name)
    played = {(seen.platform, seen.scenario_name) for seen in observations}
    earlier = [CompactionObservation(**json.loads(path.read_text())) for path in sorted((given.out / 'observations').glob('*.json'))]
    observations += [seen for seen in earlier if (seen.platform, seen.scenario_name) not in played]  # so it can be run in pieces
    given.out.mkdir(parents=True, exist_ok=True)
    title = 'Compactions of coding agents'
    (given.out / 'compactions.md').write_text(report.markdown(observations, failures, title))
    (given.out / 'compactions.html').write_text(report.page(observations, failures, title))
    print(f'{given.out}/compactions.md, compactions.html, observations/')
    return 1 if failures else 0


sys.exit(main())
