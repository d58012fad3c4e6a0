-- Which facts the store holds. Their ids are hashes: in one B-tree each new one dirties another page, and a store that
-- outgrows the page cache writes a page an event. Runs are written side by side and merged from time to time, so that
-- what is written stands together (store/write/identity_index.hpp).

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

-- A response may have the key of the event that told of it: the last bit is turned over.
INSERT INTO identities SELECT 1, event_id, session_pk, seq FROM events ORDER BY event_id;
INSERT INTO identities SELECT 2, (response_key | 1) - (response_key & 1), session_pk, coalesce(exchange_number, -1)
  FROM responses ORDER BY response_key;
INSERT INTO identity_runs (run, level, entries, sealed)
  SELECT run, CASE WHEN count(*) > 1048576 THEN 2 WHEN count(*) > 65536 THEN 1 ELSE 0 END, count(*), 1
  FROM identities GROUP BY run;
DROP INDEX events_by_id;

CREATE TABLE responses_of_sessions (
  session_pk      INTEGER NOT NULL REFERENCES sessions,
  exchange_number INTEGER NOT NULL,
  response_key    INTEGER NOT NULL,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  PRIMARY KEY (session_pk, exchange_number, response_key)
) STRICT, WITHOUT ROWID;
INSERT INTO responses_of_sessions
  SELECT session_pk, coalesce(exchange_number, -1), response_key, input, output, cache_read, cache_creation
  FROM responses ORDER BY session_pk, exchange_number;
DROP TABLE responses;
ALTER TABLE responses_of_sessions RENAME TO responses;

CREATE TRIGGER events_forgotten AFTER DELETE ON events BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs) AND identity = old.event_id;
END;
CREATE TRIGGER responses_forgotten AFTER DELETE ON responses BEGIN
  DELETE FROM identities WHERE run IN (SELECT run FROM identity_runs)
    AND identity = (old.response_key | 1) - (old.response_key & 1);
END;

-- Which exchange called which tools.
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

INSERT INTO tools (tool) SELECT DISTINCT tool FROM events WHERE kind = 3 AND tool IS NOT NULL;
INSERT INTO exchange_tools
  SELECT DISTINCT x.exchange_pk, t.tool_pk FROM exchanges x
  JOIN events e ON e.session_pk = x.session_pk AND e.seq BETWEEN x.first_seq AND x.last_seq
  JOIN tools t ON t.tool = e.tool WHERE e.kind = 3;
