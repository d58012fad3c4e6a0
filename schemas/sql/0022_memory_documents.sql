-- Memories and instructions of agents as rows to search in. The files are the truth: all of this is made from them, and
-- can be made again (store/catalog). What is damaged is dropped and made by this script.

-- A directory of memories of one scope and dialect. Of files of agents: the project, or the home directory.
CREATE TABLE doc_places (
  place_pk    INTEGER PRIMARY KEY,
  directory   TEXT    NOT NULL,
  dialect     INTEGER NOT NULL,
  scope       INTEGER NOT NULL,
  project_key TEXT    NOT NULL,
  project     TEXT    NOT NULL,
  graph_hash  TEXT    NOT NULL DEFAULT '',
  UNIQUE (directory, dialect, scope)
) STRICT;

CREATE TABLE docs (
  doc_pk        INTEGER PRIMARY KEY,
  place_pk      INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,
  path          TEXT    NOT NULL UNIQUE,
  slug          TEXT    NOT NULL,
  type          INTEGER NOT NULL,
  created       INTEGER NOT NULL,
  updated       INTEGER NOT NULL,
  status        INTEGER NOT NULL,
  commit_sha    TEXT    NOT NULL,
  is_valid      INTEGER NOT NULL CHECK (is_valid IN (0, 1)),
  superseded_by TEXT    NOT NULL DEFAULT '',
  superseded_at INTEGER NOT NULL DEFAULT 0,
  session_uid   TEXT    NOT NULL,
  file_hash     TEXT    NOT NULL,
  bytes         INTEGER NOT NULL,
  changed_ns    INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
  read_ns       INTEGER NOT NULL,
  generation    INTEGER NOT NULL,
  title         TEXT    NOT NULL,
  tags          TEXT    NOT NULL,
  content       TEXT    NOT NULL
) STRICT;
CREATE INDEX docs_by_slug ON docs (slug, place_pk);
CREATE INDEX docs_by_place ON docs (place_pk);
CREATE INDEX docs_by_generation ON docs (generation);

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

-- Edges of a place, by slug: of graph.json, or the relations of the repository dialect. A target need not be there.
CREATE TABLE doc_edges (
  place_pk INTEGER NOT NULL REFERENCES doc_places ON DELETE CASCADE,
  source   TEXT    NOT NULL,
  label    TEXT    NOT NULL,
  target   TEXT    NOT NULL,
  created  INTEGER NOT NULL,
  PRIMARY KEY (place_pk, source, label, target)
) STRICT, WITHOUT ROWID;

-- Files that a memory names.
CREATE TABLE doc_files (
  doc_pk INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
  name   TEXT    NOT NULL,  -- without directories, lower case
  file   TEXT    NOT NULL,
  PRIMARY KEY (doc_pk, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX doc_files_by_name ON doc_files (name, doc_pk);

-- Of the model in the binary.
CREATE TABLE doc_vectors (
  doc_pk  INTEGER PRIMARY KEY REFERENCES docs ON DELETE CASCADE,
  vectors BLOB NOT NULL  -- chunks × dimension signed bytes; only their direction counts
) STRICT;

-- One row, from the first memory on.
CREATE TABLE doc_catalog (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  state      INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  docs       INTEGER NOT NULL,
  model      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  built_at   INTEGER NOT NULL,
  built_ms   INTEGER NOT NULL
) STRICT;
