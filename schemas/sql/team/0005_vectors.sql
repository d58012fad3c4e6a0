-- What exchanges mean: vectors of their texts, by the model that is part of memd (docs/embedding.md). Only those of the
-- same model are compared. A sealed share has none.
INSERT INTO memd.migrations VALUES ('0005_vectors.sql');

ALTER TABLE memd.sessions ADD COLUMN session_no bigint GENERATED ALWAYS AS IDENTITY UNIQUE;

-- A partition a share. A search reads the index by time only, whose rows are a fifth as long.
CREATE TABLE memd.vectors (
  share_no   bigint NOT NULL,
  model      bigint NOT NULL,          -- hash of its name
  session_no bigint NOT NULL,          -- of memd.sessions
  number     integer NOT NULL,         -- the exchange
  part       integer NOT NULL,         -- tells its vectors apart
  started_at bigint NOT NULL,          -- of the exchange, ms since 1970
  square     integer NOT NULL,         -- of the vector's length
  signs      bit varying NOT NULL,     -- of its components: 1 is negative
  vector     bytea NOT NULL            -- a signed byte each
) PARTITION BY LIST (share_no);
ALTER TABLE memd.vectors ALTER COLUMN signs SET STATISTICS 0, ALTER COLUMN vector SET STATISTICS 0;
CREATE INDEX vectors_by_time ON memd.vectors (model, started_at) INCLUDE (session_no, number, part, signs);
CREATE INDEX vectors_by_session ON memd.vectors (session_no, number, part);
ALTER TABLE memd.vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON memd.vectors FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
GRANT SELECT ON memd.vectors TO PUBLIC;

