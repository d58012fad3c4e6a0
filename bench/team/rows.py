#!/usr/bin/env python3
"""Measures the rows of a team's database: rows.py [--exchanges N] [--people M] [--seconds S] [--plan]

Starts a PostgreSQL of its own in a temporary directory (the distribution's; as root it runs as the user postgres), with
the tables of schemas/sql/team, and writes N generated exchanges of M people through memd.put_rows: words by Zipf's law,
25 exchanges a session, spread over two years. Then pgbench asks memd.search for two to six words with one and with
eight clients; the 100 commonest are not asked for, as stop words are not. Prints the rate of writing, bytes a row,
latencies and CPU time of the server, and how far the ten best agree with a ranking of all rows that have a word.
"""
import argparse
import collections
import glob
import itertools
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
EXCHANGES_OF_SESSION = 25
WORDS_OF_QUESTION = range(20, 60)
WORDS_OF_ANSWER = range(40, 480)
VOCABULARY = 60000
TWO_YEARS_MS = 2 * 365 * 86400 * 1000
BEGIN_MS = 1_700_000_000_000
SEARCH = ("SELECT count(*) FROM questions q, memd.search('parcel', q.asked, '{}', 0, 9000000000000, '{}', 20)"
          " WHERE q.id = %s;\n")


class Server:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="memd-team-")
        os.chmod(self.dir, 0o755)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.dir, "postgres")
        self.run("initdb", "-D", self.dir + "/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
        settings = "listen_addresses='' shared_buffers=512MB max_wal_size=512MB wal_level=minimal max_wal_senders=0"
        options = " ".join("-c " + one for one in settings.split()) + " -k " + self.dir
        self.run("pg_ctl", "-D", self.dir + "/data", "-w", "-l", self.dir + "/log", "-o", options, "start")
        self.sql("postgres", "CREATE ROLE ada LOGIN; GRANT pg_read_all_stats TO ada", "postgres")
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
        said = subprocess.run(self.psql("postgres"), input=text, check=True, capture_output=True, text=True).stderr
        first = re.search(r"exchanges_1_\d+", said).group()
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


class Words:
    def __init__(self, draw):
        syllables = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ing")]
        names = {"".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 3, 4)))) + str(i % 7 or "")
                 for i in range(2 * VOCABULARY)}
        self.all = sorted(names)[:VOCABULARY]
        draw.shuffle(self.all)
        self.weights = list(itertools.accumulate(1 / (i + 3) for i in range(len(self.all))))
        self.draw = draw
        self.common = set(self.all[:100])

    def some(self, n):
        return self.draw.choices(self.all, cum_weights=self.weights, k=n)

    def asked(self):
        return sorted(set(self.some(60)) - self.common)[:self.draw.choice((2, 3, 4, 5, 6))]


def array(texts):
    return "'{" + ",".join('"' + text.replace("'", "''") + '"' for text in texts) + "}'"


def vector(words):
    def entry(word, times):
        return f"'{word}'" + (":" + ",".join(map(str, range(1, min(times, 15) + 1))) if times > 1 else "")

    return " ".join(entry(*one) for one in collections.Counter(words).items())


