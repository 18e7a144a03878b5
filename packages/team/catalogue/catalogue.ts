import { SQL, type TransactionSQL } from "bun"
import { AmanError } from "../../../src/base/index.ts"

/**
 * Key of the advisory lock that serializes migrations of several processes; an arbitrary number that no other program
 * uses.
 */
const MIGRATION_LOCK = 5_418_361_722

const CONNECT_TIMEOUT_S = 10

/** Runs statements, on any connection or within a transaction. */
export type Statements = SQL | TransactionSQL

/** Channels on which the database announces committed changes; the payload is the id of a repository. */
export const CHANNEL = { job: "aman_job", revision: "aman_revision" } as const

/**
 * The team's PostgreSQL database: repositories, their published revisions, the rights to read them, and the queue of
 * jobs. Migrated when it is opened. Methods throw TEAM if it cannot be reached or refuses a statement.
 */
export class Catalogue implements AsyncDisposable {
  readonly #sql: SQL

  private constructor(sql: SQL) {
    this.#sql = sql
  }

  /** Throws TEAM if the database cannot be reached, or was migrated by a newer aman. */
  static async open(url: string): Promise<Catalogue> {
    const catalogue = new Catalogue(connect(url))
    try {
      await catalogue.run((sql) => sql.begin(migrate))
      return catalogue
    } catch (error) {
      await catalogue[Symbol.asyncDispose]()
      throw error
    }
  }

  async run<T>(act: (sql: SQL) => Promise<T>): Promise<T> {
    try {
      return await act(this.#sql)
    } catch (error) {
      throw asTeamError(error)
    }
  }

  /** Runs `act` in a transaction, which is undone if it throws. */
  transaction<T>(act: (sql: TransactionSQL) => Promise<T>): Promise<T> {
    return this.run((sql) => sql.begin(act)) as Promise<T>
  }

  /**
   * Calls `onNews` for each announcement on the channel, and once when listening starts or starts again, because
   * announcements may have been missed.
   */
  listen(channel: string, onNews: () => void): Promise<AsyncDisposable> {
    return this.run(async (sql) => await sql.listen(channel, onNews, onNews))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 1 })
  }
}

function connect(url: string): SQL {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw notAnAddress()
  }
  if (!/^postgres(?:ql)?:$/.test(parsed.protocol)) throw notAnAddress()
  return new SQL(url, { max: 8, connectionTimeout: CONNECT_TIMEOUT_S })
}

// The message does not quote the address, because it contains a password.
function notAnAddress(): AmanError {
  return new AmanError("USAGE", "the team's database is not given as an address of PostgreSQL", {
    hint: "set AMAN_TEAM_DATABASE to postgres://USER:PASSWORD@HOST:5432/DATABASE",
  })
}

async function migrate(sql: TransactionSQL): Promise<void> {
  // Roles of workers and nodes may read the version and nothing more.
  if ((await versionOf(sql)) === MIGRATIONS.length) return
  await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await checkMayCreate(sql)
  await sql`CREATE SCHEMA IF NOT EXISTS aman`
  await sql`CREATE TABLE IF NOT EXISTS aman.schema (version int NOT NULL)`
  const version = await versionOf(sql)
  if (version > MIGRATIONS.length) {
    throw new AmanError("TEAM", `the team's database was migrated by a newer aman (schema ${version})`, {
      hint: "update aman",
    })
  }
  if (version === MIGRATIONS.length) return
  for (const migration of MIGRATIONS.slice(version)) await sql.unsafe(migration)
  await sql`DELETE FROM aman.schema`
  await sql`INSERT INTO aman.schema VALUES (${MIGRATIONS.length})`
  await grantRights(sql)
}

/** Throws TEAM, with the statement that gives it the right, if the role may not create the first table. */
async function checkMayCreate(sql: TransactionSQL): Promise<void> {
  const [found] = await sql`
    SELECT current_user AS role, datname AS name, pg_get_userbyid(datdba) AS owner,
      to_regnamespace('aman') IS NOT NULL OR has_database_privilege(oid, 'CREATE') AS may_create
    FROM pg_database WHERE datname = current_database()`
  if (found.may_create) return
  const [role, name] = [quoted(found.role), quoted(found.name)]
  throw new AmanError("TEAM", `the role ${role} may not create tables in the database ${name}`, {
    hint: `as ${quoted(found.owner)}, its owner, in psql: GRANT CREATE ON DATABASE ${name} TO ${role};`,
  })
}

