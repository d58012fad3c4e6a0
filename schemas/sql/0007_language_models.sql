-- Sessions that requests of memd itself caused: an agent was asked for a summary and wrote a transcript of that. They are
-- not taken in (schemas/language_model.hpp). What models answered is in a file of its own: sql/summaries.

CREATE TABLE own_sessions (
  uid TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
