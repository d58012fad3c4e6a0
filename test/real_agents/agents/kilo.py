"""Kilo, a fork of opencode. The wrapper package names a platform package that npm does not have, so that one is installed."""
from .opencode import OpenCode


class Kilo(OpenCode):
    name = 'kilo'
    program = 'kilo'
    programs = 'node_modules/@kilocode/cli-linux-x64/bin'
    setup_name = 'kilo'

    def variables(self):
        return {**super().variables(), 'KILO_DISABLE_DEFAULT_PLUGINS': '1', 'KILO_TELEMETRY_LEVEL': 'off'}
