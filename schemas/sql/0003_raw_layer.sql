-- The raw layer: the records themselves, compressed, beside the store. These rows say where they stand; the files
-- themselves say it too, so that the rows can be made again from them.

DROP TABLE raw_frames;

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

-- What an evicted session had up to here is not taken in again.
ALTER TABLE sessions ADD COLUMN evicted_through INTEGER;
