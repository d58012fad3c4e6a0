-- What the end of a session shows, as bits of OutcomeSign. An outcome counts as long as its analysis does, so what was
-- judged by less waits for the analysis.
ALTER TABLE sessions ADD COLUMN outcome_signs INTEGER NOT NULL DEFAULT 0;
