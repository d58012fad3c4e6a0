-- summaries.db: what language models answered, and what was spent on them. A file of its own, made with the first
-- request: every process that asks a model has to charge the day's budget before it sends the request, and the store has
-- only one writer. It outlives a rebuild, so that paid responses are not requested again and the budget stays spent.
-- Several processes use it at once. It can be deleted: then responses are requested again, and the day's budget starts
-- over. Conventions as in sql/0001_store.sql.

-- What models answered. Beyond 32 MiB the least recently used answers are deleted.
CREATE TABLE answers (
  -- 128 bits over model, system text, prompt and limit, keyed with the file's secret: identifies the exact request
  request_hash BLOB    PRIMARY KEY,
  -- the session whose texts the request contained; its eviction deletes these answers before the session itself
  session_uid  TEXT    NOT NULL,
  model        TEXT    NOT NULL,  -- the model that answered
  answer       TEXT    NOT NULL,  -- the summary or the list of decisions, cleaned and with secrets masked
  created_at   INTEGER NOT NULL,  -- when it was answered
  used_at      INTEGER NOT NULL   -- when it was used last, exact to the hour
) STRICT;
CREATE INDEX answers_by_session ON answers (session_uid);

-- What each model cost on each day. Kept for 90 days.
CREATE TABLE spending (
  day        TEXT    NOT NULL,  -- of UTC, 2026-02-09
  model      TEXT    NOT NULL,  -- the model that was asked
  requests   INTEGER NOT NULL DEFAULT 0,  -- sent
  failures   INTEGER NOT NULL DEFAULT 0,  -- those of them without a usable response
  -- as reported by the model, else estimated; while a request is running, its maximal cost
  tokens_in  INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, model)
) STRICT, WITHOUT ROWID;

-- Secrets of this file.
CREATE TABLE secrets (
  name  TEXT    PRIMARY KEY,  -- marks: 64 random bits from which the marks around texts from history in requests are made
  value INTEGER NOT NULL      -- the bits
) STRICT, WITHOUT ROWID;
