"""Runs the scenarios on every platform and writes the comparison.

test/real_agents/run.sh --compactions --memd MEMD --out DIR [--platform P]... [--scenario S]... [--seeds 5] [--first-seed 0]
"""

import argparse
import pathlib
import sys
import time

from agents import DRIVERS

from . import report
from .conversation import SCENARIOS
from .driven import DrivenAgent
from .harness import CompactionTestHarness
from .recorded import RECORDED

DRIVEN = ['claude_code', 'codex', 'gemini', 'opencode', 'grok']


def opener(platform, installed):
    """Opens an agent of the platform: driven if it is installed, else written as it writes."""
    if platform in DRIVEN and installed and (installed / platform).is_dir():
        return lambda home, project, conversation: DrivenAgent(DRIVERS[platform], installed, home, project, conversation)
    if platform in RECORDED:
        return lambda home, project, conversation: RECORDED[platform](home, project, 1)
    return None


def main():
    options = argparse.ArgumentParser(prog='run.sh --compactions')
    options.add_argument('--memd', required=True)
    options.add_argument('--installed', type=pathlib.Path, help='where run.sh installed the agents; without it only records are written')
    options.add_argument('--out', type=pathlib.Path, required=True)
    options.add_argument('--platform', '--agent', action='append', dest='platform')
    options.add_argument('--scenario', action='append')
    options.add_argument('--seeds', type=int, default=5)
    options.add_argument('--first-seed', type=int, default=0)
    given = options.parse_args()
    observations, failures = [], []
    for platform in given.platform or list(dict.fromkeys(DRIVEN + list(RECORDED))):
        open_agent = opener(platform, given.installed)
        if open_agent is None:
            failures.append(f'{platform}: not installed')
            continue
        harness = CompactionTestHarness(given.memd, open_agent, given.out / 'observations')
        for scenario in SCENARIOS:
            if given.scenario and scenario.name not in given.scenario:
                continue
            for seed in range(given.first_seed, given.first_seed + given.seeds):
                begin = time.monotonic()
                try:
                    seen = harness.run_scenario(scenario, seed)
                except Exception as error:  # noqa: BLE001: one run that fails is a line of the report
                    failures.append(f'{platform} {scenario.name} {seed}: {type(error).__name__}: {str(error)[-300:]}')
                    print(f'{platform:12} {scenario.name:16} {seed}  FAILED: {str(error)[-160:]}', flush=True)
                    continue
                found = sum(seen.data_preserved.values())
                print(
                    f'{platform:12} {scenario.name:16} {seed}  {found}/{len(seen.data_preserved)} facts in the pack, '
                    f'{"compacted" if seen.compaction_occurred else "no compaction seen"}, {time.monotonic() - begin:.0f} s',
                    flush=True,
                )
        observations += harness.observations
    given.out.mkdir(parents=True, exist_ok=True)
    title = 'Compactions of coding agents'
    (given.out / 'compactions.md').write_text(report.markdown(observations, failures, title))
    (given.out / 'compactions.html').write_text(report.page(observations, failures, title))
    print(f'{given.out}/compactions.md, compactions.html, observations/')
    return 1 if failures else 0


sys.exit(main())
