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

-- Files that exchanges changed.
CREATE TABLE memd.changes (
  share_no      bigint NOT NULL,
  name          text NOT NULL,         -- the path's last part
  path          text NOT NULL,         -- below the project's directory; of other files the whole
  started_at    bigint NOT NULL,       -- of the exchange
  session_uid   text NOT NULL,
  machine       text NOT NULL,
  number        integer NOT NULL,      -- the exchange
  lines_added   integer NOT NULL,
  lines_removed integer NOT NULL
);
CREATE INDEX changes_by_name ON memd.changes (share_no, name, started_at);
CREATE INDEX changes_by_session ON memd.changes (share_no, session_uid, machine, number);

-- Decisions, problems, fixes: what memd calls observations.
CREATE TABLE memd.observations (
  share_no      bigint NOT NULL,
  type          text NOT NULL,
  time          bigint NOT NULL,       -- ms since 1970
  session_uid   text NOT NULL,
  machine       text NOT NULL,
  number        integer NOT NULL,      -- the exchange
  content       text NOT NULL
);
CREATE INDEX observations_by_time ON memd.observations (share_no, time);
CREATE INDEX observations_by_session ON memd.observations (share_no, session_uid, machine, number);

-- Statistics are samples of the values, and stay when a row has gone.
ALTER TABLE memd.sessions ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE memd.exchanges ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN question SET STATISTICS 0,
  ALTER COLUMN answer SET STATISTICS 0;
ALTER TABLE memd.changes ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN path SET STATISTICS 0;
ALTER TABLE memd.observations ALTER COLUMN content SET STATISTICS 0;

DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['sessions', 'exchanges', 'changes', 'observations'] LOOP
    EXECUTE format('ALTER TABLE memd.%1$I ENABLE ROW LEVEL SECURITY;'
                   'CREATE POLICY of_members ON memd.%1$I FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);'
                   'GRANT SELECT ON memd.%1$I TO PUBLIC', one);
  END LOOP;
END $$;

