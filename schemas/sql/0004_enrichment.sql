-- What is made of exchanges after they are stored, by a thread of its own: vectors, topics, identifiers. All of it can
-- be made again, and goes with its exchange.

DROP TABLE vectors;
DROP TABLE exchange_topics;
DROP TABLE topics;

-- Exchanges whose text changed since it was looked at. `missing`: 1 terms (identifiers and topics), 2 vectors.
-- `revision` grows with every change, so that work on an older text does not count as done.
CREATE TABLE enrichment_queue (
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
  revision    INTEGER NOT NULL DEFAULT 1,
  missing     INTEGER NOT NULL DEFAULT 3 CHECK (missing BETWEEN 1 AND 3)
) STRICT;
INSERT INTO enrichment_queue (exchange_pk) SELECT exchange_pk FROM exchanges;

-- One row per exchange and model. A changed exchange gets a new, higher vector_pk: what was loaded up to one is
-- brought up to date by what is above it.
CREATE TABLE vectors (
  vector_pk    INTEGER PRIMARY KEY AUTOINCREMENT,
  model_pk     INTEGER NOT NULL REFERENCES vector_models ON DELETE CASCADE,
  exchange_pk  INTEGER NOT NULL REFERENCES exchanges ON DELETE CASCADE,
  chunk_hashes BLOB    NOT NULL,  -- 8 bytes a chunk, of its text
  vectors      BLOB    NOT NULL,  -- chunks × dimension signed bytes; only their direction counts
  UNIQUE (exchange_pk, model_pk)
) STRICT;

-- Kept by the triggers, so that whoever holds vectors in memory notices cheaply that some are gone.
ALTER TABLE vector_models ADD COLUMN exchanges INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges + 1 WHERE model_pk = new.model_pk;
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
  UPDATE vector_models SET exchanges = exchanges - 1 WHERE model_pk = old.model_pk;
END;

-- A row for each way a topic is written; rows with the same stems are one topic, told by the form used most.
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
