-- The tables of a new store, as the migrations leave them. Not to be edited: test_store writes this file with
-- --update-golden.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  project_pk   INTEGER PRIMARY KEY,
  identity_key TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL
, sight INTEGER NOT NULL DEFAULT 0 CHECK (sight BETWEEN 0 AND 2), repository TEXT NOT NULL DEFAULT '', worktree TEXT NOT NULL DEFAULT '', merged_into TEXT NOT NULL DEFAULT '', joined_pk INTEGER REFERENCES projects) STRICT;

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
  session_uid  TEXT    NOT NULL DEFAULT '', mark TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, retry_at INTEGER NOT NULL DEFAULT 0, proof BLOB NOT NULL DEFAULT x'',
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
  mode TEXT NOT NULL DEFAULT '', context_tokens INTEGER NOT NULL DEFAULT 0, lines_added INTEGER NOT NULL DEFAULT 0, lines_removed INTEGER NOT NULL DEFAULT 0, cost_usd REAL, evicted_through INTEGER, stopped_at INTEGER NOT NULL DEFAULT 0, capture_disabled_at INTEGER NOT NULL DEFAULT 0, repo TEXT NOT NULL DEFAULT '', analysis_version INTEGER NOT NULL DEFAULT 0, outcome_signs INTEGER NOT NULL DEFAULT 0, judge_version INTEGER NOT NULL DEFAULT 0, own_project_pk INTEGER REFERENCES projects,
  UNIQUE (platform, native_id),
  CHECK (evicted_at IS NULL OR analyzed_at IS NOT NULL)
) STRICT;

CREATE INDEX sessions_by_end ON sessions (ended_at);

CREATE INDEX sessions_by_parent ON sessions (parent_uid) WHERE parent_uid <> '';

CREATE INDEX sessions_by_project ON sessions (project_pk, ended_at);

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

CREATE INDEX events_open_calls ON events (session_pk, call_key) WHERE kind = 3 AND pair_seq IS NULL;

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

CREATE INDEX exchanges_by_time ON exchanges (started_at, session_pk);

CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
  user_message, interventions, assistant_response, tool_text,
  content = 'exchanges', content_rowid = 'exchange_pk',
  tokenize = 'memd'
);
INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('usermerge', 2);

