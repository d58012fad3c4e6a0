-- Projects are repositories: what a directory was seen to be, and which projects are joined (docs/store-format.md).

ALTER TABLE projects ADD COLUMN sight INTEGER NOT NULL DEFAULT 0 CHECK (sight BETWEEN 0 AND 2);
ALTER TABLE projects ADD COLUMN repository TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN worktree TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN merged_into TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN joined_pk INTEGER REFERENCES projects;

ALTER TABLE sessions ADD COLUMN own_project_pk INTEGER REFERENCES projects;
UPDATE sessions SET own_project_pk = project_pk WHERE project_pk IS NOT NULL;
