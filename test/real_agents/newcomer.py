#!/usr/bin/env python3
"""How long a newcomer waits for the first answer: newcomer.py --installed DIR [--agent NAME] MEMD

An agent has a session behind it that memd has never seen. Then `memd`, `memd setup`, and a prompt for which the agent asks memd: the
clock runs from the first to the agent's answer. run.sh installs agents into DIR. try.sh in packaging/release adds the installing.
"""
import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from agents import DRIVERS
from playing import Play


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('memd', type=Path)
    parser.add_argument('--installed', type=Path, required=True)
    parser.add_argument('--agent', choices=[name for name, driver in DRIVERS.items() if driver.setup_name], default='claude_code')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='memd-newcomer-', ignore_cleanup_errors=True) as folder, \
            Play(given.agent, 'work', given.installed, Path(folder) / 'play') as play:
        environment = play.agent.environment()

        def memd(*arguments):
            return subprocess.run([given.memd.resolve(), *arguments], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env=environment, cwd=play.project).stdout

        play.agent.ask('look')
        before = set(play.agent.transcripts())
        try:
            began = time.monotonic()
            found = memd()
            memd('setup', play.agent.setup_name)
            ready = time.monotonic()
            play.agent.has_session = False
            play.agent.ask('memory')
            answered = time.monotonic()
        finally:
            memd('uninstall', '--data')
        if 'Found here: history of' not in found:
            raise SystemExit(f'memd alone does not name the agent: {found}')
        told = '\n'.join(path.read_text() for path in play.agent.transcripts() if path not in before)
        if play.script['turns']['look']['prompt'] not in told:
            raise SystemExit(f'the answer does not hold the earlier session: {told[-1000:]}')
        print(f'{(answered - began) * 1000:.0f} ms: memd and its setup {(ready - began) * 1000:.0f}, the agent {(answered - ready) * 1000:.0f}')


main()
