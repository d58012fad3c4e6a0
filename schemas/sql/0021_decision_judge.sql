-- A configured language model may judge what was decided in a session, once it is analysed.
-- Sessions begin to wait when a model is configured; writing to a session makes it wait again.
ALTER TABLE sessions ADD COLUMN judge_version INTEGER NOT NULL DEFAULT 0;
-- The model that calls it a decision; empty: the sentence was known by its cues, or the client recorded the choice.
ALTER TABLE decisions ADD COLUMN judged_by TEXT NOT NULL DEFAULT '';
