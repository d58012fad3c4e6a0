-- What nothing wrote or read.

DROP TABLE blobs;
ALTER TABLE sessions DROP COLUMN schema_version;
