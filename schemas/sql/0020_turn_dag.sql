-- Which event follows which, where agents tell it (events.parent_seq), and what a session has left for another branch.

-- Records that gave no event stand between those that did. `follows` is the nearest before it that others may know.
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
