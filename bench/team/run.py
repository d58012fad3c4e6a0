#!/usr/bin/env python3
"""Measures a team's database: run.py TEAM_BENCH [--exchanges N] [--people M] [--shares S] [--seconds T] [--texts FILE]
[--plan]

Starts a PostgreSQL of its own in a temporary directory (the distribution's; as root it runs as the user postgres), and
has TEAM_BENCH (the program of that name) write N generated exchanges of M people into S shares: segments, and rows of
some 300 words by Zipf's law, or runs of the words of FILE, over two years. Then it asks with one and with eight clients. Prints what it does, and
then the figures of docs/sharing.md: rates, bytes, latencies, CPU time of the server, how far the ten best agree with
a ranking of all rows that have a word, and by meaning of all vectors; and what that makes for 10 to 100,000 people.
Where the server offers pgvector, it searches by meaning again with its indexes.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import tempfile
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
PEOPLE = 10, 1_000, 100_000
TURNS = 5_000  # of a person, a year
SEARCHES = 50  # likewise, a day
LOOKS = 1_440  # likewise, of a daemon that a pooler keeps from being told of changes
SEARCH = "memd.search(q.project, q.asked, '{}', 0, 9000000000000, '{}', 10)"
ALL_ROWS = {"LIMIT 2000 / greatest(cardinality($1), 1)": "", "place <= 5": "place <= 6", "s.found >= 100": "false"}
EXACTLY = {"LIMIT 400": "", "LIMIT 60000": "", "vectors > 60000": "false"}
NEAR = "memd.near(q.project, q.model, q.vector, q.signs, '{}', '{}', '{}', 0, 9000000000000, '{}', 10)"


class Server:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="memd-team-")
        os.chmod(self.dir, 0o755)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.dir, "postgres")
        self.run("initdb", "-D", self.dir + "/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
        settings = "listen_addresses='' shared_buffers=2GB max_wal_size=4GB wal_level=minimal max_wal_senders=0"
        options = " ".join("-c " + one for one in settings.split()) + " -k " + self.dir
        self.run("pg_ctl", "-D", self.dir + "/data", "-w", "-l", self.dir + "/log", "-o", options, "start")
        self.sql("postgres", "CREATE ROLE ada LOGIN", "postgres")
        self.sql("postgres", "CREATE DATABASE team OWNER ada", "postgres")

    def run(self, program, *arguments):
        subprocess.run(self.user + [PROGRAMS + "/" + program, *arguments], check=True, stdout=subprocess.DEVNULL)

    def psql(self, role, database="team"):
        return ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.dir, "-U", role, database]

    def sql(self, role, text, database="team"):
        done = subprocess.run(self.psql(role, database), input=text, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    # The plans of the statements below a statement, with the first of a share's months only.
    def explain(self, text):
        text = ("LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
                "SET auto_explain.log_analyze = on; SET client_min_messages = log; SET SESSION AUTHORIZATION ada;" + text)
        said = subprocess.run(self.psql("postgres"), input=text, check=True, capture_output=True, text=True).stderr
        first = (re.findall(r"exchanges_1_\d+", said) or [""])[0]
        lines = []
        skipped = None  # the indentation of another month's scan
        for line in said.splitlines():
            indentation = len(line) - len(line.lstrip())
            if skipped is not None and indentation > skipped:
                continue
            is_other = first not in line and re.search(r"exchanges_1_\d+", line)
            skipped = indentation if is_other else None
            lines += [] if is_other else [line]
        return "\n".join(lines)

    def cpu_ms(self):
        pid = open(self.dir + "/data/postmaster.pid").readline().strip()
        ended = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
        return (int(ended[13]) + int(ended[14])) * 1000 / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.run("pg_ctl", "-D", self.dir + "/data", "-m", "immediate", "stop")
        shutil.rmtree(self.dir)


def size(count):
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            break
        count /= 1000
    else:
        unit = "TB"
    return f"{count:.{0 if count >= 10 else 1}f} {unit}"


# What one statement's CPU time costs when it runs so often a day.
def cores(times_a_day, ms):
    return times_a_day * ms / 86_400_000


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows])


# Of the ten best: how many are the same in a ranking of all rows.
def agreement(server, call, limits):
    name = call.partition("(")[0]
    change = f"replace(pg_get_functiondef('{name}'::regproc), '{name}', '{name}_all')"
    for limit, other in limits.items():
        change = f"replace({change}, '{limit}', '{other}')"
    server.sql("ada", f"DO $do$ BEGIN EXECUTE {change}; END $do$")
    ten = f"ARRAY(SELECT session_uid || '#' || number FROM {call})"
    return float(server.sql("ada", "SELECT avg(cardinality(ARRAY(SELECT unnest(a) INTERSECT SELECT unnest(b)))"
                            " / greatest(cardinality(b), 1)::float8)"
                            f" FROM (SELECT {ten} a, {ten.replace(name, name + '_all')} b"
                            " FROM questions q WHERE id <= 40) x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("team_bench")
    parser.add_argument("--exchanges", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--shares", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20, help="for each number of clients")
    parser.add_argument("--texts", help="a file of which words are taken")
    parser.add_argument("--plan", action="store_true", help="print the plans of the questions")
    options = parser.parse_args()
    load = lambda: print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    load()
    server = Server()

    def bench(*arguments):
        texts = ["--texts", options.texts] if options.texts else []
        return subprocess.run([options.team_bench, *texts, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def figure(pattern, said):
        return float(re.search(pattern, said)[1])

    url = f"postgres:///team?user=ada&host={server.dir}"
    try:
        before = server.cpu_ms()
        written = bench("write", url, options.exchanges, options.people, options.shares)
        print(written, end="", flush=True)
        rows = int(server.sql("ada", "SELECT sum(exchanges) FROM memd.shares"))
        write_ms = (server.cpu_ms() - before) / rows
        print(f"{rows} exchanges, {write_ms:.2f} ms of CPU each on the server")
        began = time.monotonic()
        server.sql("postgres", "VACUUM ANALYZE")
        print(f"VACUUM ANALYZE {time.monotonic() - began:.0f} s", flush=True)
        sizes = server.sql("ada", """
            WITH leaves AS (SELECT t.relid AS leaf FROM pg_partition_tree('memd.exchanges') t WHERE t.isleaf)
            SELECT sum(pg_total_relation_size(leaf)), sum(pg_relation_size(leaf)),
                   sum(pg_table_size(leaf) - pg_relation_size(leaf)),
                   (SELECT sum(pg_relation_size(x.indexrelid)) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
                    JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin'), count(*),
                   pg_total_relation_size('memd.files'),
                   (SELECT sum(pg_total_relation_size(t.relid)) FROM pg_partition_tree('memd.vectors') t WHERE t.isleaf)
            FROM leaves""").split("|")
        whole, heap, toast, gin, months, files, vectors = map(int, sizes)
        per_row = [part / rows for part in (heap, toast, gin, whole - heap - toast - gin)]
        print(f"{months} partitions; {(whole + vectors + files) / options.people / 1e6:.1f} MB a person", flush=True)
        load()
        searches = {}
        for how, clients in (("ask", 1), ("ask", 8), ("near", 1), ("near", 8)):
            before = server.cpu_ms()
            said = bench(how, url, options.shares, clients, options.seconds)
            time.sleep(1)  # for the server to have counted its processes
            search_ms = (server.cpu_ms() - before) / figure(r"(\d+) searches", said)
            searches[how, clients] = figure(r"p50 ([\d.]+)", said), figure(r"p95 ([\d.]+)", said), search_ms
            print(f"{how}: {said.strip()}, {search_ms:.1f} ms of CPU each", flush=True)
        before = server.cpu_ms()
        bench("look", url, 5_000)
        time.sleep(1)
        look_ms = (server.cpu_ms() - before) / 5_000
        print(f"a look for news: {look_ms:.2f} ms of CPU")
        load()
        questions = [line.split("\t") for line in bench("questions", options.shares, 40).splitlines()]
        values = ", ".join(f"({i + 1}, '{project}', string_to_array($w${words}$w$, ' '), '{{{vector}}}', "
                           f"B'{''.join(str(int(x.startswith('-'))) for x in vector.split(','))}', "
                           "(SELECT max(model) FROM memd.vectors))"
                           for i, (project, words, vector) in enumerate(questions))
        server.sql("ada", "CREATE TABLE questions (id int PRIMARY KEY, project text, asked text[], vector int[],"
                   f" signs bit varying, model bigint); INSERT INTO questions VALUES {values};")
        print()
        print(table([f"{rows:,} turns, {options.people} people, {options.shares} share"
                     f"{'s' if options.shares > 1 else ''}", ""], [
            ["bytes a row: table; texts and words; index of words; of sessions", "; ".join(f"{p:,.0f}" for p in per_row)],
            ["bytes of files a turn", f"{files / rows:,.0f}"],
            ["writing rows", f"{figure(r'sent: ([0-9.]+) MB/s', written):.1f} MB/s"],
            ["writing files", f"{figure(r'segments: ([0-9.]+) MB/s', written):.1f} MB/s"],
            ["CPU of the server for both, a turn; for a look for news", f"{write_ms:.2f}; {look_ms:.2f} ms"],
            *[[f"a search {'for 2 to 6 words' if how == 'ask' else 'by their meaning'}, "
               f"{clients} client{'s' if clients > 1 else ''}: p50; p95; CPU of the server",
               f"{p50:.0f}; {p95:.0f}; {cpu:.0f} ms"] for (how, clients), (p50, p95, cpu) in searches.items()],
            ["bytes of vectors a turn", f"{vectors / rows:,.0f}"],
            ["of the ten best, the same as in a ranking of all rows; by meaning",
             f"{agreement(server, SEARCH, ALL_ROWS):.3f}; "
             f"{agreement(server, NEAR, EXACTLY):.3f}"]]), flush=True)
        if server.sql("postgres", "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
            server.sql("postgres", "CREATE EXTENSION vector")
            began = time.monotonic()
            for command in server.sql("ada", "SELECT memd.index_commands()").splitlines():
                server.sql("ada", command)
            took = time.monotonic() - began
            bytes_of = int(server.sql("ada", "SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class"
                                      " WHERE relname ~ '^signs_'"))
            print(f"pgvector: {took:.0f} s, {bytes_of / rows:,.0f} bytes a turn; of the ten best by meaning "
                  f"{agreement(server, NEAR, EXACTLY):.3f}", flush=True)
            for clients in 1, 8:
                print(f"near: {bench('near', url, options.shares, clients, options.seconds).strip()}", flush=True)
        print()
        print(table(["people", "rows a month", "files a month", "cores for searches", "for writing", "for looks"], [
            [f"{people:,}", size(people * TURNS / 12 * (whole + vectors) / rows), size(people * TURNS / 12 * files / rows),
             *[f"{cores(people * often, ms):.2f}" for often, ms in
               ((SEARCHES, searches["ask", 1][2] + searches["near", 1][2]), (TURNS / 365, write_ms), (LOOKS, look_ms))]]
            for people in PEOPLE]))
        if options.plan:
            uid = server.sql("ada", "SELECT min(session_uid) FROM memd.sessions")
            span = "0, 9000000000000, '{}', 20"
            for asked in (f"questions q, {SEARCH} WHERE q.id = 1", f"memd.changes_of('project0', 'file7.cpp', {span})",
                          f"questions q, {NEAR} WHERE q.id = 1",
                          f"memd.observed('project0', 'decision', {span})", f"memd.turns('project0', '{uid}', 1000, 10)"):
                print(server.explain(f"SELECT count(*) FROM {asked};"))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