CREATE TABLE paths (
  path_pk INTEGER PRIMARY KEY,
  path    TEXT NOT NULL UNIQUE
, name TEXT GENERATED ALWAYS AS (
  substr(replace(path, '\', '/'), length(rtrim(replace(path, '\', '/'),
                                               replace(replace(path, '\', '/'), '/', ''))) + 1)) VIRTUAL) STRICT;

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

CREATE TABLE vector_models (
  model_pk  INTEGER PRIMARY KEY,
  name      TEXT    NOT NULL UNIQUE,
  dimension INTEGER NOT NULL CHECK (dimension > 0)
, exchanges INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE pending_titles (
  record_key INTEGER NOT NULL,
  title_rank INTEGER NOT NULL,
  title      TEXT    NOT NULL,
  PRIMARY KEY (record_key, title_rank)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE raw_files (
  file_pk      INTEGER PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE,
  length       INTEGER NOT NULL CHECK (length >= 0),
  last_number  INTEGER NOT NULL DEFAULT 0,
  small_frames INTEGER NOT NULL DEFAULT 0,
  written_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE raw_frames (
  file_pk      INTEGER NOT NULL REFERENCES raw_files ON DELETE CASCADE,
  file_offset  INTEGER NOT NULL,
  file_length  INTEGER NOT NULL,
  first_number INTEGER NOT NULL,
  last_number  INTEGER NOT NULL,
  source_pk    INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  generation   INTEGER NOT NULL,
  session_uid  TEXT    NOT NULL,
  range_first  INTEGER NOT NULL,
  range_end    INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  PRIMARY KEY (file_pk, file_offset)
) STRICT, WITHOUT ROWID;

CREATE INDEX raw_frames_by_source ON raw_frames (source_pk, range_first);

CREATE TABLE enrichment_queue (
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
  revision    INTEGER NOT NULL DEFAULT 1,
  missing     INTEGER NOT NULL DEFAULT 3 CHECK (missing BETWEEN 1 AND 3)
) STRICT;

CREATE INDEX enrichment_queue_terms ON enrichment_queue (exchange_pk) WHERE missing & 1;

CREATE INDEX enrichment_queue_vectors ON enrichment_queue (exchange_pk) WHERE missing & 2;

CREATE TABLE vectors (
  vector_pk    INTEGER PRIMARY KEY AUTOINCREMENT,
  model_pk     INTEGER NOT NULL REFERENCES vector_models ON DELETE CASCADE,
  exchange_pk  INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  chunk_hashes BLOB    NOT NULL,  -- 8 bytes a chunk, of its text
  vectors      BLOB    NOT NULL,  -- chunks × dimension signed bytes; only their direction counts
  UNIQUE (exchange_pk, model_pk)
) STRICT;

CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges + 1 WHERE model_pk = new.model_pk;
END;

CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges - 1 WHERE model_pk = old.model_pk;
END;

CREATE TABLE topics (
  topic_pk INTEGER PRIMARY KEY,
  topic    TEXT NOT NULL UNIQUE,
  stems    TEXT NOT NULL
) STRICT;

CREATE INDEX topics_by_stems ON topics (stems);

CREATE TABLE exchange_topics (
  topic_pk        INTEGER NOT NULL REFERENCES topics,
  exchange_pk     INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  relevance_score REAL    NOT NULL,
  PRIMARY KEY (topic_pk, exchange_pk)
) STRICT, WITHOUT ROWID;

CREATE INDEX exchange_topics_by_exchange ON exchange_topics (exchange_pk);

CREATE TRIGGER topics_without_exchanges AFTER DELETE ON exchange_topics
WHEN NOT EXISTS (SELECT 1 FROM exchange_topics WHERE topic_pk = OLD.topic_pk)
BEGIN
  DELETE FROM topics WHERE topic_pk = OLD.topic_pk;
END;

CREATE TABLE identifier_parts (
  part       TEXT NOT NULL,
  identifier TEXT NOT NULL,
  PRIMARY KEY (part, identifier)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER session_title_added AFTER INSERT ON sessions WHEN new.title <> '' BEGIN
  INSERT INTO session_titles (rowid, title) VALUES (new.session_pk, new.title);
END;

CREATE TRIGGER session_title_removed AFTER DELETE ON sessions WHEN old.title <> '' BEGIN
  INSERT INTO session_titles (session_titles, rowid, title) VALUES ('delete', old.session_pk, old.title);
END;

CREATE TRIGGER session_title_changed AFTER UPDATE OF title ON sessions WHEN new.title <> old.title BEGIN
  INSERT INTO session_titles (session_titles, rowid, title) SELECT 'delete', old.session_pk, old.title
    WHERE old.title <> '';
  INSERT INTO session_titles (rowid, title) SELECT new.session_pk, new.title WHERE new.title <> '';
END;

CREATE TABLE identity_runs (
  run         INTEGER PRIMARY KEY,
  level       INTEGER NOT NULL CHECK (level >= 0),
  entries     INTEGER NOT NULL DEFAULT 0,
  sealed      INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
  merges_into INTEGER
) STRICT;

CREATE TABLE identities (
  run        INTEGER NOT NULL,
  identity   INTEGER NOT NULL,
  session_pk INTEGER NOT NULL,
  place      INTEGER NOT NULL,
  PRIMARY KEY (run, identity)
) STRICT, WITHOUT ROWID;

CREATE TABLE "responses" (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER NOT NULL,
  response_key    INTEGER NOT NULL,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  PRIMARY KEY (session_pk, exchange_number, response_key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_forgotten AFTER DELETE ON events BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs) AND identity = old.event_id;
END;

CREATE TRIGGER responses_forgotten AFTER DELETE ON responses BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs)
    AND identity = (old.response_key | 1) - (old.response_key & 1);
END;

CREATE TABLE tools (
  tool_pk INTEGER PRIMARY KEY,
  tool    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE exchange_tools (
  exchange_pk INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  tool_pk     INTEGER NOT NULL REFERENCES tools,
  PRIMARY KEY (exchange_pk, tool_pk)
) STRICT, WITHOUT ROWID;

CREATE INDEX exchange_tools_by_tool ON exchange_tools (tool_pk);

CREATE TABLE own_sessions (
  uid TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE INDEX paths_by_name ON paths (name);

CREATE INDEX exchanges_by_pk ON exchanges (exchange_pk, session_pk, exchange_number, started_at, content_hash);

CREATE VIEW titled_sessions AS SELECT session_pk, title FROM sessions WHERE title <> '';

CREATE VIRTUAL TABLE session_titles USING fts5 (
  title, content = 'titled_sessions', content_rowid = 'session_pk', tokenize = 'memd'
);

CREATE TABLE commands (
  session_pk    INTEGER NOT NULL REFERENCES sessions,
  event_seq     INTEGER NOT NULL,
  place         INTEGER NOT NULL CHECK (place >= 0),
  line          TEXT    NOT NULL,
  is_whole      INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1)),
  directory     TEXT    NOT NULL DEFAULT '',
  purpose       INTEGER NOT NULL DEFAULT 0 CHECK (purpose BETWEEN 0 AND 2),
  in_background INTEGER NOT NULL DEFAULT 0 CHECK (in_background IN (0, 1)),
  PRIMARY KEY (session_pk, event_seq, place),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE command_results (
  session_pk INTEGER NOT NULL REFERENCES sessions,
  event_seq  INTEGER NOT NULL,
  exit_code  INTEGER,
  outcome    INTEGER CHECK (outcome BETWEEN 0 AND 2),
  PRIMARY KEY (session_pk, event_seq),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE todo_items (
  session_pk INTEGER NOT NULL REFERENCES sessions,
  event_seq  INTEGER NOT NULL,
  place      INTEGER NOT NULL CHECK (place >= 0),
  replaces   INTEGER NOT NULL CHECK (replaces IN (0, 1)),
  item_key   TEXT    NOT NULL DEFAULT '',
  text       TEXT    NOT NULL DEFAULT '',
  state      INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
  PRIMARY KEY (session_pk, event_seq, place),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_analysis ON sessions (analysis_version);

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

CREATE TABLE decisions (
  observation_pk INTEGER PRIMARY KEY REFERENCES observations ON DELETE CASCADE,
  kind           INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),
  decided_by     INTEGER NOT NULL CHECK (decided_by IN (0, 1)),
  chosen         TEXT NOT NULL DEFAULT '',
  rejected       TEXT NOT NULL DEFAULT '',
  reason         TEXT NOT NULL DEFAULT '',
  reversed_by    INTEGER REFERENCES observations ON DELETE SET NULL
, judged_by TEXT NOT NULL DEFAULT '') STRICT;

CREATE INDEX decisions_reversed ON decisions (reversed_by) WHERE reversed_by IS NOT NULL;

CREATE INDEX observations_by_type ON observations (type, session_pk, exchange_number);

CREATE INDEX observations_by_time ON observations (time);

CREATE TABLE "commits" (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  sha             TEXT    NOT NULL,
  exchange_number INTEGER,
  branch          TEXT    NOT NULL DEFAULT '',
  subject         TEXT    NOT NULL DEFAULT '',
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, sha)
) STRICT, WITHOUT ROWID;

CREATE INDEX commits_by_sha ON commits (sha);

CREATE TABLE "pull_requests" (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  url             TEXT    NOT NULL,
  exchange_number INTEGER,
  time            INTEGER NOT NULL,
  PRIMARY KEY (session_pk, event_seq, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE raw_evictions (
  session_uid TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE silent_records (
  session_pk INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  record_key INTEGER NOT NULL,
  follows    INTEGER NOT NULL,
  PRIMARY KEY (session_pk, record_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE abandoned_exchanges (
  session_pk      INTEGER NOT NULL,
  exchange_number INTEGER NOT NULL,
  abandoned_for   INTEGER NOT NULL,
  PRIMARY KEY (session_pk, exchange_number),
  FOREIGN KEY (session_pk, exchange_number) REFERENCES exchanges (session_pk, exchange_number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE doc_places (
  place_pk    INTEGER PRIMARY KEY,
  directory   TEXT    NOT NULL,
  dialect     INTEGER NOT NULL,
  scope       INTEGER NOT NULL,
  project_key TEXT    NOT NULL,
  project     TEXT    NOT NULL,
  graph_hash  TEXT    NOT NULL DEFAULT '',
  UNIQUE (directory, dialect, scope)
) STRICT;

CREATE TABLE docs (
  doc_pk        INTEGER PRIMARY KEY,
  place_pk      INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,
  path          TEXT    NOT NULL UNIQUE,
  slug          TEXT    NOT NULL,
  type          INTEGER NOT NULL,
  created       INTEGER NOT NULL,
  updated       INTEGER NOT NULL,
  status        INTEGER NOT NULL,
  commit_sha    TEXT    NOT NULL,
  is_valid      INTEGER NOT NULL CHECK (is_valid IN (0, 1)),
  superseded_by TEXT    NOT NULL DEFAULT '',
  superseded_at INTEGER NOT NULL DEFAULT 0,
  session_uid   TEXT    NOT NULL,
  file_hash     TEXT    NOT NULL,
  bytes         INTEGER NOT NULL,
  changed_ns    INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
  read_ns       INTEGER NOT NULL,
  generation    INTEGER NOT NULL,
  title         TEXT    NOT NULL,
  tags          TEXT    NOT NULL,
  content       TEXT    NOT NULL
) STRICT;

CREATE INDEX docs_by_slug ON docs (slug, place_pk);

CREATE INDEX docs_by_place ON docs (place_pk);

CREATE INDEX docs_by_generation ON docs (generation);

CREATE VIRTUAL TABLE docs_fts USING fts5 (
  title, tags, content, content = 'docs', content_rowid = 'doc_pk', tokenize = 'memd'
);

CREATE TRIGGER docs_added AFTER INSERT ON docs BEGIN
  INSERT INTO docs_fts (rowid, title, tags, content) VALUES (new.doc_pk, new.title, new.tags, new.content);
END;

CREATE TRIGGER docs_removed AFTER DELETE ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, title, tags, content)
    VALUES ('delete', old.doc_pk, old.title, old.tags, old.content);
END;

CREATE TRIGGER docs_changed AFTER UPDATE OF title, tags, content ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, title, tags, content)
    VALUES ('delete', old.doc_pk, old.title, old.tags, old.content);
  INSERT INTO docs_fts (rowid, title, tags, content) VALUES (new.doc_pk, new.title, new.tags, new.content);
END;

CREATE TABLE doc_edges (
  place_pk INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,
  source   TEXT    NOT NULL,
  label    TEXT    NOT NULL,
  target   TEXT    NOT NULL,
  created  INTEGER NOT NULL,
  PRIMARY KEY (place_pk, source, label, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE doc_files (
  doc_pk INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
  name   TEXT    NOT NULL,  -- without directories, lower case
  file   TEXT    NOT NULL,
  PRIMARY KEY (doc_pk, file)
) STRICT, WITHOUT ROWID;

CREATE INDEX doc_files_by_name ON doc_files (name, doc_pk);

CREATE TABLE doc_vectors (
  doc_pk  INTEGER PRIMARY KEY REFERENCES docs ON DELETE CASCADE,
  vectors BLOB NOT NULL  -- chunks × dimension signed bytes; only their direction counts
) STRICT;

CREATE TABLE doc_catalog (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  state      INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  docs       INTEGER NOT NULL,
  model      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  built_at   INTEGER NOT NULL,
  built_ms   INTEGER NOT NULL
) STRICT;

CREATE TABLE second_look (
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
  waiting     INTEGER NOT NULL DEFAULT 1,  -- 0: the vector is of the current text; else grows with each change of it
  text_hash   INTEGER NOT NULL DEFAULT 0,  -- of the text that the vector was made from
  vector      BLOB                         -- signed bytes; only their direction counts; NULL: none
) STRICT;

CREATE INDEX second_look_waiting ON second_look (exchange_pk) WHERE waiting;

CREATE INDEX second_look_made ON second_look (exchange_pk) WHERE vector IS NOT NULL;
