-- What calls of tools and their results tell beyond their text, so that nobody has to read their records again for it.
-- Each row goes with its event.

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

-- Of what was read before, the first line of each command is known ("Bash: go test ./…"); `memd rebuild` finds the
-- rest. Scripts over an agent's own tools are no command lines.
INSERT INTO commands (session_pk, event_seq, place, line, is_whole, purpose, in_background)
SELECT session_pk, seq, 0, rtrim(line, '…'), line NOT GLOB '*…', (flags & 8) <> 0,
       EXISTS (SELECT 1 FROM events r WHERE r.session_pk = found.session_pk AND r.seq = found.pair_seq
               AND r.summary GLOB '[[]moved to the background]*')
FROM (SELECT session_pk, seq, pair_seq, flags, lower(tool) AS name, substr(summary, instr(summary, ': ') + 2) AS line
      FROM events WHERE kind = 3 AND instr(summary, ': ') > 0) AS found
WHERE (name GLOB '*bash*' OR name GLOB '*shell*' OR name GLOB '*terminal*' OR name GLOB '*exec*'
       OR name GLOB '*command*')
  AND name NOT GLOB '*output*' AND name NOT GLOB '*kill*' AND trim(line) <> ''
  AND line NOT GLOB 'const *' AND line NOT GLOB 'let *tools.*' AND line NOT GLOB 'await *tools.*'
  AND line NOT GLOB 'text(*tools.*';
