#!/usr/bin/env python3
"""Has real agents work, and checks what memd makes of it: see README.md. run.sh installs the agents and calls this."""
import argparse
import sys
import time
from pathlib import Path

from agents import DRIVERS
from agents.agent import Unable
from playing import Play, script


def main():
    scenarios = script()['scenarios']
    options = argparse.ArgumentParser(prog='run.sh')
    options.add_argument('--latest', action='store_true', help='the newest versions from the registry, not the pinned ones')
    options.add_argument('--install', action='store_true', help='only install the agents')
    options.add_argument('--installed', type=Path, help=argparse.SUPPRESS)
    options.add_argument('--agent', action='append', choices=list(DRIVERS))
    options.add_argument('--scenario', action='append', choices=list(scenarios))
    options.add_argument('--work', type=Path, default=Path('/tmp/memd-real-agents'))
    given = options.parse_args()
    failed = 0
    for agent in given.agent or DRIVERS:
        for scenario in given.scenario or scenarios:
            began = time.monotonic()
            with Play(agent, scenario, given.installed, given.work / agent / scenario) as play:
                try:
                    play.run()
                    said = 'played'
                except Unable as reason:
                    said = f'– {reason}'
                except (RuntimeError, TimeoutError) as trouble:
                    said, failed = f'FAILED {trouble}', failed + 1
                print(f'{agent:12} {play.played.version:10} {scenario:14} {time.monotonic() - began:5.1f} s  {said}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
