-- The content of `session_titles` is what stands in it, sessions with a title: FTS5's integrity check compares the two.

CREATE VIEW titled_sessions AS SELECT session_pk, title FROM sessions WHERE title <> '';

DROP TABLE session_titles;
CREATE VIRTUAL TABLE session_titles USING fts5 (
  title, content = 'titled_sessions', content_rowid = 'session_pk', tokenize = 'memd'
);
INSERT INTO session_titles (rowid, title) SELECT session_pk, title FROM titled_sessions;
