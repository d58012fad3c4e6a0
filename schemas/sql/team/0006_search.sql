-- memd.search in a share of a million exchanges.
INSERT INTO memd.migrations VALUES ('0006_search.sql');

-- Finds exchanges by words, best first. `asked` and `without`: words as tsquery writes them, 'cach' with its quotes.
-- Row-level security would keep the words' index from being used, because @@ may tell of rows that are not shown; so
-- the membership is checked here, and the share's own table is read. Candidates are the 2,000 rows, fewer for more
-- words, with the most weight in the five rarest words: first those that have all, then those that have each smaller
-- set of them and no other of them, by weight. A sixth word only counts in the ranking. How many rows have a word is
-- counted for rare ones. For others it is estimated from four months at most, and there from the rows up to the 250th
-- that has the word, because counting reads the rows' pages.
CREATE OR REPLACE FUNCTION memd.search(name text, asked text[], without text[], since bigint, until bigint,
                                       agents text[], most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, question text,
               answer text, length integer, bm25 float8, coverage float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  share memd.shares%ROWTYPE;
BEGIN
  SELECT * INTO share FROM memd.shares s WHERE s.share_no = (SELECT memd.share_with_rows(name));
  IF share IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE replace($query$
    WITH months AS MATERIALIZED (
      SELECT m.*, (row_number() OVER (ORDER BY m.month DESC) - 1) % ceil(count(*) OVER () / 4.0) = 0 AS is_sampled
      FROM (SELECT to_date(right(c.relname, 6), 'YYYYMM') AS month,
                   pg_relation_size(c.oid)::float8 / current_setting('block_size')::integer AS pages
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'memd.of_share'::regclass) m),
    sampled AS MATERIALIZED (
      SELECT w.word, sum(f.found) AS found,
             sum(f.found * CASE WHEN f.found = 250 THEN m.pages / (f.last_page + 1) ELSE 1 END)
               * (SELECT sum(pages) / nullif(sum(pages) FILTER (WHERE is_sampled), 0) FROM months) AS estimate
      FROM unnest($1) w(word)
      CROSS JOIN (SELECT * FROM months WHERE is_sampled) m
      CROSS JOIN LATERAL (
        SELECT count(*) AS found, max((x.at::text::point)[0]) AS last_page
        FROM (SELECT x.ctid AS at FROM memd.of_share x
              WHERE x.month = m.month AND x.words @@ w.word::tsquery LIMIT 250) x) f
      GROUP BY w.word),
    counted AS MATERIALIZED (
      SELECT c.*, ln(1 + ($6 - least(c.found, $6) + 0.5) / (least(c.found, $6) + 0.5)) AS idf,
             row_number() OVER (ORDER BY c.found = 0, c.found, c.word)::integer AS place
      FROM (SELECT s.word, s.word::tsquery AS query,
                   CASE WHEN s.found >= 100 THEN s.estimate
                   ELSE (SELECT count(*) FROM memd.of_share x WHERE x.words @@ s.word::tsquery) END AS found
            FROM sampled s OFFSET 0) c),  -- each is counted once
    rarest AS MATERIALIZED (SELECT * FROM counted c WHERE c.found > 0 AND c.place <= 5),
    sets AS MATERIALIZED (
      SELECT string_agg(CASE WHEN is_in THEN '' ELSE '!' END || word, ' & ')::tsquery AS query,
             sum(idf) FILTER (WHERE is_in) AS weight
      FROM (SELECT s.no, r.word, r.idf, s.no & (1 << (r.place - 1)) > 0 AS is_in
            FROM generate_series(1, (1 << (SELECT count(*)::integer FROM rarest)) - 1) s(no), rarest r) m
      GROUP BY no),
    candidates AS MATERIALIZED (
      SELECT x.month, x.at
      FROM (SELECT * FROM sets ORDER BY weight DESC) s
      CROSS JOIN LATERAL (
        SELECT x.month, x.ctid AS at FROM memd.of_share x
        WHERE x.words @@ s.query AND x.started_at >= $3 AND x.started_at < $4) x
      LIMIT 2000 / greatest(cardinality($1), 1)),
    scored AS MATERIALIZED (
      SELECT x.session_uid, x.machine, x.number, x.started_at, x.length, x.question, x.answer, least(f.bm25, 1) AS bm25,
             f.coverage, least(f.bm25, 1) + f.coverage * sqrt(least(f.bm25, 1)) AS rank
      FROM candidates c
      CROSS JOIN LATERAL (
        -- Copied, so that a row's words are read once; its texts are read where they are shown.
        SELECT x.session_uid, x.machine, x.number, x.started_at, x.length, x.question, x.answer,
               setweight(x.words, 'D') AS words
        FROM memd.of_share x WHERE x.month = c.month AND x.ctid = c.at OFFSET 0) x
      CROSS JOIN LATERAL (
        SELECT sum(CASE WHEN t.tf > 0 THEN w.idf * t.tf * 2.2 / (t.tf + 1.2 * (0.25 + 0.75 * x.length / $7)) ELSE 0 END)
                 / (1.6 * sum(w.idf)) AS bm25,
               sum(CASE WHEN t.tf > 0 THEN w.idf ELSE 0 END) / sum(w.idf) AS coverage
        FROM counted w CROSS JOIN LATERAL (
          -- ts_rank() of one word with n positions is the sum of 1/i² for i ≤ n, over that of all i.
          SELECT CASE WHEN r > 0 THEN round(0.608 / greatest(1 - r, 0.01) - 0.5) ELSE 0 END AS tf
          FROM (SELECT ts_rank('{1,1,1,1}', x.words, w.query)::float8 AS r) r) t) f
      WHERE NOT EXISTS (SELECT 1 FROM unnest($2) n(word) WHERE x.words @@ n.word::tsquery)),
    best AS MATERIALIZED (
      SELECT x.* FROM scored x
      WHERE cardinality($5) = 0 OR EXISTS (SELECT 1 FROM memd.sessions s WHERE s.share_no = $8
        AND s.session_uid = x.session_uid AND s.machine = x.machine AND s.agent = ANY ($5))
      ORDER BY x.rank DESC LIMIT 2 * $9)
    SELECT b.session_uid, b.number, s.who, s.agent, s.title, b.started_at, b.question, b.answer, b.length, b.bm25,
           b.coverage
    FROM (SELECT DISTINCT ON (b.rank, b.session_uid, b.number) b.* FROM best b  -- two machines may have a session
          ORDER BY b.rank DESC, b.session_uid, b.number LIMIT $9) b
    JOIN memd.sessions s ON s.share_no = $8 AND s.session_uid = b.session_uid AND s.machine = b.machine
    ORDER BY b.rank DESC
  $query$, 'of_share', 'exchanges_' || share.share_no)
  USING asked, without, since, until, agents, greatest(share.exchanges, 1)::float8,
        greatest(share.words, 1)::float8 / greatest(share.exchanges, 1),
        share.share_no, most;
END $$;
