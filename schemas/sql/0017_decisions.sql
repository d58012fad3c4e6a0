-- What is known of an observation that is a decision. It goes with the observation.
CREATE TABLE decisions (
  observation_pk INTEGER PRIMARY KEY REFERENCES observations ON DELETE CASCADE,
  kind           INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),
  decided_by     INTEGER NOT NULL CHECK (decided_by IN (0, 1)),
  chosen         TEXT NOT NULL DEFAULT '',
  rejected       TEXT NOT NULL DEFAULT '',
  reason         TEXT NOT NULL DEFAULT '',
  reversed_by    INTEGER REFERENCES observations ON DELETE SET NULL
) STRICT;
CREATE INDEX decisions_reversed ON decisions (reversed_by) WHERE reversed_by IS NOT NULL;

-- Exchanges with an observation of a type, and the newest observations of a type.
CREATE INDEX observations_by_type ON observations (type, session_pk, exchange_number);
CREATE INDEX observations_by_time ON observations (time);
