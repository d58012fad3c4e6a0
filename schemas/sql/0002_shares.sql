-- Sharing (docs/sharing.md). A rebuild copies the tables from the store that it replaces.

-- Who wrote a session on which machine ("ada@laptop"); empty: a session of this machine.
ALTER TABLE sessions ADD COLUMN shared_by TEXT NOT NULL DEFAULT '';

-- A project that this machine shares. Written by init, join and leave.
CREATE TABLE shares (
  share_pk    INTEGER PRIMARY KEY,  -- local id
  place       TEXT NOT NULL,  -- a directory, or user@host
  project     TEXT NOT NULL,  -- name of the project, and of the share at the place
  -- identity_key of the project on this machine: others may have the same name; empty: none has had it since the share
  -- was joined
  project_key TEXT NOT NULL,
  share_id    TEXT NOT NULL,  -- drawn when the share was made
  invitation  TEXT NOT NULL,  -- of a sealed share: the key by which members know each other; empty: it is not sealed
  UNIQUE (place, project)
) STRICT;

-- Own sessions in a share: how far they are in segments. Written after the segment.
CREATE TABLE shared_sessions (
  share_pk    INTEGER NOT NULL REFERENCES shares ON DELETE CASCADE,  -- the share
  session_uid TEXT NOT NULL,  -- the session, which may be forgotten
  next_seq    INTEGER NOT NULL,  -- events with a smaller seq are in segments
  last_event  INTEGER NOT NULL,  -- event_id of the last one of these: another one there means that rows were rewritten
  ingested_at INTEGER NOT NULL,  -- of the session when it was written
  is_out      INTEGER NOT NULL DEFAULT 0 CHECK (is_out IN (0, 1)),  -- forgotten, excluded or taken out by its writer
  PRIMARY KEY (share_pk, session_uid)
) STRICT, WITHOUT ROWID;

-- Segments that this machine has written or read.
CREATE TABLE shared_segments (
  share_pk    INTEGER NOT NULL REFERENCES shares ON DELETE CASCADE,  -- the share
  name        TEXT NOT NULL,  -- SHA-256 of the file
  machine     TEXT NOT NULL,  -- who wrote it
  session_uid TEXT NOT NULL,  -- the session that it is about
  events      INTEGER NOT NULL,  -- lines of events
  bytes       INTEGER NOT NULL,  -- of the file
  known_at    INTEGER NOT NULL,  -- when it was written or read here
  PRIMARY KEY (share_pk, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_segments_by_session ON shared_segments (share_pk, session_uid);