def write(server, words, exchanges, people):
    loading = subprocess.Popen(server.psql("ada"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    bytes_sent = 0
    spent = 0.0
    for session in range(exchanges // EXCHANGES_OF_SESSION):
        person = session % people
        begin = BEGIN_MS + words.draw.randrange(TWO_YEARS_MS)
        rows = []
        for number in range(EXCHANGES_OF_SESSION):
            question, answer = (words.some(words.draw.choice(n)) for n in (WORDS_OF_QUESTION, WORDS_OF_ANSWER))
            rows.append((number, words.draw.getrandbits(62), begin + number * 60000, len(question) + len(answer),
                         vector(question + answer), " ".join(question), " ".join(answer)))
        columns = list(zip(*rows))
        arrays = ", ".join(array(map(str, column)) for column in columns)
        statement = (f"SELECT memd.put_rows(1, 'm{person}', 'claude_code:{session:08d}-1111-4111-8111-111111111111',"
                     f" 'p{person}@laptop', 'claude_code', 'Session {session}', 'all', '{{}}', {arrays});\n")
        began = time.monotonic()
        loading.stdin.write(statement)
        spent += time.monotonic() - began
        bytes_sent += len(statement)
    began = time.monotonic()
    loading.stdin.close()
    loading.wait()
    return bytes_sent, spent + time.monotonic() - began


def ask(server, clients, seconds, questions):
    script = server.dir + "/ask.sql"
    with open(script, "w") as file:
        file.write(f"\\set i random(1, {questions})\n" + SEARCH % ":i")
    log = server.dir + f"/latency{clients}"
    before = server.cpu_ms()
    subprocess.run([PROGRAMS + "/pgbench", "-n", "-h", server.dir, "-U", "ada", "-f", script, "-c", str(clients),
                    "-j", "2", "-T", str(seconds), "-l", "--log-prefix", log, "team"],
                   check=True, stdout=subprocess.DEVNULL)
    time.sleep(1)  # for the server to have counted its processes
    times = sorted(int(line.split()[2]) / 1000 for name in glob.glob(log + "*") for line in open(name))
    at = lambda share: times[min(int(share * len(times)), len(times) - 1)]
    print(f"{clients} client{'s' * (clients > 1)}: p50 {at(.5):.1f} ms, p95 {at(.95):.1f} ms, {len(times)} searches,"
          f" {(server.cpu_ms() - before) / max(len(times), 1):.1f} ms of CPU each")


def agreement(server):
    server.sql("ada", "DO $$ BEGIN EXECUTE replace(replace(replace(pg_get_functiondef('memd.search'::regproc),"
               " 'memd.search', 'memd.search_all'), 'LIMIT 600', ''), '2000', '1000000000'); END $$")
    ten = "ARRAY(SELECT session_uid || number FROM memd.%s('parcel', q.asked, '{}', 0, 9000000000000, '{}', 10))"
    return float(server.sql("ada", "SELECT avg(cardinality(ARRAY(SELECT unnest(a) INTERSECT SELECT unnest(b)))"
                            " / greatest(cardinality(b), 1)::float8)"
                            f" FROM (SELECT {ten % 'search'} a, {ten % 'search_all'} b"
                            " FROM questions q WHERE id <= 40) x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exchanges", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20, help="for each number of clients")
    parser.add_argument("--plan", action="store_true", help="print the plan of a search")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    server = Server()
    try:
        for file in sorted(glob.glob(REPOSITORY + "/schemas/sql/team/*.sql")):
            server.sql("ada", open(file).read())
        server.sql("ada", "SELECT memd.make_share('parcel')")
        server.sql("ada", "INSERT INTO memd.machines SELECT 1, 'm' || i, 'ada'"
                   f" FROM generate_series(0, {options.people}) i")
        words = Words(random.Random(7))
        sent, seconds = write(server, words, options.exchanges, options.people)
        rows = int(server.sql("ada", "SELECT exchanges FROM memd.shares"))
        print(f"{rows} rows written, {sent / rows:.0f} bytes each as sent: {sent / seconds / 1e6:.1f} MB/s, "
              f"{rows / seconds:.0f} rows/s (server and sender on the same cores)")
        began = time.monotonic()
        server.sql("ada", "VACUUM ANALYZE")
        print(f"VACUUM ANALYZE {time.monotonic() - began:.0f} s")
        sizes = server.sql("ada", """
            SELECT sum(pg_total_relation_size(i.inhrelid)), sum(pg_relation_size(i.inhrelid)),
                   sum(pg_table_size(i.inhrelid) - pg_relation_size(i.inhrelid)),
                   (SELECT sum(pg_relation_size(x.indexrelid)) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
                    JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin'), count(*)
            FROM pg_inherits i WHERE i.inhparent = 'memd.exchanges_1'::regclass""").split("|")
        whole, heap, toast, gin, months = map(int, sizes)
        print(f"{whole / rows:.0f} bytes a row: table {heap / rows:.0f}, texts and words {toast / rows:.0f}, "
              f"index of words {gin / rows:.0f}, of sessions {(whole - heap - toast - gin) / rows:.0f};"
              f" {months} months")
        questions = [words.asked() for _ in range(500)]
        values = ", ".join(f"({i + 1}, {array(repr(word) for word in asked)})" for i, asked in enumerate(questions))
        server.sql("ada", "CREATE TABLE questions (id int PRIMARY KEY, asked text[]);"
                   f"INSERT INTO questions VALUES {values};")
        print(f"load {os.getloadavg()[0]:.1f}")
        for clients in (1, 8):
            ask(server, clients, options.seconds, len(questions))
        print(f"load {os.getloadavg()[0]:.1f}")
        print(f"agreement of the ten best with a ranking of all: {agreement(server):.2f}")
        if options.plan:
            print(server.explain(
                "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;"
                "SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze = on;"
                "SET auto_explain.log_timing = off; SET client_min_messages = log;"
                "SET SESSION AUTHORIZATION ada;" + SEARCH % "1"))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
