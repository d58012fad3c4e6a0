#!/usr/bin/env python3
"""Draws exchanges whose decisions a reader is to mark.

  draw_decisions.py DIRECTORY/memd.db SEED COUNT [SETS = 1]

Prints platform, session, exchange and the number of the set, for each of SETS sets of about COUNT exchanges. Drawn from
main sessions, in proportion to the platforms, without the exchanges that decisions.tsv beside this file has. The sets of
one seed have no exchange in common.
"""
import collections
import pathlib
import random
import sqlite3
import sys


def judged():
    labels = pathlib.Path(__file__).with_name("decisions.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in labels if line and not line.startswith(("#", "platform\t")))
    return {(row[0], row[1], int(row[2])) for row in rows}


def unjudged(database):
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    done = judged()
    pools = collections.defaultdict(list)
    for row in connection.execute(
        "SELECT s.platform, s.native_id, e.exchange_number FROM exchanges e JOIN sessions s USING (session_pk)"
        " WHERE s.kind = 0 ORDER BY s.platform, s.native_id, e.exchange_number"
    ):
        if row not in done:
            pools[row[0]].append(row)
    return pools


def main(database, seed, count, sets="1"):
    rng = random.Random(int(seed))
    pools = unjudged(database)
    left = sum(map(len, pools.values()))
    for _, pool in sorted(pools.items()):
        share = round(int(count) * len(pool) / left)
        drawn = rng.sample(pool, share * int(sets))
        for i in range(int(sets)):
            for row in sorted(drawn[i * share : (i + 1) * share]):
                print(*row, i + 1, sep="\t")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
