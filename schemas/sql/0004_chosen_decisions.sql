-- A decision is what a person chose when the agent asked, as the client recorded it, or what a language model calls one.
-- Those that were recognised in sentences go.
DELETE FROM observations WHERE type = 'decision'
  AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.observation_pk = observations.observation_pk AND d.judged_by <> '')
  -- EventKind::decision without kFlagDerived, Origin::plan
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_pk = observations.session_pk
                  AND e.seq = observations.event_seq AND (e.kind = 10 AND e.flags & 128 = 0 OR e.origin = 4));
ALTER TABLE decisions DROP COLUMN shown;
