-- Commits that agents made, joined to their sessions, and files found by their names.

-- What `git commit` and its like told of: "[main 1a2b3c4] Add an index". Goes with the event that says so.
CREATE TABLE commits (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  sha             TEXT    NOT NULL,
  exchange_number INTEGER,
  branch          TEXT    NOT NULL DEFAULT '',
  subject         TEXT    NOT NULL DEFAULT '',
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, sha),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX commits_by_sha ON commits (sha);

-- Of what was read before, the first line of each result is known; `memd rebuild` finds those that stand further down.
INSERT OR IGNORE INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)
SELECT session_pk, seq, sha,
       (SELECT max(exchange_number) FROM exchanges x WHERE x.session_pk = found.session_pk AND x.first_seq <= found.seq),
       CASE WHEN place = 'detached HEAD' THEN '' ELSE place END, subject, time
FROM (SELECT session_pk, seq, time, subject, substr(head, length(before) + 1) AS sha,
             replace(rtrim(before), ' (root-commit)', '') AS place, before
      FROM (SELECT *, rtrim(head, '0123456789abcdef') AS before
            FROM (SELECT session_pk, seq, time, substr(summary, 2, instr(summary, '] ') - 2) AS head,
                         substr(summary, instr(summary, '] ') + 2) AS subject
                  FROM events r WHERE kind = 4 AND summary GLOB '[[]?* [0-9a-f]*[]] ?*'
                    AND EXISTS (SELECT 1 FROM events c WHERE c.session_pk = r.session_pk AND c.seq = r.pair_seq
                                AND instr(substr(c.summary, 1, 100), 'git') > 0)))) AS found
WHERE before GLOB '?* ' AND length(sha) BETWEEN 7 AND 40;

-- The last part of a path, with which people and agents ask for a file.
ALTER TABLE paths ADD COLUMN name TEXT GENERATED ALWAYS AS (
  substr(replace(path, '\', '/'), length(rtrim(replace(path, '\', '/'),
                                               replace(replace(path, '\', '/'), '/', ''))) + 1)) VIRTUAL;
CREATE INDEX paths_by_name ON paths (name);
