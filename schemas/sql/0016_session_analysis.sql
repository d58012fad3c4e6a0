-- Analysis is a stage of its own, made when a session has stopped. `analyzed_at` used to mark silence alone: all
-- sessions wait for their analysis.
ALTER TABLE sessions ADD COLUMN analysis_version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_by_analysis ON sessions (analysis_version);

-- What outlives the events of a session.
CREATE TABLE session_digests (
  session_pk    INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  request       TEXT    NOT NULL,
  result        TEXT    NOT NULL,
  abstract      TEXT    NOT NULL,
  wall_clock_ms INTEGER NOT NULL CHECK (wall_clock_ms >= 0),
  source_path   TEXT    NOT NULL,
  source_bytes  INTEGER NOT NULL
) STRICT;

CREATE TABLE digest_errors (
  session_pk INTEGER NOT NULL REFERENCES session_digests ON DELETE CASCADE,
  place      INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  tool       TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  PRIMARY KEY (session_pk, place)
) STRICT, WITHOUT ROWID;
