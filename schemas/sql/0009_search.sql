-- What a search of a large store reads less with.
--
-- Where an exchange stands, for the hundreds of candidates of a search: rows of exchanges lie a page or more apart, and
-- what comes behind their texts is reached through all of them.
CREATE INDEX exchanges_by_pk ON exchanges (exchange_pk, session_pk, exchange_number, started_at, content_hash);

-- Two segments of a size are enough to merge them, when the daemon is idle (store/search/words/full_text_index.hpp).
INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('usermerge', 2);
