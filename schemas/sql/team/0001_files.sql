-- A PostgreSQL database as the place of shares (docs/sharing.md): the same files that a directory would have. Who may
-- do what is decided here, by the login's role, and not by who asks. `memd share init` runs this once.
CREATE SCHEMA memd;
GRANT USAGE ON SCHEMA memd TO PUBLIC;

CREATE TABLE memd.migrations (
  name text PRIMARY KEY  -- of a file in schemas/sql/team
);
INSERT INTO memd.migrations VALUES ('0001_files.sql');

CREATE TABLE memd.shares (
  share_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project     text NOT NULL UNIQUE,
  -- Counts the changes of the share's files. Its row is locked from a change to the commit, so that a number is never
  -- seen before a smaller one: who has seen it has seen everything up to it.
  last_change bigint NOT NULL DEFAULT 0
);

-- Who may do what; a role that other roles are members of stands for all of them.
CREATE TABLE memd.members (
  share_no bigint NOT NULL REFERENCES memd.shares ON DELETE CASCADE,
  role     name NOT NULL,
  level    text NOT NULL CHECK (level IN ('reader', 'contributor', 'admin')),
  PRIMARY KEY (share_no, role)
);

-- The first role that writes a machine's file owns its name.
CREATE TABLE memd.machines (
  share_no bigint NOT NULL REFERENCES memd.shares ON DELETE CASCADE,
  machine  text NOT NULL,
  role     name NOT NULL,
  PRIMARY KEY (share_no, machine)
);

CREATE TABLE memd.files (
  share_no bigint NOT NULL REFERENCES memd.shares ON DELETE CASCADE,
  path     text NOT NULL,     -- below the share's directory
  machine  text NOT NULL,     -- who writes it; empty: share.json
  content  bytea,             -- null: it was removed
  change   bigint NOT NULL,   -- the one that wrote it
  PRIMARY KEY (share_no, path)
);
ALTER TABLE memd.files ALTER COLUMN content SET STORAGE EXTERNAL;  -- segments are compressed already
CREATE INDEX files_by_change ON memd.files (share_no, change);
CREATE INDEX files_by_machine ON memd.files (share_no, machine);

-- What the login may do in a share; null: nothing. In plpgsql, which keeps the plan: making it takes longer than the rest.
CREATE FUNCTION memd.level_of(share bigint) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT m.level FROM memd.members m JOIN pg_roles r ON r.rolname = m.role
          WHERE m.share_no = share AND pg_has_role(session_user, r.oid, 'MEMBER')
          ORDER BY array_position(ARRAY['admin', 'contributor', 'reader'], m.level) LIMIT 1);
END $$;

ALTER TABLE memd.shares ENABLE ROW LEVEL SECURITY;
ALTER TABLE memd.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memd.machines ENABLE ROW LEVEL SECURITY;
ALTER TABLE memd.files ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON memd.shares FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
CREATE POLICY of_members ON memd.members FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
CREATE POLICY of_members ON memd.machines FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
CREATE POLICY of_members ON memd.files FOR SELECT USING (memd.level_of(share_no) IS NOT NULL);
GRANT SELECT ON memd.migrations, memd.shares, memd.members, memd.machines, memd.files TO PUBLIC;

-- Makes a share; who makes it is its admin. The number of a share that is there already, if the login is a member.
CREATE FUNCTION memd.make_share(name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  INSERT INTO memd.shares (project) VALUES (name) ON CONFLICT DO NOTHING RETURNING share_no INTO number;
  IF number IS NULL THEN
    SELECT share_no INTO number FROM memd.shares WHERE project = name;
    IF memd.level_of(number) IS NULL THEN
      RAISE EXCEPTION 'the project "%" is shared here already, and "%" is no member', name, session_user
        USING ERRCODE = 'insufficient_privilege';
    END IF;
  ELSE
    INSERT INTO memd.members VALUES (number, session_user, 'admin');
  END IF;
  RETURN number;
END $$;
-- A login may use what is shared with it; the owner of the schema says who may share more.
REVOKE EXECUTE ON FUNCTION memd.make_share FROM PUBLIC;

-- Adds a role to a share, or changes what it may do; level null: takes it out.
CREATE FUNCTION memd.admit(name text, who name, level text DEFAULT 'contributor') RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  SELECT share_no INTO number FROM memd.shares WHERE project = name;
  IF memd.level_of(number) IS DISTINCT FROM 'admin' THEN
    RAISE EXCEPTION '"%" is no admin of the share of "%"', session_user, name USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF level IS DISTINCT FROM 'admin' AND NOT EXISTS
      (SELECT 1 FROM memd.members m WHERE m.share_no = number AND m.level = 'admin' AND m.role <> who) THEN
    RAISE EXCEPTION '"%" is the last admin of the share of "%": admit another one first', who, name;
  END IF;
  DELETE FROM memd.members m WHERE m.share_no = number AND m.role = who;
  IF level IS NOT NULL THEN
    INSERT INTO memd.members VALUES (number, who, level);
  END IF;
END $$;

-- Writes a file of a machine, or removes it (bytes null). share.json is written once.
CREATE FUNCTION memd.put(share bigint, file text, writer text, bytes bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  IF coalesce(memd.level_of(share), 'reader') = 'reader' THEN
    RAISE EXCEPTION '"%" may not write here', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- Every machine writes it into a file of that name.
  IF writer !~ '^[A-Za-z0-9_]{0,64}$' OR file !~ '^[A-Za-z0-9_./-]{1,250}$' THEN
    RAISE EXCEPTION '% of % cannot be the name of a file', file, writer;
  END IF;
  UPDATE memd.shares SET last_change = last_change + 1 WHERE share_no = share RETURNING last_change INTO number;
  IF writer <> '' THEN
    IF file NOT IN ('members/' || writer || '.json') AND NOT starts_with(file, 'segments/' || writer || '/')
        AND NOT starts_with(file, 'keys/' || writer || '/') THEN
      RAISE EXCEPTION '% is no file of the machine %', file, writer USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO memd.machines VALUES (share, writer, session_user) ON CONFLICT DO NOTHING;
    IF NOT EXISTS (SELECT 1 FROM memd.machines m WHERE m.share_no = share AND m.machine = writer
                   AND m.role = session_user) THEN
      RAISE EXCEPTION 'the machine % is not that of "%"', writer, session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO memd.files VALUES (share, file, writer, bytes, number)
      ON CONFLICT (share_no, path) DO UPDATE SET content = excluded.content, change = excluded.change;
  ELSIF file = 'share.json' THEN
    INSERT INTO memd.files VALUES (share, file, writer, bytes, number) ON CONFLICT DO NOTHING;
  ELSE
    RAISE EXCEPTION '% is no file of a share', file USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN number;
END $$;
