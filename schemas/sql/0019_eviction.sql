-- What an evicted session keeps: the first lines of its exchanges, files, observations, commits and pull requests. The
-- last two outlive the events that told of them.

CREATE TABLE commits_of_sessions (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  sha             TEXT    NOT NULL,
  exchange_number INTEGER,
  branch          TEXT    NOT NULL DEFAULT '',
  subject         TEXT    NOT NULL DEFAULT '',
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, sha)
) STRICT, WITHOUT ROWID;
INSERT INTO commits_of_sessions SELECT session_pk, event_seq, sha, exchange_number, branch, subject, time FROM commits;
DROP TABLE commits;
ALTER TABLE commits_of_sessions RENAME TO commits;
CREATE INDEX commits_by_sha ON commits (sha);

CREATE TABLE pull_requests_of_sessions (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  url             TEXT    NOT NULL,
  exchange_number INTEGER,
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, url)
) STRICT, WITHOUT ROWID;
INSERT INTO pull_requests_of_sessions SELECT session_pk, event_seq, url, exchange_number, time FROM pull_requests;
DROP TABLE pull_requests;
ALTER TABLE pull_requests_of_sessions RENAME TO pull_requests;

-- Sessions whose rows are evicted, and whose records are still to be cut out of the raw layer.
CREATE TABLE raw_evictions (
  session_uid TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