-- Removes rows of a session and their vectors; writer null: of all machines; numbers null: all.
CREATE OR REPLACE FUNCTION memd.remove_rows(share bigint, uid text, writer text, numbers integer[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone  bigint;
  fewer bigint;
BEGIN
  DELETE FROM memd.changes c WHERE c.share_no = share AND c.session_uid = uid AND (writer IS NULL OR c.machine = writer)
    AND (numbers IS NULL OR c.number = ANY (numbers));
  DELETE FROM memd.observations o WHERE o.share_no = share AND o.session_uid = uid
    AND (writer IS NULL OR o.machine = writer) AND (numbers IS NULL OR o.number = ANY (numbers));
  IF to_regclass('memd.vectors_' || share) IS NOT NULL THEN
    EXECUTE format('DELETE FROM memd.%I v USING memd.sessions s WHERE s.share_no = $1 AND s.session_uid = $2'
                   ' AND ($3 IS NULL OR s.machine = $3) AND v.session_no = s.session_no'
                   ' AND ($4 IS NULL OR v.number = ANY ($4))', 'vectors_' || share) USING share, uid, writer, numbers;
  END IF;
  IF to_regclass('memd.exchanges_' || share) IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('WITH gone AS (DELETE FROM memd.%I x WHERE x.session_uid = $1 AND ($2 IS NULL OR x.machine = $2)'
                 ' AND ($3 IS NULL OR x.number = ANY ($3)) RETURNING x.length)'
                 ' SELECT count(*), coalesce(sum(length), 0) FROM gone', 'exchanges_' || share)
    INTO gone, fewer USING uid, writer, numbers;
  UPDATE memd.shares SET exchanges = exchanges - gone, words = words - fewer WHERE share_no = share AND gone > 0;
END $$;
REVOKE EXECUTE ON FUNCTION memd.remove_rows FROM PUBLIC;

-- Writes vectors of exchanges, whose rows are there, in the place of those with the same numbers. A session that is out
-- gets none. Called in the transaction of memd.put_rows, after it: a row with vectors of another text is never seen.
CREATE FUNCTION memd.put_vectors(share bigint, writer text, uid text, model bigint, numbers integer[], times bigint[],
                                 squares integer[], signs text[], codes bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  leaf    text := 'vectors_' || share;
  session bigint;
BEGIN
  PERFORM memd.check_writer(share, writer, uid);
  SELECT s.session_no INTO session FROM memd.sessions s
  WHERE s.share_no = share AND s.session_uid = uid AND s.machine = writer AND NOT s.is_out;
  IF session IS NULL OR cardinality(numbers) = 0 THEN
    RETURN;
  END IF;
  IF to_regclass('memd.' || leaf) IS NULL THEN
    LOCK TABLE memd.vectors IN SHARE UPDATE EXCLUSIVE MODE;  -- as attaching does
    IF to_regclass('memd.' || leaf) IS NULL THEN             -- else another one has made it
      EXECUTE format('CREATE TABLE memd.%1$I (LIKE memd.vectors INCLUDING INDEXES);'
                     'ALTER TABLE memd.%1$I ALTER COLUMN signs SET STATISTICS 0, ALTER COLUMN vector SET STATISTICS 0;'
                     'ALTER TABLE memd.vectors ATTACH PARTITION memd.%1$I FOR VALUES IN (%2$s)', leaf, share);
    END IF;
  END IF;
  EXECUTE format('DELETE FROM memd.%I v WHERE v.session_no = $1 AND v.number = ANY ($2)', leaf) USING session, numbers;
  EXECUTE format('INSERT INTO memd.%I SELECT $1, $2, $3, r.number, r.part, r.started_at, r.square,'
                 ' r.signs::bit varying, r.vector'
                 ' FROM unnest($4, $5, $6, $7, $8) WITH ORDINALITY r(number, started_at, square, signs, vector, part)',
                 leaf)
    USING share, model, session, numbers, times, squares, signs, codes;
END $$;

-- Returns the commands that make the indexes which memd.near is better for: of the signs in each share with more vectors
-- than it looks at without one, and make anew what was broken off. For who has installed pgvector 0.7 or later
-- (docs/team-database.md).
CREATE FUNCTION memd.index_commands() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN made IS NULL
         THEN format('CREATE INDEX CONCURRENTLY %I ON memd.%I USING hnsw ((signs::bit(%s)) %I.bit_hamming_ops)'
                     ' WHERE model = %s', i.name, 'vectors_' || v.share_no, v.length, n.nspname, v.model)
         ELSE format('REINDEX INDEX CONCURRENTLY memd.%I', i.name) END
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
  CROSS JOIN (SELECT DISTINCT share_no, model, length(signs) FROM memd.vectors) v
  CROSS JOIN LATERAL (SELECT 'signs_' || v.share_no || '_' || to_hex(v.model) AS name) i
  CROSS JOIN LATERAL to_regclass('memd.' || i.name) made
  JOIN pg_class c ON c.oid = to_regclass('memd.vectors_' || v.share_no)
  WHERE e.extname = 'vector' AND c.reltuples > 60000
    AND NOT EXISTS (SELECT 1 FROM pg_index x WHERE x.indexrelid = made AND x.indisvalid)
$$;

-- Finds exchanges by meaning, nearest first, and compares the exchanges `uids`, `numbers`, too, which come without texts.
-- `vector`: the components of the question's, of any length; `signs`: theirs. Candidates are the 400 vectors with most
-- of the signs: of the newest 60,000, because the time of a search grows with their number; where a command of
-- memd.index_commands was run, of all, unless times or agents are given. `mean` and `deviation` are those of the cosines
-- of a sample of all vectors, `sample` its size. The membership is checked as by memd.search; `without` as there.
CREATE FUNCTION memd.near(name text, model bigint, vector integer[], signs bit varying, uids text[], numbers integer[],
                          without text[], since bigint, until bigint, agents text[], most integer)
RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint, question text,
               answer text, length integer, cosine float8, highest float8, mean float8, deviation float8, sample bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  share   bigint := memd.share_with_rows(name);
  leaf    regclass := to_regclass('memd.vectors_' || share);
  vectors float8 := (SELECT c.reltuples FROM pg_class c WHERE c.oid = leaf);
  nearest text := $query$
      SELECT v.session_no, v.number, v.part
      FROM (SELECT v.session_no, v.number, v.part, v.signs FROM memd.vectors_of_share v
            WHERE v.model = $2 AND v.started_at >= $7 AND v.started_at < $8
              AND (cardinality($9) = 0 OR v.session_no IN (
                SELECT s.session_no FROM memd.sessions s WHERE s.share_no = $1 AND s.agent = ANY ($9)))
            ORDER BY v.started_at DESC LIMIT 60000) v
      ORDER BY bit_count(v.signs # $3) LIMIT 400
  $query$;
BEGIN
  IF leaf IS NULL THEN
    RETURN;
  END IF;
  IF vectors > 60000 AND since <= 0 AND until > extract(epoch FROM now()) * 1000 AND cardinality(agents) = 0
      AND EXISTS (SELECT 1 FROM pg_index i WHERE i.indisvalid
                  AND i.indexrelid = to_regclass('memd.signs_' || share || '_' || to_hex(model))) THEN
    PERFORM set_config('hnsw.ef_search', '400', true);
    nearest := format('SELECT v.session_no, v.number, v.part FROM memd.vectors_of_share v WHERE v.model = $2'
                      ' ORDER BY v.signs::bit(%1$s) OPERATOR(%2$I.<~>) $3::bit(%1$s) LIMIT 400', length(signs),
                      (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                       WHERE e.extname = 'vector'));
  END IF;
  RETURN QUERY EXECUTE replace(replace(replace($query$
    WITH nearest AS MATERIALIZED (the_nearest),
    compared AS MATERIALIZED (
      SELECT v.session_no, v.number, v.started_at, c.is_asked, c.is_sample,
             (product_with_v - 128 * $13) / sqrt(v.square * $12) AS cosine
      FROM (SELECT n.*, false AS is_asked, false AS is_sample FROM nearest n
            UNION ALL
            SELECT v.session_no, v.number, v.part, true, false
            FROM unnest($4, $5) a(uid, number) JOIN memd.sessions s ON s.share_no = $1 AND s.session_uid = a.uid
            JOIN memd.vectors_of_share v ON v.session_no = s.session_no AND v.number = a.number AND v.model = $2
            UNION ALL
            (SELECT v.session_no, v.number, v.part, false, true
             FROM memd.vectors_of_share v TABLESAMPLE SYSTEM ($11) REPEATABLE (0) WHERE v.model = $2 LIMIT 300)) c
      JOIN memd.vectors_of_share v USING (session_no, number, part)),
    scale AS (
      SELECT max(c.cosine) AS highest, avg(c.cosine) FILTER (WHERE c.is_sample) AS mean,
             stddev_pop(c.cosine) FILTER (WHERE c.is_sample) AS deviation, count(*) FILTER (WHERE c.is_sample) AS sample
      FROM compared c),
    turns AS (
      SELECT DISTINCT ON (s.session_uid, c.number) s.session_uid, s.machine, s.who, s.agent, s.title, c.number,
             c.started_at, c.cosine, bool_or(c.is_asked) OVER (PARTITION BY s.session_uid, c.number) AS is_asked
      FROM compared c JOIN memd.sessions s USING (session_no) WHERE NOT c.is_sample
      ORDER BY s.session_uid, c.number, c.cosine DESC),
    best AS MATERIALIZED (SELECT t.* FROM turns t ORDER BY t.is_asked DESC, t.cosine DESC LIMIT $10 + cardinality($4))
    SELECT b.session_uid, b.number, b.who, b.agent, b.title, b.started_at,
           CASE WHEN b.is_asked THEN '' ELSE x.question END, CASE WHEN b.is_asked THEN '' ELSE x.answer END, x.length,
           b.cosine, a.highest, a.mean, a.deviation, a.sample
    FROM best b CROSS JOIN scale a
    JOIN LATERAL (SELECT * FROM memd.exchanges_of_share x WHERE x.session_uid = b.session_uid AND x.machine = b.machine
      AND x.number = b.number
      AND x.month = date_trunc('month', to_timestamp(b.started_at / 1000) AT TIME ZONE 'UTC')::date) x ON true
    WHERE b.is_asked OR NOT EXISTS (SELECT 1 FROM unnest($6) n(word) WHERE x.words @@ n.word::tsquery)
    ORDER BY b.cosine DESC
  $query$, 'the_nearest', nearest), 'of_share', share::text),
  -- Written out: a join with the components would make 256 rows of each vector.
  'product_with_v', (SELECT string_agg(format('%s * (get_byte(v.vector, %s) # 128)', q.x, q.at - 1), ' + ')
                     FROM unnest(vector) WITH ORDINALITY q(x, at)))
  USING share, model, signs, uids, numbers, without, since, until, agents, most,
        least(100, 30000 / greatest(vectors, 1)),
        (SELECT sum(q.x::float8 * q.x) FROM unnest(vector) q(x)), (SELECT sum(q.x) FROM unnest(vector) q(x));
END $$;
