-- The canonical model. Times are Unix epoch milliseconds. Enumerations are the numbers of schemas/*.hpp.
-- What each table promises: docs/store-format.md.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  project_pk   INTEGER PRIMARY KEY,
  identity_key TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL
) STRICT;

CREATE TABLE sources (
  source_pk    INTEGER PRIMARY KEY,
  platform     TEXT    NOT NULL,
  path         TEXT    NOT NULL,
  format       INTEGER NOT NULL CHECK (format BETWEEN 0 AND 2),
  state        INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  state_reason TEXT    NOT NULL DEFAULT '',
  device       INTEGER NOT NULL DEFAULT 0,
  inode        INTEGER NOT NULL DEFAULT 0,
  head_hash    INTEGER NOT NULL DEFAULT 0,
  head_length  INTEGER NOT NULL DEFAULT 0,
  size         INTEGER NOT NULL DEFAULT 0,
  mtime        INTEGER NOT NULL DEFAULT 0,
  cursor       INTEGER NOT NULL DEFAULT 0 CHECK (cursor >= 0),
  generation   INTEGER NOT NULL DEFAULT 0,
  open_tail    TEXT    NOT NULL DEFAULT '',
  session_uid  TEXT    NOT NULL DEFAULT '',
  UNIQUE (platform, path)
) STRICT;

CREATE TABLE coverage (
  source_pk   INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  record_type TEXT    NOT NULL,
  disposition INTEGER NOT NULL CHECK (disposition BETWEEN 0 AND 2),
  reason      TEXT    NOT NULL,
  records     INTEGER NOT NULL CHECK (records >= 0),
  bytes       INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (source_pk, record_type, disposition, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  session_pk     INTEGER PRIMARY KEY,
  uid            TEXT    NOT NULL UNIQUE,
  platform       TEXT    NOT NULL,
  native_id      TEXT    NOT NULL,
  kind           INTEGER NOT NULL DEFAULT 0 CHECK (kind BETWEEN 0 AND 2),
  parent_uid     TEXT    NOT NULL DEFAULT '',
  parent_call_id TEXT    NOT NULL DEFAULT '',
  forked_from    TEXT    NOT NULL DEFAULT '',
  agent_name     TEXT    NOT NULL DEFAULT '',
  project_pk     INTEGER REFERENCES projects,
  title          TEXT    NOT NULL DEFAULT '',
  title_rank     INTEGER NOT NULL DEFAULT 0 CHECK (title_rank BETWEEN 0 AND 3),
  description    TEXT    NOT NULL DEFAULT '',
  cwd            TEXT    NOT NULL DEFAULT '',
  git_branch     TEXT    NOT NULL DEFAULT '',
  model          TEXT    NOT NULL DEFAULT '',
  agent_version  TEXT    NOT NULL DEFAULT '',
  started_at     INTEGER NOT NULL DEFAULT 0,
  ended_at       INTEGER NOT NULL DEFAULT 0,
  state          INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  outcome        INTEGER NOT NULL DEFAULT 0 CHECK (outcome BETWEEN 0 AND 3),
  tokens_input          INTEGER NOT NULL DEFAULT 0,
  tokens_output         INTEGER NOT NULL DEFAULT 0,
  tokens_cache_read     INTEGER NOT NULL DEFAULT 0,
  tokens_cache_creation INTEGER NOT NULL DEFAULT 0,
  turns          INTEGER NOT NULL DEFAULT 0,
  retries        INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  tool_pairs     INTEGER NOT NULL DEFAULT 0,
  tool_errors    INTEGER NOT NULL DEFAULT 0,
  compactions    INTEGER NOT NULL DEFAULT 0,
  next_seq       INTEGER NOT NULL DEFAULT 0,
  next_exchange  INTEGER NOT NULL DEFAULT 0,
  source_pk      INTEGER REFERENCES sources,
  discovered_at  INTEGER NOT NULL DEFAULT 0,
  ingested_at    INTEGER NOT NULL DEFAULT 0,
  analyzed_at    INTEGER,
  evicted_at     INTEGER,
  schema_version INTEGER NOT NULL DEFAULT 2,
  UNIQUE (platform, native_id),
  CHECK (evicted_at IS NULL OR analyzed_at IS NOT NULL)
) STRICT;
CREATE INDEX sessions_by_end ON sessions (ended_at);
CREATE INDEX sessions_by_parent ON sessions (parent_uid) WHERE parent_uid <> '';
CREATE INDEX sessions_by_project ON sessions (project_pk, ended_at);

-- Clustered by session: the events of an exchange are one range. event_id is the same in every copy of a record, so
-- that forks, copied files and a replayed cursor cannot take a fact in twice.
CREATE TABLE events (
  session_pk INTEGER NOT NULL REFERENCES sessions,
  seq        INTEGER NOT NULL CHECK (seq >= 0),
  event_id   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  kind       INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 12),
  role       INTEGER NOT NULL DEFAULT 0,
  origin     INTEGER NOT NULL DEFAULT 0,
  parent_seq INTEGER,
  pair_seq   INTEGER,
  tool       TEXT,
  call_key   INTEGER,
  input_hash INTEGER,
  path_pk    INTEGER REFERENCES paths,
  flags      INTEGER NOT NULL DEFAULT 0,
  summary    TEXT NOT NULL DEFAULT '',
  tokens     INTEGER NOT NULL DEFAULT 0,
  source_pk  INTEGER,
  raw_offset INTEGER,
  raw_length INTEGER,
  raw_block  INTEGER,
  PRIMARY KEY (session_pk, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_by_id ON events (event_id);
CREATE INDEX events_open_calls ON events (session_pk, call_key) WHERE kind = 3 AND pair_seq IS NULL;

-- The unit of retrieval. The last exchange of a session is open: it grows while the session does.
CREATE TABLE exchanges (
  exchange_pk        INTEGER PRIMARY KEY,
  session_pk         INTEGER NOT NULL REFERENCES sessions,
  exchange_number    INTEGER NOT NULL CHECK (exchange_number >= 0),
  first_seq          INTEGER NOT NULL,
  last_seq           INTEGER NOT NULL,
  started_at         INTEGER NOT NULL,
  ended_at           INTEGER NOT NULL,
  origin             INTEGER NOT NULL DEFAULT 0,
  is_sidechain       INTEGER NOT NULL DEFAULT 0 CHECK (is_sidechain IN (0, 1)),
  data_completeness  INTEGER NOT NULL DEFAULT 0 CHECK (data_completeness BETWEEN 0 AND 3),
  user_event_id      INTEGER,
  user_message       TEXT,
  interventions      TEXT,
  assistant_response TEXT,
  answer_offset      INTEGER NOT NULL DEFAULT 0,
  tool_text          TEXT,
  git_branch         TEXT NOT NULL DEFAULT '',
  working_directory  TEXT NOT NULL DEFAULT '',
  model_used         TEXT NOT NULL DEFAULT '',
  tokens_input          INTEGER NOT NULL DEFAULT 0,
  tokens_output         INTEGER NOT NULL DEFAULT 0,
  tokens_cache_read     INTEGER NOT NULL DEFAULT 0,
  tokens_cache_creation INTEGER NOT NULL DEFAULT 0,
  tool_calls         INTEGER NOT NULL DEFAULT 0,
  tool_errors        INTEGER NOT NULL DEFAULT 0,
  lines_added        INTEGER NOT NULL DEFAULT 0,
  lines_removed      INTEGER NOT NULL DEFAULT 0,
  content_hash       INTEGER NOT NULL DEFAULT 0,
  raw_format_version TEXT NOT NULL DEFAULT '',
  adapter_version    TEXT NOT NULL DEFAULT '',
  ingested_at        INTEGER NOT NULL,
  UNIQUE (session_pk, exchange_number)
) STRICT;
-- With the session, a timeline is read from the index alone.
CREATE INDEX exchanges_by_time ON exchanges (started_at, session_pk);

CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
  user_message, interventions, assistant_response, tool_text,
  content = 'exchanges', content_rowid = 'exchange_pk',
  tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Usage of one API response counts once, however many records repeat it.
CREATE TABLE responses (
  response_key   INTEGER PRIMARY KEY,
  session_pk     INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL
) STRICT;

CREATE TABLE paths (
  path_pk INTEGER PRIMARY KEY,
  path    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE exchange_files (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER NOT NULL,
  path_pk         INTEGER NOT NULL REFERENCES paths,
  access          INTEGER NOT NULL CHECK (access BETWEEN 0 AND 2),
  touches         INTEGER NOT NULL DEFAULT 1,
  lines_added     INTEGER NOT NULL DEFAULT 0,
  lines_removed   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_pk, exchange_number, path_pk, access)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_files_by_path ON exchange_files (path_pk, session_pk);

CREATE TABLE observations (
  observation_pk  INTEGER PRIMARY KEY,
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER,
  event_seq       INTEGER,
  time            INTEGER NOT NULL,
  type            TEXT NOT NULL CHECK (type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'problem',
                                                'solution', 'pattern', 'warning', 'success')),
  summary         TEXT NOT NULL,
  content         TEXT NOT NULL,
  tool            TEXT,
  metadata        TEXT NOT NULL DEFAULT '{}',
  content_hash    INTEGER NOT NULL,
  UNIQUE (session_pk, type, content_hash)
) STRICT;

CREATE TABLE session_summaries (
  session_pk        INTEGER NOT NULL REFERENCES sessions,
  strategy          TEXT    NOT NULL,
  content_hash      INTEGER NOT NULL,
  start_time        INTEGER NOT NULL,
  end_time          INTEGER NOT NULL,
  observation_count INTEGER NOT NULL CHECK (observation_count >= 0),
  key_decisions     TEXT    NOT NULL DEFAULT '[]',
  files_modified    TEXT    NOT NULL DEFAULT '[]',
  summary           TEXT    NOT NULL,
  PRIMARY KEY (session_pk, strategy)
) STRICT, WITHOUT ROWID;

CREATE TABLE diagnostics (
  diagnostic_pk INTEGER PRIMARY KEY,
  time          INTEGER NOT NULL,
  platform      TEXT    NOT NULL,
  error_type    TEXT    NOT NULL,
  field_names   TEXT    NOT NULL DEFAULT '',
  severity      INTEGER NOT NULL CHECK (severity IN (0, 1)),
  source_pk     INTEGER REFERENCES sources ON DELETE CASCADE,
  raw_offset    INTEGER,
  redacted      INTEGER NOT NULL CHECK (redacted = 1),
  expires_at    INTEGER NOT NULL,
  CHECK (expires_at = time + 2592000000)
) STRICT;
CREATE INDEX diagnostics_by_expiry ON diagnostics (expires_at);

CREATE TABLE topics (
  topic_pk INTEGER PRIMARY KEY,
  topic    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE exchange_topics (
  topic_pk        INTEGER NOT NULL REFERENCES topics,
  exchange_pk     INTEGER NOT NULL REFERENCES exchanges,
  relevance_score REAL    NOT NULL,
  PRIMARY KEY (topic_pk, exchange_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_topics_by_exchange ON exchange_topics (exchange_pk);

CREATE TABLE vector_models (
  model_pk  INTEGER PRIMARY KEY,
  name      TEXT    NOT NULL UNIQUE,
  dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

CREATE TABLE vectors (
  model_pk     INTEGER NOT NULL REFERENCES vector_models,
  exchange_pk  INTEGER NOT NULL REFERENCES exchanges,
  chunk        INTEGER NOT NULL,
  content_hash INTEGER NOT NULL,
  vector       BLOB    NOT NULL,
  PRIMARY KEY (model_pk, exchange_pk, chunk)
) STRICT, WITHOUT ROWID;

-- Where a stretch of a source stands in the compressed raw layer.
CREATE TABLE raw_frames (
  source_pk   INTEGER NOT NULL REFERENCES sources,
  first_byte  INTEGER NOT NULL,
  length      INTEGER NOT NULL,
  generation  INTEGER NOT NULL DEFAULT 0,
  file        TEXT    NOT NULL,
  file_offset INTEGER NOT NULL,
  file_length INTEGER NOT NULL,
  PRIMARY KEY (source_pk, generation, first_byte)
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
  blob_hash BLOB PRIMARY KEY,
  length    INTEGER NOT NULL,
  encoding  TEXT    NOT NULL DEFAULT 'zstd' CHECK (encoding IN ('none', 'zstd')),
  content   BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- Titles that point at a record not seen yet.
CREATE TABLE pending_titles (
  record_key INTEGER NOT NULL,
  title_rank INTEGER NOT NULL,
  title      TEXT    NOT NULL,
  PRIMARY KEY (record_key, title_rank)
) STRICT, WITHOUT ROWID;
