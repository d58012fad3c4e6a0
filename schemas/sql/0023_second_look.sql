-- One vector an exchange by the network of the second look, of the beginning of its text. Rows exist while meta has the
-- key second_look_model.
CREATE TABLE second_look (
  exchange_pk INTEGER PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
  waiting     INTEGER NOT NULL DEFAULT 1,  -- 0: the vector is of the current text; else grows with each change of it
  text_hash   INTEGER NOT NULL DEFAULT 0,  -- of the text that the vector was made from
  vector      BLOB                         -- signed bytes; only their direction counts; NULL: none
) STRICT;
CREATE INDEX second_look_waiting ON second_look (exchange_pk) WHERE waiting;
-- For counting: the rows themselves take ten times the pages.
CREATE INDEX second_look_made ON second_look (exchange_pk) WHERE vector IS NOT NULL;
