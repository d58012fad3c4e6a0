-- Pull requests that sessions opened, or were linked to by their agent. Each goes with the event that says so.

CREATE TABLE pull_requests (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  url             TEXT    NOT NULL,
  exchange_number INTEGER,
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, url),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Of what was read before: the links of agents ("pr_link: PR #7 https://… (owner/name)"), and results of `gh pr create`
-- whose first line is the address; `memd rebuild` finds those that stand further down.
INSERT OR IGNORE INTO pull_requests (session_pk, event_seq, url, exchange_number, time)
SELECT session_pk, seq, url,
       (SELECT max(exchange_number) FROM exchanges x WHERE x.session_pk = found.session_pk AND x.first_seq <= found.seq),
       time
FROM (SELECT session_pk, seq, time,
             CASE WHEN instr(rest, ' ') > 0 THEN substr(rest, 1, instr(rest, ' ') - 1) ELSE rest END AS url
      FROM (SELECT session_pk, seq, time, substr(summary, instr(summary, 'https://')) AS rest FROM events
            WHERE kind = 11 AND summary GLOB 'pr_link: *https://*'
            UNION ALL
            SELECT r.session_pk, r.seq, r.time, r.summary FROM events r
            WHERE r.kind = 4 AND r.summary GLOB 'https://*' AND instr(r.summary, ' ') = 0
              AND EXISTS (SELECT 1 FROM events c WHERE c.session_pk = r.session_pk AND c.seq = r.pair_seq
                          AND instr(substr(c.summary, 1, 100), 'gh pr create') > 0))) AS found
WHERE url GLOB 'https://*/*/pull/[0-9]*' AND url NOT GLOB '*[^-A-Za-z0-9._~:/]*'
  AND url NOT GLOB '*/pull/[0-9]*[^0-9]*';
