-- Sources that are changed in place, sources that fail, and what ingest did when.

ALTER TABLE sources ADD COLUMN mark TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN retry_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lines_added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lines_removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cost_usd REAL;

-- The records of a source that is changed in place, as they were when last read.
CREATE TABLE source_items (
  source_pk   INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  session_uid TEXT    NOT NULL,
  item_no     INTEGER NOT NULL CHECK (item_no >= 0),
  item_key    TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  flags       INTEGER NOT NULL DEFAULT 0,
  record_type TEXT    NOT NULL,
  disposition INTEGER NOT NULL CHECK (disposition BETWEEN 0 AND 2),
  reason      TEXT    NOT NULL DEFAULT '',
  bytes       INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (source_pk, session_uid, item_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE ingestion_log (
  log_pk    INTEGER PRIMARY KEY,
  time      INTEGER NOT NULL,
  source_pk INTEGER REFERENCES sources ON DELETE CASCADE,
  platform  TEXT    NOT NULL,
  what      TEXT    NOT NULL,
  detail    TEXT    NOT NULL DEFAULT '',
  bytes     INTEGER NOT NULL DEFAULT 0,
  events    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX ingestion_log_by_time ON ingestion_log (time);

-- The end of a session can be taken back (a source that is changed in place): what hangs on its exchanges is found by
-- them, also by the foreign keys.
CREATE INDEX responses_by_session ON responses (session_pk, exchange_number);
CREATE INDEX vectors_by_exchange ON vectors (exchange_pk);