/** The name as PostgreSQL reads it in a statement. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Number of the migrations that were applied. */
async function versionOf(sql: TransactionSQL): Promise<number> {
  const [found] = await sql`SELECT to_regclass('aman.schema') IS NOT NULL AS exists`
  if (!found.exists) return 0
  const [row] = await sql<{ version: number }[]>`SELECT version FROM aman.schema`
  return row?.version ?? 0
}

/** PostgreSQL's code for a text that is not in the database's encoding, such as one with a NUL. */
const UNTRANSLATABLE = "22021"

/** PostgreSQL's code for a right that the role does not have. */
const FORBIDDEN = "42501"

/** Returns an AmanError unchanged, and any other error as a TEAM error with the database's message. */
function asTeamError(error: unknown): unknown {
  if (!(error instanceof SQL.SQLError)) return error
  const { code, errno } = error as { readonly code?: string; readonly errno?: string }
  if (errno === UNTRANSLATABLE)
    return new AmanError("USAGE", "a text contains a character that cannot be stored (NUL)", { cause: error })
  if (errno === FORBIDDEN)
    return new AmanError("TEAM", `the team's database refused this role: ${error.message}`, {
      hint: "use the role that owns the tables in AMAN_TEAM_DATABASE; for workers and nodes it runs: aman team permit",
      cause: error,
    })
  const isAway = /CONNECTION|TIMEOUT/.test(code ?? "")
  return new AmanError(
    "TEAM",
    `the team's database ${isAway ? "cannot be reached" : "failed"}: ${error.message}`,
    {
      hint: isAway
        ? "check AMAN_TEAM_DATABASE and that PostgreSQL runs"
        : `PostgreSQL's error code is ${errno ?? "unknown"}`,
      cause: error,
    },
  )
}

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
  // Shared memories. Requests run as a role that does not own these tables, so that a policy decides about every row.
  `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'aman_memory')
      AND EXISTS (SELECT 1 FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolcreaterole)) THEN
      CREATE ROLE aman_memory NOLOGIN;
    END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'aman_memory')
      AND NOT pg_has_role(current_user, 'aman_memory', 'MEMBER') THEN
      EXECUTE format('GRANT aman_memory TO %I', current_user);
    END IF;
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END $$;

  CREATE FUNCTION aman.asker() RETURNS bigint LANGUAGE sql STABLE
    AS $$ SELECT nullif(current_setting('aman.principal', true), '')::bigint $$;
  CREATE FUNCTION aman.is_member(team bigint) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT EXISTS (SELECT 1 FROM aman.members WHERE team_id = team AND principal_id = aman.asker()) $$;
  CREATE FUNCTION aman.may_read(repository bigint) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT EXISTS (SELECT 1 FROM aman.grants WHERE repository_id = repository AND aman.is_member(team_id)) $$;

  CREATE TABLE aman.memory_subjects (
    subject text PRIMARY KEY CHECK (subject ~ '^[0-9a-hjkmnp-tv-z]{20}$'),
    owner_id bigint NOT NULL REFERENCES aman.principals ON DELETE CASCADE,
    visibility text NOT NULL CHECK (visibility IN ('private', 'readers', 'team')),
    repository_id bigint REFERENCES aman.repositories ON DELETE SET NULL,
    team_id bigint REFERENCES aman.teams ON DELETE CASCADE,
    purged_at timestamptz,
    CHECK ((visibility = 'team') = (team_id IS NOT NULL))
  );
  CREATE SEQUENCE aman.memory_seq;
  CREATE TABLE aman.memory_events (
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-hjkmnp-tv-z]{20}$'),
    seq bigint NOT NULL UNIQUE DEFAULT nextval('aman.memory_seq'),
    at text NOT NULL,
    subject text NOT NULL REFERENCES aman.memory_subjects ON DELETE CASCADE,
    body text NOT NULL
  );
  CREATE INDEX memory_events_of_subject ON aman.memory_events (subject);

  CREATE FUNCTION aman.is_visible(owner bigint, visibility text, repository bigint, team bigint) RETURNS boolean
    LANGUAGE sql STABLE AS $$
      SELECT owner = aman.asker() OR (visibility = 'readers' AND aman.may_read(repository))
        OR (visibility = 'team' AND aman.is_member(team)) $$;
  ALTER TABLE aman.memory_subjects ENABLE ROW LEVEL SECURITY;
  ALTER TABLE aman.memory_events ENABLE ROW LEVEL SECURITY;
  CREATE POLICY seen ON aman.memory_subjects FOR SELECT
    USING (aman.is_visible(owner_id, visibility, repository_id, team_id));
  CREATE POLICY shared ON aman.memory_subjects FOR INSERT WITH CHECK (owner_id = aman.asker()
    AND (visibility = 'private' OR aman.is_visible(NULL, visibility, repository_id, team_id)));
  CREATE POLICY changed ON aman.memory_subjects FOR UPDATE USING (owner_id = aman.asker())
    WITH CHECK (owner_id = aman.asker()
      AND (visibility = 'private' OR aman.is_visible(NULL, visibility, repository_id, team_id)));
  CREATE POLICY seen ON aman.memory_events FOR SELECT
    USING (EXISTS (SELECT 1 FROM aman.memory_subjects s WHERE s.subject = memory_events.subject));
  CREATE POLICY own ON aman.memory_events
    USING (EXISTS (SELECT 1 FROM aman.memory_subjects s
      WHERE s.subject = memory_events.subject AND s.owner_id = aman.asker()));

  DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'aman_memory') THEN
      GRANT USAGE ON SCHEMA aman TO aman_memory;
      GRANT SELECT (id, name) ON aman.principals, aman.repositories, aman.teams TO aman_memory;
      GRANT SELECT ON aman.members, aman.grants TO aman_memory;
      GRANT SELECT, INSERT, UPDATE ON aman.memory_subjects TO aman_memory;
      GRANT SELECT, INSERT, UPDATE, DELETE ON aman.memory_events TO aman_memory;
      GRANT USAGE ON SEQUENCE aman.memory_seq TO aman_memory;
    END IF;
  END $$;
  `,
  // Webhooks that were received, so that none is acted on twice.
  `
  CREATE TABLE aman.deliveries (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    at timestamptz NOT NULL DEFAULT now()
  );
  `,
  // The key that signs revisions which are handed down, and the settings that shaped each revision's index.
  `
  CREATE TABLE aman.signing_key (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    private_key bytea NOT NULL
  );
  ALTER TABLE aman.revisions ADD COLUMN shape text NOT NULL DEFAULT '';
  `,
  // Only nodes of the same version divide questions among each other. Of each revision: the terms that it contains (see
  // node/term-filters.ts) and the number of its chunks, for questions that need not open it.
  `
  ALTER TABLE aman.nodes ADD COLUMN version text NOT NULL DEFAULT '';
  ALTER TABLE aman.revisions ADD COLUMN terms bytea, ADD COLUMN chunks int NOT NULL DEFAULT 0;
  `,
  // Members of teams by claims of tokens of an identity provider, and the date of the last such token.
  `
  ALTER TABLE aman.members ADD COLUMN is_claimed boolean NOT NULL DEFAULT false;
  ALTER TABLE aman.principals ADD COLUMN claimed_at timestamptz;
  `,
  // Private entries are stored by owner, so that an id tells nobody whether another person has a private entry of it. The
  // policies hold for the owner of the tables too, unless it is an administrator's action, which has no asker.
  `
  DROP POLICY seen ON aman.memory_events;
  DROP POLICY own ON aman.memory_events;
  ALTER TABLE aman.memory_events ADD COLUMN owner_id bigint, ADD COLUMN is_private boolean NOT NULL DEFAULT false;
  UPDATE aman.memory_events e SET owner_id = s.owner_id, is_private = s.visibility = 'private'
    FROM aman.memory_subjects s WHERE s.subject = e.subject;
  ALTER TABLE aman.memory_events DROP CONSTRAINT memory_events_subject_fkey, DROP CONSTRAINT memory_events_pkey;
  ALTER TABLE aman.memory_subjects DROP CONSTRAINT memory_subjects_pkey, ADD PRIMARY KEY (subject, owner_id);
  ALTER TABLE aman.memory_events ALTER owner_id SET NOT NULL, ADD PRIMARY KEY (id, owner_id),
    ADD FOREIGN KEY (subject, owner_id) REFERENCES aman.memory_subjects ON DELETE CASCADE;
  CREATE UNIQUE INDEX shared_subjects ON aman.memory_subjects (subject) WHERE visibility <> 'private';
  CREATE UNIQUE INDEX shared_events ON aman.memory_events (id) WHERE NOT is_private;
  CREATE POLICY seen ON aman.memory_events FOR SELECT USING (EXISTS (SELECT 1 FROM aman.memory_subjects s
    WHERE s.subject = memory_events.subject AND s.owner_id = memory_events.owner_id));
  CREATE POLICY own ON aman.memory_events USING (owner_id = aman.asker());
  DO $$ BEGIN
    EXECUTE format('CREATE POLICY administered ON aman.memory_subjects TO %I USING (aman.asker() IS NULL)', current_user);
    EXECUTE format('CREATE POLICY administered ON aman.memory_events TO %I USING (aman.asker() IS NULL)', current_user);
  END $$;
  ALTER TABLE aman.memory_subjects FORCE ROW LEVEL SECURITY;
  ALTER TABLE aman.memory_events FORCE ROW LEVEL SECURITY;
  `,
  // Roles of workers and nodes, whose rights are granted again after each migration.
  `
  CREATE TABLE aman.permitted_roles (
    role text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('worker', 'node')),
    PRIMARY KEY (role, kind)
  );
  `,
  // Patterns of names that a team is granted, for repositories that are added later; and the share of a job's files that
  // are read.
  `
  CREATE TABLE aman.grant_patterns (
    team_id bigint NOT NULL REFERENCES aman.teams ON DELETE CASCADE,
    pattern text NOT NULL,
    PRIMARY KEY (team_id, pattern)
  );
  ALTER TABLE aman.jobs ADD COLUMN progress real;
  `,
  // Processes of one query node, and the address at which they reach each other.
  `
  ALTER TABLE aman.nodes ADD COLUMN process_group uuid, ADD COLUMN local_url text;
  `,
  // Branches of a repository by patterns: each is a repository of its own with the rights of its parent.
  `
  ALTER TABLE aman.repositories ADD COLUMN parent_id bigint REFERENCES aman.repositories ON DELETE CASCADE,
    ADD COLUMN branch_patterns text[] NOT NULL DEFAULT '{}', ADD COLUMN left_branches int NOT NULL DEFAULT 0;
  `,
  // Only the owner of the tables adds and removes repositories; workers add and remove branches of them.
  `
  ALTER TABLE aman.repositories ENABLE ROW LEVEL SECURITY;
  CREATE POLICY seen ON aman.repositories FOR SELECT USING (true);
  CREATE POLICY checked ON aman.repositories FOR UPDATE USING (true);
  CREATE POLICY added_branches ON aman.repositories FOR INSERT WITH CHECK (parent_id IS NOT NULL);
  CREATE POLICY removed_branches ON aman.repositories FOR DELETE USING (parent_id IS NOT NULL);
  `,
]

