-- summaries.db: what language models answered, and what was spent on them. A file of its own: processes that do not
-- hold the store's one writer ask models too, a budget has to be charged before a request goes out, and what was paid
-- for outlives a rebuild of the store.

CREATE TABLE answers (
  request_hash BLOB    PRIMARY KEY,  -- of model, system text, prompt and limit, with the file's secret
  session_uid  TEXT    NOT NULL,
  model        TEXT    NOT NULL,
  answer       TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  used_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX answers_by_session ON answers (session_uid);

CREATE TABLE spending (
  day        TEXT    NOT NULL,  -- of UTC, 2026-02-09
  model      TEXT    NOT NULL,
  requests   INTEGER NOT NULL DEFAULT 0,
  failures   INTEGER NOT NULL DEFAULT 0,
  tokens_in  INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  name  TEXT    PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
