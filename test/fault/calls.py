#!/usr/bin/env python3
"""Which system calls memd makes in each kind of work, and which of them the injector of this folder makes fail.

calls.py MEMD          needs strace

Traces an undisturbed run of each kind of work over made-up agents' files. A system call that is neither among those
that preload/failing_calls.cpp fails nor among those that are left out for a reason (EXEMPT) ends it with 1.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from flood import Client, Daemon
from soak_agents import ClaudeCode, Codex, Cursor, Gemini, OldSession, Words

# What the injector fails, by the names of preload/call_failures.hpp.
COVERED = {
    "open": ["open", "openat", "openat2", "creat"],
    "read": ["read", "pread64", "readv", "preadv", "getdents64"],
    "write": ["write", "pwrite64", "writev", "pwritev"],
    "sync": ["fsync", "fdatasync"],
    "truncate": ["ftruncate", "fallocate"],
    "rename": ["rename", "renameat", "renameat2", "link", "linkat"],
    "unlink": ["unlink", "unlinkat", "rmdir"],
    "mkdir": ["mkdir", "mkdirat"],
    "map": ["mmap"],
    "stat": ["stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat2", "readlink", "readlinkat", "statfs",
             "fstatfs", "chmod", "fchmod", "fchmodat", "fchown", "utimensat"],
    "lock": ["fcntl", "flock"],
    "descriptor": ["socket", "accept", "accept4", "epoll_create1", "eventfd2", "timerfd_create", "inotify_init1", "pipe2"],
    "watch": ["inotify_add_watch"],
    "listen": ["bind", "listen", "connect"],
    "thread": ["clone", "clone3"],
}
EXEMPT = {
    "fails only for a wrong argument": [
        "close", "lseek", "munmap", "mprotect", "madvise", "brk", "dup", "dup2", "umask", "epoll_ctl", "timerfd_settime",
        "inotify_rm_watch", "getsockname", "getsockopt", "setsockopt", "getpeername", "shutdown", "fadvise64", "mremap",
        "getcwd", "ioctl"],
    "asks the kernel of the process, and cannot fail": [
        "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getppid", "uname", "sysinfo", "getrusage",
        "prlimit64", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "getrandom", "times", "clock_gettime",
        "clock_getres", "getpgrp", "getpriority", "getcpu", "sched_get_priority_max", "sched_get_priority_min"],
    "what it does is only better to have, and nobody looks at its result": [
        "setpriority", "prctl", "sched_setscheduler", "sched_yield", "ioprio_set"],
    "waits, and is begun again": [
        "futex", "poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2", "nanosleep", "clock_nanosleep", "select",
        "pselect6", "wait4", "restart_syscall"],
    "starts, ends or signals a process": [
        "execve", "exit", "exit_group", "arch_prctl", "set_tid_address", "set_robust_list", "rseq", "rt_sigaction",
        "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "kill", "tgkill", "setsid", "vfork", "fork"],
    "of a client's connection: flood.py and the tests of transports break these off": [
        "recvmsg", "sendmsg", "recvfrom", "sendto"],
}


class Trace:
    def __init__(self, args, work):
        self.memd, self.work = args, work
        self.home = work / "home"
        self.home.mkdir()
        (work / "config.yaml").write_text("retention: {max_age_days: 3650}\n")
        words = Words()
        old = OldSession(self.home, words, 1, kind="old")
        agents = [ClaudeCode(self.home, words, 2), Codex(self.home, words, 3), Cursor(self.home, words, 4),
                  Gemini(self.home, words, 5)]
        for _ in range(3):
            old.write()
        for agent in agents:
            for _ in range(6):
                agent.step()
            agent.finish()
        leaving = ClaudeCode(self.home, words, 6, kind="leaving", project="/w/leavingproject")
        leaving.step()
        leaving.finish()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment["HOME"] = str(self.home)

    def arguments(self, *more):
        return ["--home", str(self.home), "--data-dir", str(self.work / "data"), "--config",
                str(self.work / "config.yaml"), *more]

    def strace(self):
        return ["strace", "-f", "-qq", "-o", str(self.work / "trace")]

    def run(self, *arguments):
        done = subprocess.run([*self.strace(), self.memd, *self.arguments(*arguments)], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return self.calls()

    def calls(self):
        out = collections.Counter()
        with open(self.work / "trace", errors="replace") as trace:
            for line in trace:
                if not (call := re.match(r"\d+\s+(\w+)\((.*)", line)):
                    continue
                name, rest = call.groups()
                if name == "mmap" and ", -1, " in rest:
                    name = "brk"  # memory without a file
                if name == "fcntl" and "F_SETLK" not in rest and "F_OFD_SETLK" not in rest:
                    name = "dup"  # flags of a descriptor
                out[name] += 1
        return out

    def daemon(self):
        wrapped = self.work / "traced"
        wrapped.write_text("#!/bin/sh\nexec " + " ".join(self.strace()) + f" {self.memd} \"$@\"\n")
        wrapped.chmod(0o700)
        daemon = Daemon(str(wrapped), self.home, self.work / "data", ["--config", str(self.work / "config.yaml")],
                        self.environment)
        client = Client(daemon.socket)
        client.ask("memd/ingest", {})
        client.ask("tools/call", {"name": "semantic_search", "arguments": {"query": "cache"}})
        client.close()
        memd = int(subprocess.run(["pgrep", "-P", str(daemon.process.pid)], capture_output=True, text=True).stdout.split()[0])
        os.kill(memd, 15)
        daemon.process.wait(60)
        return self.calls()


def main():
    if len(sys.argv) != 2 or not shutil.which("strace"):
        sys.exit(__doc__)
    group = {call: name for name, calls in COVERED.items() for call in calls}
    reason = {call: name for name, calls in EXEMPT.items() for call in calls}
    work = pathlib.Path(tempfile.mkdtemp(prefix="memd-calls-"))
    try:
        trace = Trace(os.path.abspath(sys.argv[1]), work)
        text = work / "text.md"
        text.write_text("A text.\n")
        runs = {
            "ingest": trace.run("ingest", "--once"),
            "rebuild": trace.run("rebuild"),
            "retention": trace.run("retention", "--apply"),
            "forget": trace.run("forget", "--project", "leavingproject", "--yes"),
            "daemon": trace.daemon(),
            "memory write": trace.run("memory", "write", "--type", "learning", "--title", "One", str(text)),
            "memory edit": trace.run("memory", "edit", "learning-one", "--title", "Another"),
            "memory delete": trace.run("memory", "delete", "learning-one"),
        }
    finally:
        for process in Daemon.started:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(work, ignore_errors=True)
    seen = sorted({call for calls in runs.values() for call in calls})
    print(f"{'system call':<20} {'fails as':<12} " + " ".join(f"{name:>9}" for name in
                                                            (n.removeprefix("memory ") for n in runs)))
    for call in [c for c in seen if c in group]:
        print(f"{call:<20} {group[call]:<12} " + " ".join(f"{calls[call]:>9}" for calls in runs.values()))
    for why in EXEMPT:
        print(f"not made to fail, {why}: " + ", ".join(c for c in seen if reason.get(c) == why))
    unknown = [c for c in seen if c not in group and c not in reason]
    if unknown:
        sys.exit("neither made to fail nor left out for a reason: " + ", ".join(unknown))


if __name__ == "__main__":
    main()
