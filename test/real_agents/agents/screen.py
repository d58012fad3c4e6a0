"""A terminal for an interactive program: tmux."""
import os
import select
import shutil
import subprocess
import tempfile
import time


class Screen:
    """One program in a tmux server of its own. One thread at a time."""

    def __init__(self, name):
        self.name = name
        self.directory = tempfile.mkdtemp()
        self.output = None  # what the program writes, a FIFO that tmux fills

    def _tmux(self, *args):
        return subprocess.run(['tmux', '-L', self.name, '-f', '/dev/null', *args], capture_output=True, text=True, check=False).stdout

    def start(self, command, environment, directory):
        variables = [f'{k}={v}' for k, v in environment.items()]
        subprocess.run(['tmux', '-L', self.name, '-f', '/dev/null', 'set-option', '-g', 'remain-on-exit', 'on', ';',
                        'new-session', '-d', '-x', '140', '-y', '45', '-c', str(directory), 'env', '-i', *variables, *command],
                       check=True, stdin=subprocess.DEVNULL)
        fifo = os.path.join(self.directory, 'output')
        os.mkfifo(fifo)
        self.output = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        self._tmux('pipe-pane', '-O', f'exec cat >{fifo}')

    def type(self, text):
        """A line of input. It is typed again where a dialog, which came over the input meanwhile, took the keys and closed."""
        for is_last in (False, True):
            self._tmux('send-keys', '-l', text)
            try:
                self.wait(lambda: self._shows(text), 20)
                break
            except TimeoutError:
                if is_last:
                    raise
        self.settle(0.5)
        self.key('Enter')

    def _shows(self, text):
        """Whether the beginning of the text is on the screen, where it is not broken into lines."""
        return ' '.join(text.split())[:24] in self.text()

    def key(self, *names):
        self._tmux('send-keys', *names)

    def text(self):
        return '\n'.join(line for line in self._tmux('capture-pane', '-p').split('\n') if line.strip())

    def _writes(self, seconds):
        """Waits until the program writes; whether it did."""
        if not select.select([self.output], [], [], seconds)[0]:
            return False
        os.read(self.output, 1 << 20)
        return True

    def _has_ended(self):
        return self._tmux('display-message', '-p', '#{pane_dead}').strip() != '0'

    def wait(self, condition, seconds):
        """Looks at the condition whenever the program writes, and each second: it may be of something else."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self._has_ended():
                raise RuntimeError('the program ended: ' + self.text()[-1500:])
            if time.monotonic() > deadline:
                raise TimeoutError('the screen shows: ' + self.text()[-1500:])
            self._writes(1)

    def wait_text(self, text, seconds=240):
        self.wait(lambda: text in self.text(), seconds)

    def settle(self, seconds=1.5):
        """Waits until nothing moves for so long."""
        last, since = self.text(), time.monotonic()
        deadline = since + 60
        while (left := min(since + seconds, deadline) - time.monotonic()) > 0 and self._writes(left):
            now = self.text()
            if now != last:
                last, since = now, time.monotonic()

    def close(self):
        self._tmux('kill-server')
        if self.output is not None:
            os.close(self.output)
        shutil.rmtree(self.directory, ignore_errors=True)
