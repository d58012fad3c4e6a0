-- Who listens to the channel of a share is told that it was changed. Any login may listen, and learns no more than that.
INSERT INTO memd.migrations VALUES ('0003_news.sql');

CREATE FUNCTION memd.tell() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_notify('memd_' || NEW.share_no, '');
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER UPDATE OF last_change ON memd.shares FOR EACH ROW EXECUTE FUNCTION memd.tell();
