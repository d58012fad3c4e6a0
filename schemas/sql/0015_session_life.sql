-- The state of a session is not stored: it follows from these times, from its last event and from the clock.
ALTER TABLE sessions ADD COLUMN stopped_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN capture_disabled_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET capture_disabled_at = max(ended_at, ingested_at, 1) WHERE state = 3;
ALTER TABLE sessions DROP COLUMN state;

ALTER TABLE sessions ADD COLUMN repo TEXT NOT NULL DEFAULT '';
