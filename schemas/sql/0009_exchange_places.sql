-- Where an exchange stands, for the hundreds of candidates of a search: rows of exchanges lie a page or more apart, and
-- what comes behind their texts is reached through all of them.
CREATE INDEX exchanges_by_pk ON exchanges (exchange_pk, session_pk, exchange_number, started_at, content_hash);
