"""A memd over a home of its own, asked as an agent asks it (MCP on stdin and stdout) and as a person does (`memd
--json`); and what the judges count with."""
import argparse
import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time

HISTORIES = (".claude/projects", ".codex", ".config", ".gemini/tmp", ".local/share/opencode")


def copy_history(source, home):
    """Copies the agents' histories below `source`; call it on an empty home."""
    for part in HISTORIES:
        if (pathlib.Path(source) / part).exists():
            shutil.copytree(pathlib.Path(source) / part, home / part, dirs_exist_ok=True)
    for path in home.rglob("*"):
        path.chmod(path.stat().st_mode | 0o200)  # an agent can write to its own files


class Memd:
    """The daemon has read all that `write(home)` wrote. Use with `with`: the end removes the daemon and the home."""

    def __init__(self, program, write=lambda home: None):
        self.program = str(pathlib.Path(program).resolve())
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="memd-quality-"))
        self.home = self.scratch / "home"
        (self.home / ".claude/projects").mkdir(parents=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "MEMD_"))}
        self.environment |= {"HOME": str(self.home), "XDG_DATA_HOME": str(self.scratch / "data"),
                             "XDG_CONFIG_HOME": str(self.scratch / "config"), "XDG_RUNTIME_DIR": str(self.scratch)}
        write(self.home)
        self.server = subprocess.Popen([self.program, "--stdio"], env=self.environment, cwd=self.home, text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.requests = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "q", "version": "1"})
        self.settle()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stdin.close()
        self.server.wait()
        subprocess.run([self.program, "stop"], env=self.environment, stdout=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def ask(self, method, **params):
        self.requests += 1
        request = {"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params}
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        while (answer := json.loads(self.server.stdout.readline())).get("id") != self.requests:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def tool(self, name, **arguments):
        """Returns the text and the structured content of a tool's answer."""
        result = self.ask("tools/call", name=name, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(f"{name}: {result['content'][0]['text']}")
        return result["content"][0]["text"], result.get("structuredContent", {})

    def run(self, *arguments):
        """Returns what `memd --json …` prints."""
        done = subprocess.run([self.program, "--json", *arguments], env=self.environment, cwd=self.home,
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def settle(self, second_look=False):
        """Waits until all that the home holds is read, and its vectors are made."""
        self.ask("memd/ingest", **({"second_look": True} if second_look else {}))
        while any(self.ask("memd/status")["structured"]["enrichment"][left] for left in ("pending_terms", "pending_vectors")):
            time.sleep(0.05)

    def exchanges(self):
        """Returns the exchanges as the store holds them. No answer gives all these texts, which the other methods
        search and the labels name by hash; what is judged is asked from the program."""
        db = sqlite3.connect(f"file:{self.scratch}/data/memd/memd.db?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(
            "SELECT 'x' || exchange_pk AS id, uid AS session, native_id, platform, exchange_number AS number,"
            " coalesce(user_message, '') AS user, coalesce(interventions, '') AS interventions,"
            " coalesce(assistant_response, '') AS agent, coalesce(tool_text, '') AS tools,"
            " coalesce(identity_key, '') AS project FROM exchanges JOIN sessions USING (session_pk)"
            " LEFT JOIN projects USING (project_pk) ORDER BY uid, exchange_number")]


class Transcript:
    """A session as Claude Code writes it. Its ids come from the two numbers, so runs repeat."""

    def __init__(self, home, project, collection, number):
        self.ids, self.records, self.id = (collection, number), [], f"aaaaaaaa-{collection:04x}-4000-8000-{number:012x}"
        self.cwd = "/home/ada/" + project
        self.file = home / ".claude/projects" / f"-home-ada-{project}" / (self.id + ".jsonl")

    def add(self, by_user, text, at):
        """`at`: seconds since 1970."""
        message = {"role": "user", "content": text} if by_user else {
            "model": "claude-opus-4-6", "id": "msg_{}_{}_{}".format(*self.ids, len(self.records)), "type": "message",
            "role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": None,
            "usage": {"input_tokens": 6, "output_tokens": 60}}
        self.records.append({
            "parentUuid": self.records[-1]["uuid"] if self.records else None, "isSidechain": False, "cwd": self.cwd,
            "sessionId": self.id, "version": "2.1.42", "type": "user" if by_user else "assistant", "message": message,
            "uuid": "bbbb{:04x}-{:04x}-4000-8000-{:012x}".format(*self.ids, len(self.records)),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))})

    def write(self):
        """Returns the session's id."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("".join(json.dumps(r) + "\n" for r in self.records))
        return "claude_code:" + self.id


def options(doc, labels=None, **flags):
    """Reads the command line. `flags`: name and help."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memd", required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="a home with real histories")
    if labels:
        parser.add_argument("--labels", default=pathlib.Path(__file__).resolve().parents[2] / "test/labels" / labels)
    for name, text in flags.items():
        parser.add_argument("--" + name, action="store_true", help=text)
    return parser.parse_args()


def labels(file):
    """Returns the rows of a label file of test/labels, by the names in its first line."""
    lines = [line.split("\t") for line in pathlib.Path(file).read_text().splitlines() if line and line[0] != "#"]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def share(hits):
    """Returns the share of true ones with its 95% interval (Wilson): "75% 3/4 (30–95)"."""
    n, z = len(hits), 1.96
    if n == 0:
        return "–"
    p = sum(hits) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{100 * p:.0f}% {sum(hits)}/{n} ({100 * max(0, middle - reach):.0f}–{100 * min(1, middle + reach):.0f})"


def print_halves(of, figures, names, counted):
    """Prints shares by half. `counted`: hits by name, half and figure."""
    print(f"| {of} | half | {' | '.join(figures)} |\n|{'---|' * (len(figures) + 2)}")
    for name in names:
        for half, halves in (("dev", ["dev"]), ("held", ["held"]), ("both", ["dev", "held"])):
            shares = (share([hit for one in halves for hit in counted[name, one, figure]]) for figure in figures)
            print(f"| {name} | {half} | {' | '.join(shares)} |")


def mean(values):
    return sum(values) / len(values) if values else 0


def with_interval(values):
    """Returns the mean with its 95% interval: percentile bootstrap, 1,000 resamples, always the same ones."""
    drawn = random.Random(1)
    means = sorted(mean(drawn.choices(values, k=len(values))) for _ in range(1000))
    return f"{mean(values):.3f} [{means[25]:.3f} {means[974]:.3f}]"
