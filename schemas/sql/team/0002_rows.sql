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

REVOKE EXECUTE ON FUNCTION memd.make_month, memd.check_writer FROM PUBLIC;

-- The share of a project, if the login is a member and there are rows; else null.
CREATE FUNCTION memd.share_with_rows(name text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.share_no FROM memd.shares s WHERE s.project = name AND memd.level_of(s.share_no) IS NOT NULL
    AND to_regclass('memd.exchanges_' || s.share_no) IS NOT NULL
$$;

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