-- A partition is made by itself and attached then: that waits for no search, and no search waits for it.
CREATE FUNCTION memd.make_month(share bigint, month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_share text := 'exchanges_' || share;
  leaf     text := of_share || to_char(month, '_YYYYMM');
  unsampled  text := 'ALTER TABLE memd.%I ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN question SET STATISTICS 0,'
                   ' ALTER COLUMN answer SET STATISTICS 0';
BEGIN
  IF to_regclass('memd.' || leaf) IS NOT NULL THEN
    -- Waits until who makes it right now has told the other sessions that it is a partition, shortly after it is seen.
    EXECUTE format('LOCK TABLE memd.%I IN ROW EXCLUSIVE MODE', leaf);
    RETURN;
  END IF;
  -- As attaching does. After an advisory lock the catalog would be as it was before.
  LOCK TABLE memd.exchanges IN SHARE UPDATE EXCLUSIVE MODE;
  IF to_regclass('memd.' || leaf) IS NOT NULL THEN  -- another one has made it
    RETURN;
  END IF;
  IF to_regclass('memd.' || of_share) IS NULL THEN
    EXECUTE format('CREATE TABLE memd.%I (LIKE memd.exchanges INCLUDING COMPRESSION) PARTITION BY LIST (month)',
                   of_share);
    EXECUTE format(unsampled, of_share);
    EXECUTE format('ALTER TABLE memd.exchanges ATTACH PARTITION memd.%I FOR VALUES IN (%s)', of_share, share);
  END IF;
  -- Texts and words lie apart, so that many rows are on a page.
  EXECUTE format('CREATE TABLE memd.%I (LIKE memd.exchanges INCLUDING COMPRESSION) WITH (toast_tuple_target = 128)',
                 leaf);
  EXECUTE format(unsampled, leaf);
  EXECUTE format('ALTER TABLE memd.%I ATTACH PARTITION memd.%I FOR VALUES IN (%L)', of_share, leaf, month);
END $$;

-- Whether the login may write as the machine. Who writes or takes out the same (a session) waits for the end of the
-- transaction; others write at the same time.
CREATE FUNCTION memd.check_writer(share bigint, writer text, same text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(same, share));
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
  DELETE FROM memd.changes c WHERE c.share_no = share AND c.session_uid = uid AND (writer IS NULL OR c.machine = writer)
    AND (numbers IS NULL OR c.number = ANY (numbers));
  DELETE FROM memd.observations o WHERE o.share_no = share AND o.session_uid = uid
    AND (writer IS NULL OR o.machine = writer) AND (numbers IS NULL OR o.number = ANY (numbers));
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
                              vectors text[], questions text[], answers text[],
                              changed integer[], paths text[], added integer[], removed integer[],
                              observed integer[], types text[], observed_at bigint[], contents text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  one date;
BEGIN
  PERFORM memd.check_writer(share, writer, uid);
  IF EXISTS (SELECT 1 FROM memd.sessions s WHERE s.share_no = share AND s.session_uid = uid AND s.is_out) THEN
    RETURN;
  END IF;
  FOR one IN SELECT DISTINCT date_trunc('month', to_timestamp(t / 1000) AT TIME ZONE 'UTC') FROM unnest(times) t LOOP
    PERFORM memd.make_month(share, one);
  END LOOP;
  IF EXISTS (SELECT 1 FROM memd.sessions s WHERE s.share_no = share AND s.session_uid = uid AND s.machine = writer) THEN
    PERFORM memd.remove_rows(share, uid, writer, gone || numbers);
  END IF;
  INSERT INTO memd.exchanges
    SELECT share, date_trunc('month', to_timestamp(r.started_at / 1000) AT TIME ZONE 'UTC'), uid, writer, r.number,
           r.hash, r.started_at, r.length, r.vector::tsvector, r.question, r.answer
    FROM unnest(numbers, hashes, times, lengths, vectors, questions, answers)
      r(number, hash, started_at, length, vector, question, answer);
  INSERT INTO memd.changes
    SELECT share, substring(c.path FROM '[^/]*$'), c.path, r.started_at, uid, writer, c.number, c.added, c.removed
    FROM unnest(changed, paths, added, removed) c(number, path, added, removed)
    JOIN unnest(numbers, times) r(number, started_at) USING (number);
  INSERT INTO memd.observations
    SELECT share, o.type, o.time, uid, writer, o.number, o.content
    FROM unnest(observed, types, observed_at, contents) o(number, type, time, content);
  INSERT INTO memd.sessions VALUES (share, uid, writer, who, agent, title, mark)
    ON CONFLICT (share_no, session_uid, machine) DO UPDATE
    SET who = excluded.who, agent = excluded.agent, title = excluded.title, mark = excluded.mark;
  -- Last, because all who write to the share wait for it.
  UPDATE memd.shares SET exchanges = exchanges + cardinality(numbers),
    words = words + (SELECT coalesce(sum(l), 0) FROM unnest(lengths) l) WHERE share_no = share;
END $$;

-- Takes a session out: all rows of it go, whoever wrote them. Who only asks for rows learns of it by the change.
CREATE FUNCTION memd.take_out(share bigint, writer text, uid text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM memd.check_writer(share, writer, uid);
  PERFORM memd.remove_rows(share, uid, NULL, NULL);
  DELETE FROM memd.sessions s WHERE s.share_no = share AND s.session_uid = uid;
  INSERT INTO memd.sessions VALUES (share, uid, writer, '', '', '', '', true);
  UPDATE memd.shares SET last_change = last_change + 1 WHERE share_no = share;
END $$;

REVOKE EXECUTE ON FUNCTION memd.make_month, memd.check_writer, memd.remove_rows FROM PUBLIC;

-- The share of a project, if the login is a member and there are rows; else null.
CREATE FUNCTION memd.share_with_rows(name text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.share_no FROM memd.shares s WHERE s.project = name AND memd.level_of(s.share_no) IS NOT NULL
    AND to_regclass('memd.exchanges_' || s.share_no) IS NOT NULL
$$;

-- Finds exchanges by words, best first. `asked` and `without`: words as tsquery writes them, 'cach' with its quotes.
-- Row-level security would keep the words' index from being used, because @@ may tell of rows that are not shown; so
-- the membership is checked here, and the share's own table is read. Candidates are the 400 rows with the most weight
-- in the four rarest words: first those that have all, then those that have each smaller set of them and no other of
-- them, by weight. The index alone answers that, and how many rows have a word, for what VACUUM has seen. The other
-- words only count in the ranking.
CREATE FUNCTION memd.search(name text, asked text[], without text[], since bigint, until bigint, agents text[],
                            most integer)
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
    WITH counted AS MATERIALIZED (
      SELECT c.*, ln(1 + ($6 - least(c.found, $6) + 0.5) / (least(c.found, $6) + 0.5)) AS idf,
             row_number() OVER (ORDER BY c.found = 0, c.found, c.word)::integer AS place
      FROM (SELECT w.word, w.word::tsquery AS query,
                   (SELECT count(*) FROM memd.of_share x WHERE x.words @@ w.word::tsquery)::float8 AS found
            FROM unnest($1) w(word) OFFSET 0) c),  -- each is counted once
    rarest AS MATERIALIZED (SELECT * FROM counted c WHERE c.found > 0 AND c.place <= 4),
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
      LIMIT 400),
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

-- The newest exchanges of a session with a smaller number, newest first.
CREATE FUNCTION memd.turns(name text, uid text, before integer, most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, question text,
               answer text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  share bigint := memd.share_with_rows(name);
BEGIN
  IF share IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT x.session_uid, x.number, s.who, s.agent, s.title, x.started_at, x.question, x.answer'
    ' FROM (SELECT * FROM memd.sessions s WHERE s.share_no = $4 AND s.session_uid = $1 ORDER BY s.machine LIMIT 1) s'
    ' JOIN memd.%I x USING (session_uid, machine) WHERE x.session_uid = $1 AND x.number < $2'
    ' ORDER BY x.number DESC LIMIT $3', 'exchanges_' || share)
  USING uid, before, most, share;
END $$;

-- Exchanges that changed a file, newest first. `file`: the end of its path, or a path that ends with that of the file.
CREATE FUNCTION memd.changes_of(name text, file text, since bigint, until bigint, agents text[], most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, question text,
               answer text, path text, lines_added integer, lines_removed integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  share bigint := memd.share_with_rows(name);
BEGIN
  IF share IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT x.session_uid, x.number, c.who, c.agent, c.title, x.started_at, x.question, x.answer, c.path,'
    ' c.lines_added, c.lines_removed'
    ' FROM (SELECT DISTINCT ON (c.started_at, c.session_uid, c.number, c.path) c.*, s.who, s.agent, s.title'
    '       FROM memd.changes c JOIN memd.sessions s USING (share_no, session_uid, machine)'
    '       WHERE c.share_no = $1 AND c.name = substring($2 FROM ''[^/]*$'')'
    '         AND c.started_at >= $3 AND c.started_at < $4'
    '         AND (right(''/'' || c.path, length($2) + 1) = ''/'' || $2'
    '              OR right(''/'' || $2, length(c.path) + 1) = ''/'' || c.path)'
    '         AND (cardinality($5) = 0 OR s.agent = ANY ($5))'
    '       ORDER BY c.started_at DESC, c.session_uid, c.number, c.path, c.machine LIMIT $6) c'
    ' JOIN LATERAL (SELECT * FROM memd.%I x WHERE x.session_uid = c.session_uid AND x.machine = c.machine'
    '   AND x.number = c.number'
    '   AND x.month = date_trunc(''month'', to_timestamp(c.started_at / 1000) AT TIME ZONE ''UTC'')::date) x ON true'
    ' ORDER BY c.started_at DESC', 'exchanges_' || share)
  USING share, file, since, until, agents, most;
END $$;

-- Observations, newest first; kind empty: of all types.
CREATE FUNCTION memd.observed(name text, kind text, since bigint, until bigint, agents text[], most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, type text,
               content text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT o.session_uid, o.number, s.who, s.agent, s.title, o.time, o.type, o.content
  FROM memd.observations o JOIN memd.sessions s USING (share_no, session_uid, machine)
  WHERE o.share_no = (SELECT memd.share_with_rows(name)) AND (kind = '' OR o.type = kind)
    AND o.time >= since AND o.time < until AND (cardinality(agents) = 0 OR s.agent = ANY (agents))
  ORDER BY o.time DESC LIMIT most
$$;
