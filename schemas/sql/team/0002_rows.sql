-- Rows to ask (docs/sharing.md): the exchanges of the sessions in a share, each written by the machine that wrote the
-- session's files, with the words that memd's own index has of them. A sealed share has none.
INSERT INTO memd.migrations VALUES ('0002_rows.sql');

-- Sums over the share's rows, for the weights of words.
ALTER TABLE memd.shares ADD COLUMN exchanges bigint NOT NULL DEFAULT 0, ADD COLUMN words bigint NOT NULL DEFAULT 0;

CREATE TABLE memd.sessions (
  share_no    bigint NOT NULL REFERENCES memd.shares ON DELETE CASCADE,
  session_uid text NOT NULL,
  machine     text NOT NULL,           -- who wrote it
  who         text NOT NULL,           -- 'ada@laptop'
  agent       text NOT NULL,
  title       text NOT NULL,
  mark        text NOT NULL,           -- what the rows were made of, in the machine's words; empty: rows are lacking
  is_out      boolean NOT NULL DEFAULT false,  -- nobody keeps it, and nobody writes its rows again
  PRIMARY KEY (share_no, session_uid, machine)
);

-- A partition a share and month; which month may change when a machine reads its session again, so it is in no key.
CREATE TABLE memd.exchanges (
  share_no    bigint NOT NULL,
  month       date NOT NULL,           -- the first day of the one in which it began
  session_uid text NOT NULL,
  machine     text NOT NULL,
  number      integer NOT NULL,        -- in its session
  hash        bigint NOT NULL,         -- of its text
  started_at  bigint NOT NULL,         -- ms since 1970
  length      integer NOT NULL,        -- words
  words       tsvector NOT NULL,       -- a word's positions are 1, 2, … as often as it occurs
  question    text NOT NULL,
  answer      text NOT NULL
) PARTITION BY LIST (share_no);
ALTER TABLE memd.exchanges ALTER COLUMN words SET COMPRESSION lz4, ALTER COLUMN question SET COMPRESSION lz4,
  ALTER COLUMN answer SET COMPRESSION lz4;
CREATE INDEX exchanges_by_session ON memd.exchanges (session_uid, machine, number);
CREATE INDEX exchanges_by_words ON memd.exchanges USING gin (words) WITH (fastupdate = on);

ALTER TABLE memd.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memd.exchanges ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON memd.sessions FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
CREATE POLICY of_members ON memd.exchanges FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
GRANT SELECT ON memd.sessions, memd.exchanges TO PUBLIC;

