"""Starts the memd that this package has installed, as an MCP server if nothing else is said."""

import os
import sys
import sysconfig


def main():
    program = os.path.join(sysconfig.get_path("scripts"), "memd")
    os.execv(program, [program, *(sys.argv[1:] or ["--stdio"])])
