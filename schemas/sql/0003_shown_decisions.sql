-- Which decisions are listed; 0004 drops the others, and the column.

-- 1: listed as a decision; 0: used in ranking only
ALTER TABLE decisions ADD COLUMN shown INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1));

-- Earlier rows: a person's own choices, and what a language model judged.
UPDATE decisions SET shown = judged_by <> '' OR (decided_by = 0 AND kind <= 2);
