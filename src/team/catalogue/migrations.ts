/**
 * Changes of the catalogue's schema, in order; the number of applied ones is its version. Everything is in the schema
 * `aman`, so that a team can use a database that has other tables.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE aman.blobs (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    size bigint NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE aman.blob_parts (
    hash bytea NOT NULL REFERENCES aman.blobs ON DELETE CASCADE,
    part int NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (hash, part)
  );

  CREATE TABLE aman.repositories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    url text NOT NULL UNIQUE,
    added_at timestamptz NOT NULL DEFAULT now(),
    revision_id bigint,
    checked_at timestamptz,
    error text
  );
  CREATE TABLE aman.revisions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository_id bigint NOT NULL REFERENCES aman.repositories ON DELETE CASCADE,
    commit_id text NOT NULL,
    manifest bytea NOT NULL REFERENCES aman.blobs,
    index_version int NOT NULL,
    files int NOT NULL,
    bytes bigint NOT NULL,
    worker text NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    superseded_at timestamptz
  );
  CREATE INDEX revisions_of_repository ON aman.revisions (repository_id);
  CREATE TABLE aman.revision_blobs (
    revision_id bigint NOT NULL REFERENCES aman.revisions ON DELETE CASCADE,
    hash bytea NOT NULL REFERENCES aman.blobs,
    PRIMARY KEY (revision_id, hash)
  );
  CREATE INDEX revisions_of_blob ON aman.revision_blobs (hash);

  CREATE TABLE aman.jobs (
    repository_id bigint PRIMARY KEY REFERENCES aman.repositories ON DELETE CASCADE,
    wanted_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz NOT NULL DEFAULT now(),
    attempts int NOT NULL DEFAULT 0,
    worker text,
    claim uuid,
    claimed_at timestamptz,
    lease_until timestamptz
  );
  CREATE TABLE aman.nodes (
    id uuid PRIMARY KEY,
    role text NOT NULL CHECK (role IN ('worker', 'query')),
    name text NOT NULL,
    url text,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE aman.principals (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    added_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE aman.teams (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
  );
  CREATE TABLE aman.members (
    team_id bigint NOT NULL REFERENCES aman.teams ON DELETE CASCADE,
    principal_id bigint NOT NULL REFERENCES aman.principals ON DELETE CASCADE,
    PRIMARY KEY (team_id, principal_id)
  );
  CREATE TABLE aman.grants (
    team_id bigint NOT NULL REFERENCES aman.teams ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES aman.repositories ON DELETE CASCADE,
    PRIMARY KEY (team_id, repository_id)
  );
  CREATE TABLE aman.tokens (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    id text NOT NULL UNIQUE,
    principal_id bigint NOT NULL REFERENCES aman.principals ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
  );
  CREATE TABLE aman.audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    action text NOT NULL,
    about text NOT NULL
  );
  `,
]