export type RoleKind = "worker" | "node"

/** The rights of each kind of database role. None may change the tables themselves. */
const RIGHTS: Readonly<Record<RoleKind, readonly (readonly [rights: string, on: string])[]>> = {
  worker: [
    ["SELECT", "schema, repositories, revisions, revision_blobs, blobs, blob_parts, jobs"],
    ["UPDATE (revision_id, checked_at, error, left_branches)", "repositories"],
    // Branches that match a pattern; row policies decide which rows.
    ["INSERT (name, url, parent_id), DELETE", "repositories"],
    ["INSERT, DELETE, UPDATE (superseded_at)", "revisions"],
    ["INSERT, DELETE, UPDATE (stored_at)", "blobs"],
    ["INSERT, UPDATE, DELETE", "jobs"],
    ["INSERT", "revision_blobs, blob_parts"],
  ],
  node: [
    [
      "SELECT",
      "schema, repositories, revisions, revision_blobs, blobs, blob_parts, jobs, nodes, signing_key",
    ],
    ["SELECT", "principals, teams, members, grants, tokens, deliveries, memory_subjects, memory_events"],
    ["INSERT", "audit"],
    ["INSERT, UPDATE, DELETE", "nodes"],
    // Webhooks.
    ["INSERT, DELETE", "deliveries"],
    ["INSERT, UPDATE (wanted_at, due_at, attempts)", "jobs"],
    // Persons and members by tokens of an identity provider.
    ["INSERT, UPDATE", "principals"],
    ["INSERT, DELETE", "members"],
    // Row policies decide which rows.
    ["INSERT, UPDATE", "memory_subjects"],
    ["INSERT, UPDATE, DELETE", "memory_events"],
  ],
}

