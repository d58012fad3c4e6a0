-- The full-text tables are cut into words by memd's own tokenizer (store/text/word_cutter.hpp). Where it agrees with
-- `porter unicode61 remove_diacritics 2`, the entries of the index stay as they are; what has letters that it reads
-- otherwise is taken out as it was put in, and put in again.

CREATE TABLE read_otherwise (
  exchange_pk INTEGER PRIMARY KEY
);
INSERT INTO read_otherwise SELECT exchange_pk FROM exchanges
  WHERE memd_other_scripts(user_message, interventions, assistant_response, tool_text);
INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)
  SELECT 'delete', exchange_pk, user_message, interventions, assistant_response, tool_text
  FROM read_otherwise JOIN exchanges USING (exchange_pk);
INSERT INTO session_titles (session_titles, rowid, title) SELECT 'delete', session_pk, title FROM sessions
  WHERE title <> '' AND memd_other_scripts(title);

-- A savepoint has FTS5 write what it holds back: the tables are opened anew below, and see only what is written.
SAVEPOINT written;
RELEASE written;

-- https://www.sqlite.org/lang_altertable.html#otheralter. Other connections learn of it by the tables made and dropped
-- here, which change the version of the schema.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''porter unicode61 remove_diacritics 2''', '''memd''')
  WHERE type = 'table' AND name IN ('exchanges_fts', 'session_titles');
PRAGMA writable_schema = RESET;

INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)
  SELECT exchange_pk, user_message, interventions, assistant_response, tool_text
  FROM read_otherwise JOIN exchanges USING (exchange_pk);
INSERT INTO session_titles (rowid, title) SELECT session_pk, title FROM sessions
  WHERE title <> '' AND memd_other_scripts(title);

-- Topics are known by the stems of their words: those of these exchanges are found again.
DELETE FROM exchange_topics WHERE exchange_pk IN (SELECT exchange_pk FROM read_otherwise);
INSERT INTO enrichment_queue (exchange_pk, missing) SELECT exchange_pk, 1 FROM read_otherwise WHERE true
  ON CONFLICT DO UPDATE SET missing = missing | 1, revision = revision + 1;

DROP TABLE read_otherwise;
