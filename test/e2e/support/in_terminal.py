#!/usr/bin/env python3
"""Runs a command on a terminal of its own and prints what it wrote there.

usage: in_terminal.py COLUMNS ROWS COMMAND...
"""

import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execvp(sys.argv[3], sys.argv[3:])
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the terminal is gone with its last process
            break
        if not part:
            break
        written += part
    _, status = os.waitpid(child, 0)
    sys.stdout.buffer.write(written.replace(b"\r\n", b"\n"))
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
