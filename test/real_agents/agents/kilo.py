"""Kilo, a fork of opencode. The wrapper package names a platform package that npm does not have, so that one is installed."""
from .opencode import OpenCode


class Kilo(OpenCode):
    name = 'kilo'
    program = 'kilo'
    programs = 'node_modules/@kilocode/cli-linux-x64/bin'
    setup_name = 'kilo'

    def files(self):
        (name, settings), = super().files().items()
        return {name: {**settings, 'snapshot': False}}  # on a slow machine it asks, and waits, whether to go on with them

    def variables(self):
        return {**super().variables(), 'KILO_DISABLE_DEFAULT_PLUGINS': '1', 'KILO_TELEMETRY_LEVEL': 'off'}
