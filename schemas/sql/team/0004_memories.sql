-- Memories of a project (docs/memories.md), each as the machine has it that wrote the row. A sealed share has none.
INSERT INTO memd.migrations VALUES ('0004_memories.sql');

CREATE TABLE memd.memories (
  share_no bigint NOT NULL REFERENCES memd.shares ON DELETE CASCADE,
  machine  text NOT NULL,              -- who wrote it
  slug     text NOT NULL,
  hash     text NOT NULL,              -- of its texts
  who      text NOT NULL,              -- 'ada@laptop'
  type     text NOT NULL,
  title    text NOT NULL,
  tags     text NOT NULL,              -- separated by blanks
  updated  bigint NOT NULL,            -- ms since 1970
  length   integer NOT NULL,           -- words
  words    tsvector NOT NULL,          -- of title, tags and text
  content  text NOT NULL,
  PRIMARY KEY (share_no, slug, machine)
);
ALTER TABLE memd.memories ALTER COLUMN title SET STATISTICS 0, ALTER COLUMN tags SET STATISTICS 0,
  ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE memd.memories ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON memd.memories FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
GRANT SELECT ON memd.memories TO PUBLIC;

-- Writes memories of a machine in the place of those with the same slugs, and removes others.
CREATE FUNCTION memd.put_memories(share bigint, writer text, who text, gone text[], slugs text[], hashes text[],
                                  types text[], titles text[], labels text[], times bigint[], lengths integer[],
                                  vectors text[], contents text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM memd.check_writer(share, writer, writer);
  DELETE FROM memd.memories m WHERE m.share_no = share AND m.machine = writer AND m.slug = ANY (gone || slugs);
  INSERT INTO memd.memories
    SELECT share, writer, r.slug, r.hash, who, r.type, r.title, r.tags, r.updated, r.length, r.vector::tsvector, r.content
    FROM unnest(slugs, hashes, types, titles, labels, times, lengths, vectors, contents)
      r(slug, hash, type, title, tags, updated, length, vector, content);
END $$;

-- Finds memories by words, best first; without words those changed last. `asked` and `without` as for memd.search; kind
-- empty: of all types. Of a slug that several machines have, the newest counts. Memories are few and short: all of the
-- share are looked at, and a word counts once.
CREATE FUNCTION memd.find_memories(name text, asked text[], without text[], kind text, most integer)
RETURNS TABLE (slug text, who text, type text, title text, tags text, updated bigint, content text, length integer,
               bm25 float8, coverage float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH known AS MATERIALIZED (
    SELECT DISTINCT ON (m.slug) m.* FROM memd.memories m
    WHERE m.share_no = (SELECT s.share_no FROM memd.shares s
                        WHERE s.project = name AND memd.level_of(s.share_no) IS NOT NULL)
    ORDER BY m.slug, m.updated DESC),
  sums AS (SELECT count(*)::float8 AS found, greatest(avg(k.length), 1)::float8 AS length FROM known k),
  counted AS MATERIALIZED (
    SELECT w.word::tsquery AS query, ln(1 + (a.found - c.found + 0.5) / (c.found + 0.5)) AS idf
    FROM unnest(asked) w(word) CROSS JOIN sums a
    CROSS JOIN LATERAL (SELECT count(*)::float8 AS found FROM known k WHERE k.words @@ w.word::tsquery) c)
  SELECT k.slug, k.who, k.type, k.title, k.tags, k.updated, k.content, k.length, f.bm25, f.coverage
  FROM known k CROSS JOIN sums a
  CROSS JOIN LATERAL (
    SELECT coalesce(least(1, sum(w.idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * k.length / a.length)))
                               FILTER (WHERE k.words @@ w.query) / (1.6 * sum(w.idf))), 0) AS bm25,
           coalesce(sum(w.idf) FILTER (WHERE k.words @@ w.query) / sum(w.idf), 0) AS coverage
    FROM counted w) f
  WHERE (kind = '' OR k.type = kind) AND (cardinality(asked) = 0 OR f.coverage > 0)
    AND NOT EXISTS (SELECT 1 FROM unnest(without) n(word) WHERE k.words @@ n.word::tsquery)
  ORDER BY f.bm25 + f.coverage DESC, k.updated DESC LIMIT most
$$;
