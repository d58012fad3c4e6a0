-- Checksums of the bytes before the cursor, by which a file that was rewritten is recognised.
ALTER TABLE sources ADD COLUMN proof BLOB NOT NULL DEFAULT x'';