/**
 * Lets a role of the database run workers or nodes, and nothing else. Throws NOT_FOUND if the database has no such role.
 */
export async function permitRole(
  catalogue: Catalogue,
  who: string,
  kind: RoleKind,
  role: string,
): Promise<void> {
  await catalogue.transaction(async (sql) => {
    const [known] = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${role}`
    if (known === undefined)
      throw new AmanError("NOT_FOUND", `the database has no role ${JSON.stringify(role)}`, {
        hint: `in psql: CREATE ROLE ${role} LOGIN PASSWORD '…'`,
      })
    await sql`INSERT INTO aman.permitted_roles VALUES (${role}, ${kind}) ON CONFLICT DO NOTHING`
    await grantRights(sql)
    await note(sql, who, "permit role", `${role} as ${kind}`)
  })
}

/** Grants every permitted role its rights, and takes those of earlier versions, which is needed after each migration. */
export async function grantRights(sql: TransactionSQL): Promise<void> {
  const permitted: { role: string; kind: RoleKind; isOwner: boolean }[] = await sql`
    SELECT role, kind, role = current_user AS "isOwner" FROM aman.permitted_roles WHERE role IN (SELECT rolname FROM pg_roles) ORDER BY role`
  let former = ""
  for (const { role, kind, isOwner } of permitted) {
    const name = quoted(role)
    if (role !== former && !isOwner) await sql.unsafe(`REVOKE ALL ON ALL TABLES IN SCHEMA aman FROM ${name}`)
    former = role
    await sql.unsafe(`GRANT USAGE ON SCHEMA aman TO ${name}`)
    if (kind === "node") await sql.unsafe(`GRANT USAGE ON SEQUENCE aman.memory_seq TO ${name}`)
    for (const [rights, tables] of RIGHTS[kind]) {
      const on = tables.split(", ").map((table) => `aman.${table}`)
      await sql.unsafe(`GRANT ${rights} ON ${on.join(", ")} TO ${name}`)
    }
  }
}

export type AuditEntry = {
  readonly at: string
  readonly who: string
  readonly action: string
  readonly about: string
}

/**
 * Records what a principal did or was refused. It runs in the transaction of the action, so that action and record are
 * stored together or not at all.
 */
export async function note(sql: Statements, who: string, action: string, about: string): Promise<void> {
  await sql`INSERT INTO aman.audit (who, action, about) VALUES (${who}, ${action}, ${plain(about)})`
}

/**
 * The object of a request as one line without characters that PostgreSQL refuses or that would control a terminal.
 */
function plain(text: string): string {
  return text.slice(0, 300).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{fffd}")
}

/** The newest entries, newest first. */
export async function auditLog(catalogue: Catalogue, limit: number): Promise<AuditEntry[]> {
  const rows = await catalogue.run(
    (sql) => sql`SELECT at, who, action, about FROM aman.audit ORDER BY id DESC LIMIT ${limit}`,
  )
  return rows.map(({ at, ...rest }: Omit<AuditEntry, "at"> & { readonly at: Date }) => ({
    at: at.toISOString(),
    ...rest,
  }))
}

export function noSuchRepository(name: string): AmanError {
  return new AmanError("NOT_FOUND", `the team has no repository named ${JSON.stringify(name)}`, {
    hint: "see: aman team repos",
  })
}