-- A partition is made by itself and attached then: that waits for no search, and no search waits for it.
CREATE FUNCTION memd.make_month(share bigint, month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_share text := 'exchanges_' || share;
  leaf     text := of_share || to_char(month, '_YYYYMM');
BEGIN
  IF to_regclass('memd.' || leaf) IS NOT NULL THEN
    RETURN;
  END IF;
  IF to_regclass('memd.' || of_share) IS NULL THEN
    EXECUTE format('CREATE TABLE memd.%I (LIKE memd.exchanges INCLUDING COMPRESSION) PARTITION BY LIST (month)',
                   of_share);
    EXECUTE format('ALTER TABLE memd.exchanges ATTACH PARTITION memd.%I FOR VALUES IN (%s)', of_share, share);
  END IF;
  -- Texts and words lie apart, so that many rows are on a page.
  EXECUTE format('CREATE TABLE memd.%I (LIKE memd.exchanges INCLUDING COMPRESSION) WITH (toast_tuple_target = 128)',
                 leaf);
  EXECUTE format('ALTER TABLE memd.%I ATTACH PARTITION memd.%I FOR VALUES IN (%L)', of_share, leaf, month);
END $$;

-- Whether the login may write as the machine; locks the share to the end of the transaction.
CREATE FUNCTION memd.check_writer(share bigint, writer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM 1 FROM memd.shares WHERE share_no = share FOR UPDATE;
  IF coalesce(memd.level_of(share), 'reader') = 'reader' OR NOT EXISTS (
      SELECT 1 FROM memd.machines m WHERE m.share_no = share AND m.machine = writer AND m.role = session_user) THEN
    RAISE EXCEPTION '"%" may not write rows as the machine %', session_user, writer
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Removes rows of a session; writer null: of all machines; numbers null: all.
CREATE FUNCTION memd.remove_rows(share bigint, uid text, writer text, numbers integer[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone  bigint;
  fewer bigint;
BEGIN
  IF to_regclass('memd.exchanges_' || share) IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('WITH gone AS (DELETE FROM memd.%I x WHERE x.session_uid = $1 AND ($2 IS NULL OR x.machine = $2)'
                 ' AND ($3 IS NULL OR x.number = ANY ($3)) RETURNING x.length)'
                 ' SELECT count(*), coalesce(sum(length), 0) FROM gone', 'exchanges_' || share)
    INTO gone, fewer USING uid, writer, numbers;
  UPDATE memd.shares SET exchanges = exchanges - gone, words = words - fewer WHERE share_no = share AND gone > 0;
END $$;

-- Writes rows of a session in the place of those with the same numbers, and removes others. A session that is out gets
-- none.
CREATE FUNCTION memd.put_rows(share bigint, writer text, uid text, who text, agent text, title text, mark text,
                              gone integer[], numbers integer[], hashes bigint[], times bigint[], lengths integer[],
                              vectors text[], questions text[], answers text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  one date;
BEGIN
  PERFORM memd.check_writer(share, writer);
  IF EXISTS (SELECT 1 FROM memd.sessions s WHERE s.share_no = share AND s.session_uid = uid AND s.is_out) THEN
    RETURN;
  END IF;
  FOR one IN SELECT DISTINCT date_trunc('month', to_timestamp(t / 1000) AT TIME ZONE 'UTC') FROM unnest(times) t LOOP
    PERFORM memd.make_month(share, one);
  END LOOP;
  PERFORM memd.remove_rows(share, uid, writer, gone || numbers);
  INSERT INTO memd.exchanges
    SELECT share, date_trunc('month', to_timestamp(r.started_at / 1000) AT TIME ZONE 'UTC'), uid, writer, r.number,
           r.hash, r.started_at, r.length, r.vector::tsvector, r.question, r.answer
    FROM unnest(numbers, hashes, times, lengths, vectors, questions, answers)
      r(number, hash, started_at, length, vector, question, answer);
  UPDATE memd.shares SET exchanges = exchanges + cardinality(numbers),
    words = words + (SELECT coalesce(sum(l), 0) FROM unnest(lengths) l) WHERE share_no = share;
  INSERT INTO memd.sessions VALUES (share, uid, writer, who, agent, title, mark)
    ON CONFLICT (share_no, session_uid, machine) DO UPDATE
    SET who = excluded.who, agent = excluded.agent, title = excluded.title, mark = excluded.mark;
END $$;

-- Takes a session out: all rows of it go, whoever wrote them.
CREATE FUNCTION memd.take_out(share bigint, writer text, uid text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM memd.check_writer(share, writer);
  PERFORM memd.remove_rows(share, uid, NULL, NULL);
  DELETE FROM memd.sessions s WHERE s.share_no = share AND s.session_uid = uid;
  INSERT INTO memd.sessions VALUES (share, uid, writer, '', '', '', '', true);
END $$;

REVOKE EXECUTE ON FUNCTION memd.make_month, memd.check_writer, memd.remove_rows FROM PUBLIC;

-- Finds exchanges by words, best first. `asked` and `without`: words as tsquery writes them, 'cach' with its quotes.
-- Row-level security would keep the words' index from being used, because @@ may tell of rows that are not shown; so
-- the membership is checked here, and the share's own table is read. Candidates are the 600 rows with the most weight
-- in words that at most 20,000 rows have; commoner ones only count in the ranking, unless all are.
CREATE FUNCTION memd.search(name text, asked text[], without text[], since bigint, until bigint, agents text[],
                            most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, length integer,
               bm25 float8, coverage float8, question text, answer text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  share    memd.shares%ROWTYPE;
  of_share text;
BEGIN
  SELECT * INTO share FROM memd.shares s WHERE s.project = name AND memd.level_of(s.share_no) IS NOT NULL;
  of_share := 'exchanges_' || share.share_no;
  IF share IS NULL OR to_regclass('memd.' || of_share) IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE replace($query$
    WITH hits AS MATERIALIZED (
      SELECT w.no, x.month, x.at
      FROM unnest($1) WITH ORDINALITY w(word, no)
      CROSS JOIN LATERAL (
        SELECT x.month, x.ctid AS at FROM memd.of_share x
        WHERE x.words @@ w.word::tsquery AND x.started_at >= $3 AND x.started_at < $4 LIMIT 20001) x),
    counted AS MATERIALIZED (
      SELECT w.no, w.word::tsquery AS query, h.found > 20000 AS is_common,
             ln(1 + ($6 - least(h.n, $6) + 0.5) / (least(h.n, $6) + 0.5)) AS idf
      FROM unnest($1) WITH ORDINALITY w(word, no)
      CROSS JOIN LATERAL (
        SELECT count(*) AS found, CASE WHEN count(*) <= 20000 THEN count(*)::float8 ELSE greatest(count(*), $6 *
          coalesce((SELECT max(e.share) FROM pg_stats s,
            unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) e(word, share)
            WHERE s.schemaname = 'memd' AND s.tablename = $8 AND s.attname = 'words'
              AND quote_literal(e.word) = w.word), 0)) END AS n FROM hits h WHERE h.no = w.no) h),
    candidates AS MATERIALIZED (
      SELECT h.month, h.at FROM hits h JOIN counted c USING (no)
      WHERE NOT c.is_common OR NOT EXISTS (SELECT 1 FROM counted c WHERE NOT c.is_common)
      GROUP BY h.month, h.at ORDER BY sum(c.idf) DESC, h.month DESC, h.at DESC LIMIT 600),
    scored AS MATERIALIZED (
      SELECT x.session_uid, x.machine, x.number, x.started_at, x.length, x.question, x.answer, least(f.bm25, 1) AS bm25,
             f.coverage, least(f.bm25, 1) + f.coverage * sqrt(least(f.bm25, 1)) AS rank
      FROM candidates c
      CROSS JOIN LATERAL (
        -- Copied, so that a row's words are read once; its texts are read where they are shown.
        SELECT x.session_uid, x.machine, x.number, x.started_at, x.length, x.question, x.answer,
               x.words || ''::tsvector AS words
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
      WHERE cardinality($5) = 0 OR EXISTS (SELECT 1 FROM memd.sessions s WHERE s.share_no = $9
        AND s.session_uid = x.session_uid AND s.machine = x.machine AND s.agent = ANY ($5))
      ORDER BY x.rank DESC LIMIT 2 * $10)
    SELECT b.session_uid, b.number, s.who, s.agent, s.title, b.started_at, b.length, b.bm25, b.coverage, b.question,
           b.answer
    FROM (SELECT DISTINCT ON (b.rank, b.session_uid, b.number) b.* FROM best b  -- two machines may have a session
          ORDER BY b.rank DESC, b.session_uid, b.number LIMIT $10) b
    JOIN memd.sessions s ON s.share_no = $9 AND s.session_uid = b.session_uid AND s.machine = b.machine
    ORDER BY b.rank DESC
  $query$, 'of_share', of_share)
  USING asked, without, since, until, agents, greatest(share.exchanges, 1)::float8,
        greatest(share.words, 1)::float8 / greatest(share.exchanges, 1),
        of_share || to_char(now() AT TIME ZONE 'UTC', '_YYYYMM'), share.share_no, most;
END $$;

-- One exchange as memd.search() gives it, without its marks.
CREATE FUNCTION memd.turn(name text, uid text, turn integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, length integer,
               bm25 float8, coverage float8, question text, answer text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  share bigint;
BEGIN
  SELECT s.share_no INTO share FROM memd.shares s WHERE s.project = name AND memd.level_of(s.share_no) IS NOT NULL;
  IF to_regclass('memd.exchanges_' || share) IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT x.session_uid, x.number, s.who, s.agent, s.title, x.started_at, x.length, 0::float8, 0::float8, x.question,'
    ' x.answer FROM memd.%I x JOIN memd.sessions s ON s.share_no = $3 AND s.session_uid = x.session_uid'
    ' AND s.machine = x.machine WHERE x.session_uid = $1 AND x.number = $2 LIMIT 1', 'exchanges_' || share)
  USING uid, turn, share;
END $$;
