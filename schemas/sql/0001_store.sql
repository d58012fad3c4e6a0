-- The store, memd.db. This file is the reference of its tables; docs/store-format.md tells about the files beside it, and
-- which rules hold over all tables.
--
-- Times are Unix epoch milliseconds in UTC; 0 means that the source does not say. Enumerations are the numbers of the
-- `enum class` named here (schemas/*.hpp): numbers are appended, never reused. Hashes are XXH3 with 64 bits, stored with
-- the same bits in SQLite's signed integer. …_pk is a local row number and never leaves the store, except as a short id
-- (x42 is exchange 42). An empty text means "not known". Secrets in texts are masked.
--
-- memd-write, the only writer, writes every table. Other threads that make rows (enrichment, the second look, the
-- analysis, the judge, memories) hand them to it.

-- == The store itself ==

-- Facts about the store, by name.
--   raw_layer_key            id of the key that seals the frames of the raw layer; without that key nothing is written
--   recent_records.<platform>  how many of about the last 1,000 records had an unknown shape, and when that was last
--                            reported
--   enrichment_model, enrichment_terms  the model of the vectors, and the version of the extraction of terms; when they
--                            change, exchanges are queued again
--   second_look_model        the network of the vectors in second_look; without it the second look is off
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,  -- the name
  value ANY  -- text or number, by the name
) STRICT, WITHOUT ROWID;

-- == What was read ==
-- Written with each slice of a source: a portion that is read at once.

-- A file that an adapter reads, and how far it has been read.
CREATE TABLE sources (
  source_pk    INTEGER PRIMARY KEY,  -- local id
  platform     TEXT NOT NULL,  -- key of Platform, e.g. claude_code
  path         TEXT NOT NULL,  -- absolute; unique with platform
  format       INTEGER NOT NULL CHECK (format BETWEEN 0 AND 2),  -- SourceFormat
  -- SourceState: active, gone (deleted by the agent: what was read stays), unreachable (e.g. not mounted),
  -- quarantined
  state        INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  state_reason TEXT NOT NULL DEFAULT '',  -- why, in plain words
  -- identity: a cursor applies only to the file it was made for
  device       INTEGER NOT NULL DEFAULT 0,
  inode        INTEGER NOT NULL DEFAULT 0,
  head_hash    INTEGER NOT NULL DEFAULT 0,
  head_length  INTEGER NOT NULL DEFAULT 0,
  -- at the last read; of a compressed log (.zst) the size of its decompressed bytes
  size         INTEGER NOT NULL DEFAULT 0,
  mtime        INTEGER NOT NULL DEFAULT 0,
  -- bytes accounted for; of a compressed log decompressed bytes, as in its ledger and in events.raw_offset
  cursor       INTEGER NOT NULL DEFAULT 0 CHECK (cursor >= 0),
  generation   INTEGER NOT NULL DEFAULT 0,  -- grows when the file was truncated, rewritten or replaced
  -- type of a last record that was read without its newline; the newline is later added to that type
  open_tail    TEXT NOT NULL DEFAULT '',
  -- session of this transcript; empty if it has no single session, or if that is not known yet
  session_uid  TEXT NOT NULL DEFAULT '',
  -- of a source that is changed in place: its state when last read to its end; of a compressed log: the file size at
  -- that time
  mark         TEXT NOT NULL DEFAULT '',
  -- failed reads in a row, and the time of the next try; after five in a row the source is quarantined. A time
  -- further in the future than the wait for that many failures was set by a wrong clock and counts as reached
  failures     INTEGER NOT NULL DEFAULT 0,
  retry_at     INTEGER NOT NULL DEFAULT 0,
  -- checksums of the bytes before the cursor, and the ctime of the file; empty: not known (ReadProof)
  proof        BLOB NOT NULL DEFAULT x'',
  UNIQUE (platform, path)
) STRICT;

-- The records of a source that is changed in place (rows of a database, elements of a document), as they were when
-- last read. A forgotten session of a source that others share has one row: session_uid is its alias,
-- platform:forgotten- and the hash in the file `withheld`, item_key is empty, and bytes is all that the source holds
-- of it.
CREATE TABLE source_items (
  source_pk   INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,  -- the source
  session_uid TEXT NOT NULL,  -- the session that it belongs to
  -- position in its session, from 1; 0 is the record about the session as a whole. events.raw_offset of such a
  -- source is the item's number
  item_no     INTEGER NOT NULL CHECK (item_no >= 0),
  item_key    TEXT NOT NULL,  -- native key, the same for each version of the record
  version     INTEGER NOT NULL,  -- hash of the content
  flags       INTEGER NOT NULL DEFAULT 0,  -- 1 starts an exchange, 2 no longer in the source (its events stay)
  -- its ledger line
  record_type TEXT NOT NULL,
  disposition INTEGER NOT NULL CHECK (disposition BETWEEN 0 AND 2),
  reason      TEXT NOT NULL DEFAULT '',
  bytes       INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (source_pk, session_uid, item_no)
) STRICT, WITHOUT ROWID;

-- Events in the life of sources. Kept for 90 days. Its size is bounded: appended data is summed up into at most one
-- entry for each minute and source.
CREATE TABLE ingestion_log (
  log_pk    INTEGER PRIMARY KEY,  -- local id
  time      INTEGER NOT NULL,  -- when it happened
  -- the source, or null for the platform as a whole
  source_pk INTEGER REFERENCES sources ON DELETE CASCADE,
  platform  TEXT NOT NULL,
  -- IngestionStep by name: found, read (to its end, the first time), appended, restarted (truncated, rewritten or
  -- replaced), gone, unreachable, back, quarantined, released, unsupported, drift
  what      TEXT NOT NULL,
  detail    TEXT NOT NULL DEFAULT '',  -- in plain words; never contents of the source
  -- ingested since the previous entry
  bytes     INTEGER NOT NULL DEFAULT 0,
  events    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX ingestion_log_by_time ON ingestion_log (time);

-- The ledger: one line for each combination of record type, disposition and reason.
CREATE TABLE coverage (
  source_pk   INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,  -- the source
  -- the platform's own name of the record type, or a name for bytes that are no record (blank, damaged)
  record_type TEXT NOT NULL,
  disposition INTEGER NOT NULL CHECK (disposition BETWEEN 0 AND 2),  -- Disposition: indexed, skipped, unknown
  reason      TEXT NOT NULL,  -- why skipped or unknown; empty for indexed
  -- their number, newlines included in the bytes
  records     INTEGER NOT NULL CHECK (records >= 0),
  bytes       INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (source_pk, record_type, disposition, reason)
) STRICT, WITHOUT ROWID;

-- Problems with input. Contains an error class and names of fields, never a value: the C++ type of a diagnostic
-- cannot hold one.
CREATE TABLE diagnostics (
  diagnostic_pk INTEGER PRIMARY KEY,  -- local id
  time          INTEGER NOT NULL,  -- when it was found
  platform      TEXT NOT NULL,  -- platform of the adapter
  error_type    TEXT NOT NULL,  -- DiagnosticType by name
  field_names   TEXT NOT NULL DEFAULT '',  -- names from the program's text, comma separated
  severity      INTEGER NOT NULL CHECK (severity IN (0, 1)),  -- Severity: warning, error
  -- where it stands in a source; null: it belongs to none
  source_pk     INTEGER REFERENCES sources ON DELETE CASCADE,
  raw_offset    INTEGER,
  redacted      INTEGER NOT NULL CHECK (redacted = 1),  -- always 1, checked
  expires_at    INTEGER NOT NULL,  -- time + 30 days, checked; deleted after that
  CHECK (expires_at = time + 2592000000)
) STRICT;
CREATE INDEX diagnostics_by_expiry ON diagnostics (expires_at);

-- The files of the raw layer, and how much of each is committed.
CREATE TABLE raw_files (
  file_pk      INTEGER PRIMARY KEY,  -- local id
  name         TEXT NOT NULL UNIQUE,  -- below raw/: platform=<p>/<name>.jsonl.zst
  -- committed bytes; a crash may leave further bytes, which the next write truncates
  length       INTEGER NOT NULL CHECK (length >= 0),
  -- the number of its last slice: frames with a larger number were never committed
  last_number  INTEGER NOT NULL DEFAULT 0,
  small_frames INTEGER NOT NULL DEFAULT 0,  -- small frames at its end; 64 of them are merged
  written_at   INTEGER NOT NULL DEFAULT 0  -- last commit that wrote to it
) STRICT;

-- The places of a source's records in these files.
CREATE TABLE raw_frames (
  -- place of the frame, in bytes of the file
  file_pk      INTEGER NOT NULL REFERENCES raw_files ON DELETE CASCADE,
  file_offset  INTEGER NOT NULL,
  file_length  INTEGER NOT NULL,
  -- numbers of the slices in it
  first_number INTEGER NOT NULL,
  last_number  INTEGER NOT NULL,
  -- source of the records
  source_pk    INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  generation   INTEGER NOT NULL,
  session_uid  TEXT NOT NULL,  -- of items: their session; empty for a log
  -- of a log: bytes of the source; of items: their numbers; the end is exclusive
  range_first  INTEGER NOT NULL,
  range_end    INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,  -- of the records
  PRIMARY KEY (file_pk, file_offset)
) STRICT, WITHOUT ROWID;
CREATE INDEX raw_frames_by_source ON raw_frames (source_pk, range_first);

-- Filled and emptied by each eviction; after a crash the next opening of the store completes the eviction.
CREATE TABLE raw_evictions (
  -- a session whose rows are evicted and whose frames still have to be cut out of its file
  session_uid TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Sessions that requests of memd itself caused: an agent was asked for a summary and wrote a transcript of that. They
-- are not ingested, and their bytes are skipped with the reason "caused by memd".
CREATE TABLE own_sessions (
  uid TEXT PRIMARY KEY  -- of the session
) STRICT, WITHOUT ROWID;

-- == What was said and done ==
-- Written with the slice that it stands in, unless a table says otherwise.

-- A directory in which sessions worked, and the project that it belongs to: a repository is one project for several
-- platforms, worktrees and machines. A rebuild copies sight and choices from the store that it
-- replaces.
CREATE TABLE projects (
  project_pk   INTEGER PRIMARY KEY,  -- local id
  identity_key TEXT NOT NULL UNIQUE,  -- the normalised repository root or working directory
  name         TEXT NOT NULL,  -- display name
  -- what memd saw of the directory: 0 nothing, 1 it stands by itself, 2 it is in a git worktree. What was seen stays
  -- known
  sight        INTEGER NOT NULL DEFAULT 0 CHECK (sight BETWEEN 0 AND 2),
  repository   TEXT NOT NULL DEFAULT '',  -- identity_key of the repository around it; empty: none was seen
  worktree     TEXT NOT NULL DEFAULT '',  -- name of the worktree
  -- a person's choice: identity_key of the project that it belongs to; its own: it is to stand by itself; empty:
  -- none
  merged_into  TEXT NOT NULL DEFAULT '',
  -- the project that it belongs to, computed from the columns above and from sessions.repo; null: itself
  joined_pk    INTEGER REFERENCES projects
) STRICT;

-- One conversation of a person with an agent (kind main), or of an agent with its subagent. The state of a session
-- (SessionState) is not stored: it is computed from stopped_at, capture_disabled_at, ended_at, ingested_at and the
-- clock.
CREATE TABLE sessions (
  session_pk            INTEGER PRIMARY KEY,  -- local id
  uid                   TEXT NOT NULL UNIQUE,  -- <platform>:<native id>, unique
  -- the two parts of uid
  platform              TEXT NOT NULL,
  native_id             TEXT NOT NULL,
  -- SessionKind: main, subagent, workflow
  kind                  INTEGER NOT NULL DEFAULT 0 CHECK (kind BETWEEN 0 AND 2),
  -- of a subagent: the session and the tool call that started it
  parent_uid            TEXT NOT NULL DEFAULT '',
  parent_call_id        TEXT NOT NULL DEFAULT '',
  forked_from           TEXT NOT NULL DEFAULT '',  -- uid of the session whose records this one repeats at its start
  agent_name            TEXT NOT NULL DEFAULT '',  -- type of the subagent
  -- the project that it counts for: own_project_pk, or the one to which that belongs (projects.joined_pk)
  project_pk            INTEGER REFERENCES projects,
  -- the best title so far, and how good (TitleRank: a person's beats a model's)
  title                 TEXT NOT NULL DEFAULT '',
  title_rank            INTEGER NOT NULL DEFAULT 0 CHECK (title_rank BETWEEN 0 AND 3),
  description           TEXT NOT NULL DEFAULT '',  -- longer text, where the platform has one
  -- the latest value in the events; without one, the value given for the session as a whole
  cwd                   TEXT NOT NULL DEFAULT '',
  git_branch            TEXT NOT NULL DEFAULT '',
  model                 TEXT NOT NULL DEFAULT '',
  agent_version         TEXT NOT NULL DEFAULT '',
  -- first and last event with a time
  started_at            INTEGER NOT NULL DEFAULT 0,
  ended_at              INTEGER NOT NULL DEFAULT 0,
  -- Outcome according to the last analysis
  outcome               INTEGER NOT NULL DEFAULT 0 CHECK (outcome BETWEEN 0 AND 3),
  -- human turns; one fewer than exchanges if the session began without a prompt
  turns                 INTEGER NOT NULL DEFAULT 0,
  -- counts over its events
  retries               INTEGER NOT NULL DEFAULT 0,
  tool_calls            INTEGER NOT NULL DEFAULT 0,
  tool_pairs            INTEGER NOT NULL DEFAULT 0,
  tool_errors           INTEGER NOT NULL DEFAULT 0,
  compactions           INTEGER NOT NULL DEFAULT 0,
  -- the numbers the next event and exchange will get
  next_seq              INTEGER NOT NULL DEFAULT 0,
  next_exchange         INTEGER NOT NULL DEFAULT 0,
  source_pk             INTEGER REFERENCES sources,  -- its main transcript
  -- when memd first saw it, last wrote to it, analysed it and evicted it; only an analysed session may be evicted
  discovered_at         INTEGER NOT NULL DEFAULT 0,
  ingested_at           INTEGER NOT NULL DEFAULT 0,
  analyzed_at           INTEGER,
  evicted_at            INTEGER,
  mode                  TEXT NOT NULL DEFAULT '',  -- as the platform names it: agent, plan, chat
  context_tokens        INTEGER NOT NULL DEFAULT 0,  -- last known size of the context
  -- of the whole session, if the platform itself counts them
  lines_added           INTEGER NOT NULL DEFAULT 0,
  lines_removed         INTEGER NOT NULL DEFAULT 0,
  cost_usd              REAL,
  evicted_through       INTEGER,  -- ended_at when it was evicted: events up to here are not ingested again
  -- when its agent reported the end; 0: never, or the session continued
  stopped_at            INTEGER NOT NULL DEFAULT 0,
  capture_disabled_at   INTEGER NOT NULL DEFAULT 0,  -- since when it is no longer captured; 0: capture works
  repo                  TEXT NOT NULL DEFAULT '',  -- URL of the repository's remote, if the agent records it
  -- version of the analysis of the session's current state; 0: it waits for an analysis
  analysis_version      INTEGER NOT NULL DEFAULT 0,
  -- the signs that the outcome is based on, as bits of OutcomeSign
  outcome_signs         INTEGER NOT NULL DEFAULT 0,
  -- version of the prompt with which a language model judged the decisions of its current state; 0: not judged
  judge_version         INTEGER NOT NULL DEFAULT 0,
  -- the project of the directory in which it began
  own_project_pk        INTEGER REFERENCES projects,
  UNIQUE (platform, native_id),
  CHECK (evicted_at IS NULL OR analyzed_at IS NOT NULL)
) STRICT;
CREATE INDEX sessions_by_end ON sessions (ended_at);
CREATE INDEX sessions_by_parent ON sessions (parent_uid) WHERE parent_uid <> '';
CREATE INDEX sessions_by_project ON sessions (project_pk, ended_at);
CREATE INDEX sessions_by_analysis ON sessions (analysis_version);

-- Data that outlives the events of a session. Written when the session has stopped.
CREATE TABLE session_digests (
  -- the session; deleted with its row, not with its events
  session_pk    INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  -- its first request and its result, one line each
  request       TEXT NOT NULL,
  result        TEXT NOT NULL,
  abstract      TEXT NOT NULL,  -- its most informative sentences, at most 200 tokens
  wall_clock_ms INTEGER NOT NULL CHECK (wall_clock_ms >= 0),  -- time in which it was worked on
  -- its transcript, and its bytes there
  source_path   TEXT NOT NULL,
  source_bytes  INTEGER NOT NULL
) STRICT;

-- The last errors of a digest.
CREATE TABLE digest_errors (
  -- the digest; position in order of time
  session_pk INTEGER NOT NULL REFERENCES session_digests ON DELETE CASCADE,
  place      INTEGER NOT NULL,
  -- one of the last eight errors, each text once; tool is empty if no tool caused it
  time       INTEGER NOT NULL,
  tool       TEXT NOT NULL,
  text       TEXT NOT NULL,
  PRIMARY KEY (session_pk, place)
) STRICT, WITHOUT ROWID;

-- The smallest unit of the store. Rows are ordered by (session_pk, seq) on disk, so that the events of an exchange
-- are contiguous.
CREATE TABLE events (
  -- order inside the session, from 0, without gaps
  session_pk INTEGER NOT NULL REFERENCES sessions,
  seq        INTEGER NOT NULL CHECK (seq >= 0),
  event_id   INTEGER NOT NULL,  -- identity on the platform; unique in the whole store (see identities)
  -- as in the record, or 0 if that cannot be; not monotonic in seq, because agents' records are not
  time       INTEGER NOT NULL,
  kind       INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 12),  -- EventKind
  role       INTEGER NOT NULL DEFAULT 0,  -- Role
  origin     INTEGER NOT NULL DEFAULT 0,  -- Origin of its text
  -- the event it follows. For a derived event: the one it was derived from. For other events: the first event of the
  -- record that its own record names (Claude Code's parentUuid), or of its own record. NULL: the agent does not
  -- record it, the named record is missing, or it belongs to another session (in a fork, the origin). The flag
  -- kFlagRoot says that the record follows none.
  parent_seq INTEGER,
  pair_seq   INTEGER,  -- of a tool call: its result; of a result: its call
  tool       TEXT,  -- name of the tool
  call_key   INTEGER,  -- hash of the call id, for pairing
  input_hash INTEGER,  -- hash of tool and input, for retries
  path_pk    INTEGER REFERENCES paths,  -- the single file that a tool call would change, for retries
  -- bits of EventFlag. kFlagGone: the source was rewritten without the record; its place is the one before
  flags      INTEGER NOT NULL DEFAULT 0,
  summary    TEXT NOT NULL DEFAULT '',  -- one line
  tokens     INTEGER NOT NULL DEFAULT 0,  -- output tokens, on the first event of a response
  -- the reference to the payload: where the whole text is (docs/decisions/0013-payloads.md)
  source_pk  INTEGER,
  raw_offset INTEGER,
  raw_length INTEGER,
  raw_block  INTEGER,
  PRIMARY KEY (session_pk, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_open_calls ON events (session_pk, call_key) WHERE kind = 3 AND pair_seq IS NULL;
CREATE TRIGGER events_forgotten AFTER DELETE ON events BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs) AND identity = old.event_id;
END;

-- Records of a session that gave no event and are between records that did: hooks, attachments, progress. Of
-- several consecutive records in one commit only the last has a row, because later records follow that one (12,172
-- of 16,402 such records of real histories are followed by one of their kind, and none of these by anything else).
CREATE TABLE silent_records (
  -- the record, identified by the hash of its id
  session_pk INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  record_key INTEGER NOT NULL,
  follows    INTEGER NOT NULL,  -- the hash of the nearest preceding record that gave an event; 0: there is none
  PRIMARY KEY (session_pk, record_key)
) STRICT, WITHOUT ROWID;

-- Command lines that tool calls ran. Rows here and in the next two tables are deleted with their event. Adapters
-- extract these facts when they decode a record, so that no query has to read the record again.
CREATE TABLE commands (
  -- the call
  session_pk    INTEGER NOT NULL REFERENCES sessions,
  event_seq     INTEGER NOT NULL,
  place         INTEGER NOT NULL CHECK (place >= 0),  -- among the command lines of the call, from 0
  line          TEXT NOT NULL,  -- as the agent wrote it, with secrets masked, at most 4,096 bytes
  is_whole      INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1)),  -- 0: the line was longer
  directory     TEXT NOT NULL DEFAULT '',  -- its working directory, if the call names it
  purpose       INTEGER NOT NULL DEFAULT 0 CHECK (purpose BETWEEN 0 AND 2),  -- CommandPurpose: other, test, build
  -- the call did not wait for the command to end
  in_background INTEGER NOT NULL DEFAULT 0 CHECK (in_background IN (0, 1)),
  PRIMARY KEY (session_pk, event_seq, place),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Results of commands. Only known results have a row.
CREATE TABLE command_results (
  -- the result; pair_seq of its event is the call
  session_pk INTEGER NOT NULL REFERENCES sessions,
  event_seq  INTEGER NOT NULL,
  exit_code  INTEGER,  -- NULL: the agent does not say
  -- RunOutcome of tests and builds, decided once from the command line, its exit code and the output
  -- (store/text/run_outcome.hpp): passed, failed, or unknown if neither tells; NULL for other commands and for
  -- refused ones. The test_run event derived from the result begins with it ("unknown: Bash: make test") and has
  -- kFlagError if it failed.
  outcome    INTEGER CHECK (outcome BETWEEN 0 AND 2),
  PRIMARY KEY (session_pk, event_seq),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Changes that calls made to the task list that an agent keeps with a tool. The current list is the last one that
-- replaced all entries, with the changes since.
CREATE TABLE todo_items (
  -- the call; for a single added task, the result that contains its key
  session_pk INTEGER NOT NULL REFERENCES sessions,
  event_seq  INTEGER NOT NULL,
  place      INTEGER NOT NULL CHECK (place >= 0),  -- among the entries of the event, from 0
  -- 1: the entries of this event are the whole list; 0: they change entries with the same key, or are added
  replaces   INTEGER NOT NULL CHECK (replaces IN (0, 1)),
  item_key   TEXT NOT NULL DEFAULT '',  -- the agent's name for the entry, if it gives one
  -- at most 300 bytes; empty in a change: the text stays; empty without item_key: the call emptied the list
  text       TEXT NOT NULL DEFAULT '',
  -- TodoState: unstated (the state stays), pending, in progress, done, dropped
  state      INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
  PRIMARY KEY (session_pk, event_seq, place),
  FOREIGN KEY (session_pk, event_seq) REFERENCES events (session_pk, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Names of models, each stored once.
CREATE TABLE models (
  model_pk INTEGER PRIMARY KEY,  -- local id, from 1
  model    TEXT NOT NULL UNIQUE  -- as agents write it
) STRICT;

-- The ledger: one row for each response of a model. All sums of tokens are sums over these rows. They stay when the
-- events of their session are evicted.
CREATE TABLE responses (
  -- the exchange it is counted for; −1: before the first exchange. Rows are ordered by these on disk
  session_pk        INTEGER NOT NULL REFERENCES sessions,
  exchange_number   INTEGER NOT NULL,
  -- hash of the response's identity. For agents whose ids of responses may repeat, the last 16 bits tell responses with
  -- one id apart (schemas/usage.hpp)
  response_key      INTEGER NOT NULL,
  time              INTEGER NOT NULL,  -- of its first record; 0: unknown
  model_pk          INTEGER NOT NULL,  -- one of models; 0: the agent does not say
  flags             INTEGER NOT NULL,  -- response_flags(): service tier, speed, purpose, whether it never ended
  -- The largest output that its records tell, and the prompt told with it. input is without what came from the cache
  -- or was written to it; cache_creation_1h is part of cache_creation, reasoning part of output
  input             INTEGER NOT NULL,
  output            INTEGER NOT NULL,
  cache_read        INTEGER NOT NULL,
  cache_creation    INTEGER NOT NULL,
  cache_creation_1h INTEGER NOT NULL,
  reasoning         INTEGER NOT NULL,
  web_searches      INTEGER NOT NULL,
  cost_usd          REAL,  -- as calculated by the agent; NULL: it does not say
  PRIMARY KEY (session_pk, exchange_number, response_key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER responses_forgotten AFTER DELETE ON responses BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs)
    AND identity BETWEEN old.response_key - (old.response_key & 65535) AND old.response_key | 65535
    AND session_pk = old.session_pk AND place = old.exchange_number;
END;

-- What agents themselves counted for a session (Claude Code's cost-state): requests of no transcript included. An
-- account of a resumed session goes on with the figures of the one before, or starts anew.
CREATE TABLE session_accounts (
  -- the session, the time from which the agent counts, and the model
  session_pk        INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  counted_from      INTEGER NOT NULL,
  model_pk          INTEGER NOT NULL,  -- one of models
  time              INTEGER NOT NULL,  -- of the newest account
  -- as in responses
  input             INTEGER NOT NULL,
  output            INTEGER NOT NULL,
  cache_read        INTEGER NOT NULL,
  cache_creation    INTEGER NOT NULL,
  cache_creation_1h INTEGER NOT NULL,
  reasoning         INTEGER NOT NULL,
  web_searches      INTEGER NOT NULL,
  cost_usd          REAL NOT NULL,
  PRIMARY KEY (session_pk, counted_from, model_pk)
) STRICT, WITHOUT ROWID;

-- Limits of the person's account with a provider, as it last reported them.
CREATE TABLE rate_limits (
  -- the agent, by the key of its Platform; its name of the limit; the time that it is for, 0: not told
  platform       TEXT NOT NULL,
  name           TEXT NOT NULL,
  window_minutes INTEGER NOT NULL,
  used_percent   REAL NOT NULL,  -- 0 to 100
  resets_at      INTEGER NOT NULL,  -- 0: not told
  reported_at    INTEGER NOT NULL,  -- when the provider said so
  PRIMARY KEY (platform, name, window_minutes)
) STRICT, WITHOUT ROWID;

-- The place of each event and each response, by its hash; what is listed here is not ingested again. The table is a
-- log-structured merge tree of rows (store/write/identity_index.hpp): hashes arrive in no order, and in one B-tree each
-- would dirty a page of its own.
CREATE TABLE identities (
  -- the run that contains the entry now, one of identity_runs; an identity is in one run only
  run        INTEGER NOT NULL,
  -- event_id; of a response, its response_key with the last bit inverted. Further records of a response whose id may
  -- repeat have entries of their own, which differ in the last 16 bits
  identity   INTEGER NOT NULL,
  -- its place: seq of the event, exchange_number of the response
  session_pk INTEGER NOT NULL,
  place      INTEGER NOT NULL,
  PRIMARY KEY (run, identity)
) STRICT, WITHOUT ROWID;

-- The runs of identities.
CREATE TABLE identity_runs (
  run         INTEGER PRIMARY KEY,  -- number of the run, growing
  level       INTEGER NOT NULL CHECK (level >= 0),  -- 0: written by commits; n: merged from runs of level n − 1
  entries     INTEGER NOT NULL DEFAULT 0,  -- number of entries written to it, including those moved since
  sealed      INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),  -- 1: complete, nothing more is added
  merges_into INTEGER  -- the run its entries are being moved to, smallest first
) STRICT;

-- Titles for a record that has not been read yet.
CREATE TABLE pending_titles (
  record_key INTEGER NOT NULL,  -- the record
  -- applied when the record is read, then deleted
  title_rank INTEGER NOT NULL,
  title      TEXT NOT NULL,
  PRIMARY KEY (record_key, title_rank)
) STRICT, WITHOUT ROWID;

-- == What is searched ==
-- Written with the slice, too.

-- One human turn with everything the agent did until the next one. The last exchange of a session is open: it
-- grows.
CREATE TABLE exchanges (
  exchange_pk           INTEGER PRIMARY KEY,  -- local id; x<exchange_pk> outside
  -- position in the session, from 0
  session_pk            INTEGER NOT NULL REFERENCES sessions,
  exchange_number       INTEGER NOT NULL CHECK (exchange_number >= 0),
  -- its events
  first_seq             INTEGER NOT NULL,
  last_seq              INTEGER NOT NULL,
  -- of its events
  started_at            INTEGER NOT NULL,
  ended_at              INTEGER NOT NULL,
  origin                INTEGER NOT NULL DEFAULT 0,  -- Origin of the words that opened it
  is_sidechain          INTEGER NOT NULL DEFAULT 0 CHECK (is_sidechain IN (0, 1)),  -- of a subagent
  -- DataCompleteness: 0 full; 1 partial; 2 metadata only: the session is evicted, and only the first lines of prompt
  -- and final answer are left
  data_completeness     INTEGER NOT NULL DEFAULT 0 CHECK (data_completeness BETWEEN 0 AND 3),
  user_event_id         INTEGER,  -- the event of the prompt; NULL when the session began without one
  user_message          TEXT,  -- the words of the person
  interventions         TEXT,  -- what the person said during the exchange (queued, or while rejecting a tool)
  assistant_response    TEXT,  -- every text of the agent, in order
  answer_offset         INTEGER NOT NULL DEFAULT 0,  -- where the final answer starts in it, in bytes
  tool_text             TEXT,  -- the searchable parts of tool calls: commands, paths, patterns
  -- branch and directory when it opened; the model that answered last in it, or that was in use before
  git_branch            TEXT NOT NULL DEFAULT '',
  working_directory     TEXT NOT NULL DEFAULT '',
  model_used            TEXT NOT NULL DEFAULT '',
  -- sums over its events
  tool_calls            INTEGER NOT NULL DEFAULT 0,
  tool_errors           INTEGER NOT NULL DEFAULT 0,
  lines_added           INTEGER NOT NULL DEFAULT 0,
  lines_removed         INTEGER NOT NULL DEFAULT 0,
  content_hash          INTEGER NOT NULL DEFAULT 0,  -- hash of its text: derived data is stale when the hash differs
  -- provenance
  raw_format_version    TEXT NOT NULL DEFAULT '',
  adapter_version       TEXT NOT NULL DEFAULT '',
  ingested_at           INTEGER NOT NULL,
  UNIQUE (session_pk, exchange_number)
) STRICT;
-- With the session, a timeline is read from the index alone.
CREATE INDEX exchanges_by_time ON exchanges (started_at, session_pk);
-- Where an exchange stands, for the hundreds of candidates of a search: rows of exchanges lie a page or more apart, and
-- what comes behind their texts is reached through all of them.
CREATE INDEX exchanges_by_pk ON exchanges (exchange_pk, session_pk, exchange_number, started_at, content_hash);

-- Abandoned branches of a session: the person went back to an earlier prompt, and the session continued from there.
-- Forks of the records inside an exchange (parallel calls, hooks) are no such branch. Known only for agents that
-- record which record follows which.
CREATE TABLE abandoned_exchanges (
  -- an exchange off the path from the first to the last one; deleted with its row in exchanges
  session_pk      INTEGER NOT NULL,
  exchange_number INTEGER NOT NULL,
  abandoned_for   INTEGER NOT NULL,  -- number of the exchange that the session continued with instead
  PRIMARY KEY (session_pk, exchange_number),
  FOREIGN KEY (session_pk, exchange_number) REFERENCES exchanges (session_pk, exchange_number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Full-text index (FTS5, external content) over four columns of exchanges, updated in the same transaction. Its
-- tokenizer is memd's own (docs/search.md#words). A plain sqlite3 can read every other table, and the columns of this
-- one. It reports "no such tokenizer" for MATCH, and cannot change session titles, whose index is kept by triggers.
CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
  user_message, interventions, assistant_response, tool_text,
  content = 'exchanges', content_rowid = 'exchange_pk',
  tokenize = 'memd'
);
-- Two segments of a size are enough to merge them, when the daemon is idle (store/search/words/full_text_index.hpp).
INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('usermerge', 2);

-- Files' paths, each stored once.
CREATE TABLE paths (
  path_pk INTEGER PRIMARY KEY,  -- local id
  path    TEXT NOT NULL UNIQUE,  -- as agents write it
  -- computed: the part of the path after the last / or \
  name    TEXT GENERATED ALWAYS AS (
    substr(replace(path, '\', '/'), length(rtrim(replace(path, '\', '/'),
                                                 replace(replace(path, '\', '/'), '/', ''))) + 1)) VIRTUAL
) STRICT;
CREATE INDEX paths_by_name ON paths (name);

-- Which exchange touched which file.
CREATE TABLE exchange_files (
  -- access is FileAccess: read, modified, referenced
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER NOT NULL,
  path_pk         INTEGER NOT NULL REFERENCES paths,
  access          INTEGER NOT NULL CHECK (access BETWEEN 0 AND 2),
  -- sums
  touches         INTEGER NOT NULL DEFAULT 1,
  lines_added     INTEGER NOT NULL DEFAULT 0,
  lines_removed   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_pk, exchange_number, path_pk, access)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_files_by_path ON exchange_files (path_pk, session_pk);

-- Commits that agents made, taken from git's output in the result of a call: "[main 1a2b3c4] Add an index". Each
-- row is removed with its event, but stays when the session is evicted.
CREATE TABLE commits (
  -- the result with the output
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  sha             TEXT NOT NULL,  -- as shown there: 7 hexadecimal digits or more, the beginning of the commit's id
  exchange_number INTEGER,  -- the exchange that contains it
  branch          TEXT NOT NULL DEFAULT '',  -- as in git's output; empty on a detached HEAD
  subject         TEXT NOT NULL DEFAULT '',  -- first line of the message, at most 120 bytes
  time            INTEGER NOT NULL,  -- of the event
  PRIMARY KEY (session_pk, event_seq, sha)
) STRICT, WITHOUT ROWID;
CREATE INDEX commits_by_sha ON commits (sha);

-- Pull requests that sessions opened (gh pr create and glab mr create print the address, tools such as GitHub's
-- create_pull_request return it), or that the agent linked to the session (Claude Code's pr-link). Rows are removed
-- as in commits; a pull request that was opened and linked has two rows.
CREATE TABLE pull_requests (
  -- the result or the link
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  event_seq       INTEGER NOT NULL,
  url             TEXT NOT NULL,  -- its address, at most 300 bytes
  exchange_number INTEGER,  -- the exchange that contains it
  time            INTEGER NOT NULL,  -- of the event
  PRIMARY KEY (session_pk, event_seq, url)
) STRICT, WITHOUT ROWID;

-- Names of tools.
CREATE TABLE tools (
  -- a tool's name, stored once
  tool_pk INTEGER PRIMARY KEY,
  tool    TEXT NOT NULL UNIQUE
) STRICT;

-- Which exchange called which tool.
CREATE TABLE exchange_tools (
  -- the exchange called the tool at least once
  exchange_pk INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  tool_pk     INTEGER NOT NULL REFERENCES tools,
  PRIMARY KEY (exchange_pk, tool_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_tools_by_tool ON exchange_tools (tool_pk);

-- == What is derived ==
-- Not authoritative: made from the tables above, and made again by `memd rebuild`.

-- Facts worth remembering from a session, written with its events. They are decisions (from sentences of agents and
-- persons, answers to questions, and accepted plans; in English, Russian, Chinese, Japanese and Korean); problems,
-- their causes and their fixes (recognised by the beginnings of sentences, in English); rules that a person laid
-- down; and calls that failed and worked after edits. They are removed with their exchange.
CREATE TABLE observations (
  observation_pk  INTEGER PRIMARY KEY,  -- local id
  -- where and when it was found
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER,
  event_seq       INTEGER,
  time            INTEGER NOT NULL,
  -- ObservationType by name
  type            TEXT NOT NULL CHECK (type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'problem',
                                                'solution', 'pattern', 'warning', 'success')),
  summary         TEXT NOT NULL,  -- the first line, at most 160 bytes
  content         TEXT NOT NULL,  -- the whole text, at most 300 bytes
  -- of a call that worked again: its tool, and the files edited in between, as {"files": […]}
  tool            TEXT,
  metadata        TEXT NOT NULL DEFAULT '{}',
  -- hash of the words without case and punctuation; unique with session and type: the same observation is stored
  -- once
  content_hash    INTEGER NOT NULL,
  UNIQUE (session_pk, type, content_hash)
) STRICT;
-- Exchanges with an observation of a type, and the newest observations of a type.
CREATE INDEX observations_by_type ON observations (type, session_pk, exchange_number);
CREATE INDEX observations_by_time ON observations (time);

-- Details of an observation of the type decision; deleted with the observation.
CREATE TABLE decisions (
  -- the observation; its content is the sentence, of an answer "question: answer"
  observation_pk INTEGER PRIMARY KEY REFERENCES observations ON DELETE CASCADE,
  kind           INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),  -- 0 choice, 1 rejection, 2 reversal, 3 answer, 4 plan
  decided_by     INTEGER NOT NULL CHECK (decided_by IN (0, 1)),  -- 0 the user, 1 the agent
  -- parts of the sentence, at most 160 bytes each; empty: not stated
  chosen         TEXT NOT NULL DEFAULT '',
  rejected       TEXT NOT NULL DEFAULT '',
  reason         TEXT NOT NULL DEFAULT '',
  -- the later observation of the session that reversed it, set when that one is written; null: none
  reversed_by    INTEGER REFERENCES observations ON DELETE SET NULL,
  judged_by      TEXT NOT NULL DEFAULT ''  -- the language model that classified it as a decision; empty: memd itself
) STRICT;
CREATE INDEX decisions_reversed ON decisions (reversed_by) WHERE reversed_by IS NOT NULL;

-- Topics of exchanges.
CREATE TABLE topics (
  topic_pk INTEGER PRIMARY KEY,  -- local id
  topic    TEXT NOT NULL UNIQUE,  -- a spelling of a topic, stored once, and only while an exchange has it
  -- stems of its words, joined by blanks: rows with the same stems are one topic, named by the most frequent
  -- spelling
  stems    TEXT NOT NULL
) STRICT;
CREATE INDEX topics_by_stems ON topics (stems);

-- Which exchange has which topics.
CREATE TABLE exchange_topics (
  -- at most eight topics for an exchange
  topic_pk        INTEGER NOT NULL REFERENCES topics,
  exchange_pk     INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  relevance_score REAL NOT NULL,  -- 0…1
  PRIMARY KEY (topic_pk, exchange_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_topics_by_exchange ON exchange_topics (exchange_pk);
CREATE TRIGGER topics_without_exchanges AFTER DELETE ON exchange_topics
WHEN NOT EXISTS (SELECT 1 FROM exchange_topics WHERE topic_pk = OLD.topic_pk)
BEGIN
  DELETE FROM topics WHERE topic_pk = OLD.topic_pk;
END;

-- Search by name.
CREATE TABLE identifier_parts (
  -- a compound name (parseConfig) in lower case, under each word inside it. Exchanges that contain it are found in
  -- exchanges_fts, where it is one word
  part       TEXT NOT NULL,
  identifier TEXT NOT NULL,
  PRIMARY KEY (part, identifier)
) STRICT, WITHOUT ROWID;

-- Full-text index (FTS5, external content, tokenizer as exchanges_fts) over the titles of sessions, kept by
-- triggers. Its content is the view titled_sessions: sessions without a title have no entry
-- (FTS5's own integrity check compares the two).
CREATE VIEW titled_sessions AS SELECT session_pk, title FROM sessions WHERE title <> '';
CREATE VIRTUAL TABLE session_titles USING fts5 (
  title, content = 'titled_sessions', content_rowid = 'session_pk', tokenize = 'memd'
);
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

-- Models whose vectors are in vectors.
CREATE TABLE vector_models (
  -- the model, by its name and number of dimensions
  model_pk  INTEGER PRIMARY KEY,
  name      TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL CHECK (dimension > 0),
  exchanges INTEGER NOT NULL DEFAULT 0  -- number of exchanges that have vectors; kept by triggers
) STRICT;

-- What exchanges mean, by each model. Loaded once and kept up to date by the rows above the highest vector_pk loaded.
CREATE TABLE vectors (
  vector_pk    INTEGER PRIMARY KEY AUTOINCREMENT,  -- grows: a changed exchange gets a new row with a higher one
  -- one row for each pair
  model_pk     INTEGER NOT NULL REFERENCES vector_models ON DELETE CASCADE,
  exchange_pk  INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  -- 8 bytes for each chunk of the exchange's text, in order: the hash of the text the vector was made from
  chunk_hashes BLOB NOT NULL,
  vectors      BLOB NOT NULL,  -- chunks × dimension signed bytes; only their direction counts
  UNIQUE (exchange_pk, model_pk)
) STRICT;
-- Whoever holds vectors in memory notices by the counts that some are gone.
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges + 1 WHERE model_pk = new.model_pk;
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges - 1 WHERE model_pk = old.model_pk;
END;

-- Exchanges whose text changed since terms and vectors were made from it.
CREATE TABLE enrichment_queue (
  -- an exchange whose text changed since its last enrichment
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
  revision    INTEGER NOT NULL DEFAULT 1,  -- grows with every change
  missing     INTEGER NOT NULL DEFAULT 3 CHECK (missing BETWEEN 1 AND 3)  -- bits: 1 identifiers and topics, 2 vectors
) STRICT;
-- Either part may be far ahead of the other: a model that cannot be reached leaves a long queue behind.
CREATE INDEX enrichment_queue_terms ON enrichment_queue (exchange_pk) WHERE missing & 1;
CREATE INDEX enrichment_queue_vectors ON enrichment_queue (exchange_pk) WHERE missing & 2;

-- Vectors of the second look. A store has rows here while meta has second_look_model.
CREATE TABLE second_look (
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,  -- an exchange
  -- 0: the vector is of the current text. Else it waits; the number grows with every change
  waiting     INTEGER NOT NULL DEFAULT 1,
  text_hash   INTEGER NOT NULL DEFAULT 0,  -- hash of the text the vector was made from; 0: none
  -- signed bytes, as many as the network has dimensions; only their direction counts. null: not made yet, or there
  -- is no text
  vector      BLOB
) STRICT;
CREATE INDEX second_look_waiting ON second_look (exchange_pk) WHERE waiting;
-- For counting: the rows themselves take ten times the pages.
CREATE INDEX second_look_made ON second_look (exchange_pk) WHERE vector IS NOT NULL;

-- Directories with memories. All tables doc… are made from files and hold no data of their own. memd memory rebuild
-- drops and rebuilds them; memd does so by itself when they are damaged. Secrets are masked.
CREATE TABLE doc_places (
  place_pk    INTEGER PRIMARY KEY,  -- local id
  directory   TEXT NOT NULL,  -- where the files are; of files of agents, the project or the home directory
  dialect     INTEGER NOT NULL,  -- MemoryDialect
  scope       INTEGER NOT NULL,  -- MemoryScope
  -- identity key and name of the project, as in projects, where it need not have a row; empty: no project
  project_key TEXT NOT NULL,
  project     TEXT NOT NULL,
  graph_hash  TEXT NOT NULL DEFAULT '',  -- SHA-256 of graph.json when last read; empty: there was none
  UNIQUE (directory, dialect, scope)
) STRICT;

-- A memory, or a file of instructions or notes of an agent.
CREATE TABLE docs (
  doc_pk        INTEGER PRIMARY KEY,  -- local id
  place_pk      INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,  -- its place
  path          TEXT NOT NULL UNIQUE,  -- its file
  slug          TEXT NOT NULL,  -- its name, or the id of the repository dialect
  type          INTEGER NOT NULL,  -- MemoryType
  -- as in the file; of agents' files, which do not say, updated is the file's time of change
  created       INTEGER NOT NULL,
  updated       INTEGER NOT NULL,
  status        INTEGER NOT NULL,  -- VerificationStatus
  commit_sha    TEXT NOT NULL,  -- the commit it was verified at last
  -- 0: it breaks a rule of its dialect; searches do not find it, and it has no text here
  is_valid      INTEGER NOT NULL CHECK (is_valid IN (0, 1)),
  -- the slug of a memory of the same place that supersedes it, and since when; empty: none
  superseded_by TEXT NOT NULL DEFAULT '',
  superseded_at INTEGER NOT NULL DEFAULT 0,
  session_uid   TEXT NOT NULL,  -- the session that its provenance names
  file_hash     TEXT NOT NULL,  -- SHA-256 of the bytes that were read
  -- size, time of change (ns) and inode of the file when it was read, and the time of reading (ns)
  bytes         INTEGER NOT NULL,
  changed_ns    INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
  read_ns       INTEGER NOT NULL,
  generation    INTEGER NOT NULL,  -- of doc_catalog, when the row was written
  title         TEXT NOT NULL,  -- as in the file
  tags          TEXT NOT NULL,  -- separated by blanks
  content       TEXT NOT NULL  -- the text after the front matter, at most 1 MiB
) STRICT;
CREATE INDEX docs_by_slug ON docs (slug, place_pk);
CREATE INDEX docs_by_place ON docs (place_pk);
CREATE INDEX docs_by_generation ON docs (generation);

-- Full-text index (FTS5, external content) over docs, kept by the triggers. Its tokenizer is that of exchanges_fts.
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

-- Edges of graph.json, in both directions, and relations of the repository dialect.
CREATE TABLE doc_edges (
  -- slugs and label; target need not exist
  place_pk INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,
  source   TEXT NOT NULL,
  label    TEXT NOT NULL,
  target   TEXT NOT NULL,
  created  INTEGER NOT NULL,  -- since when; 0: unknown
  PRIMARY KEY (place_pk, source, label, target)
) STRICT, WITHOUT ROWID;

-- Files that memories name.
CREATE TABLE doc_files (
  doc_pk INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,  -- a file that a memory names, as written there
  name   TEXT NOT NULL,  -- its last part, in lower case
  file   TEXT NOT NULL,  -- a file that a memory names, as written there
  PRIMARY KEY (doc_pk, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX doc_files_by_name ON doc_files (name, doc_pk);

-- What memories mean.
CREATE TABLE doc_vectors (
  -- vectors of its chunks, as in vectors, from the built-in model
  doc_pk  INTEGER PRIMARY KEY REFERENCES docs ON DELETE CASCADE,
  vectors BLOB NOT NULL
) STRICT;

-- One row, from the first memory on: how the tables relate to the files.
CREATE TABLE doc_catalog (
  one        INTEGER PRIMARY KEY CHECK (one = 1),  -- 1
  state      INTEGER NOT NULL,  -- CatalogState: 0 valid, 1 corrupted, 2 rebuilding
  generation INTEGER NOT NULL,  -- grows with each change
  docs       INTEGER NOT NULL,  -- rows of docs
  model      TEXT NOT NULL,  -- model of doc_vectors
  -- the last rebuild: its reason, end and duration
  reason     TEXT NOT NULL,
  built_at   INTEGER NOT NULL,
  built_ms   INTEGER NOT NULL
) STRICT;
