import { createHash, randomBytes } from "node:crypto"
import type { TransactionSQL } from "bun"
import { AmanError } from "../../../src/base/index.ts"
import { type Catalogue, noSuchRepository, note } from "./catalogue.ts"
import { lockPatterns, nameMatcher } from "./repositories.ts"

/** The principal whom a token identifies. */
export type Principal = { readonly id: string; readonly name: string }

export type NewToken = {
  readonly principal: string
  /** The token, shown only once, because the catalogue keeps only its hash. */
  readonly token: string
  /** Identifies the token in `revoke` and in the audit log; not secret. */
  readonly id: string
  readonly expires_at: string | null
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,79}$/u

/**
 * Creates a token for a principal and adds the principal to these teams. An unknown principal is created. Throws
 * USAGE.
 */
export async function makeToken(
  catalogue: Catalogue,
  who: string,
  request: { readonly principal: string; readonly teams: readonly string[]; readonly days: number | null },
): Promise<NewToken> {
  const { principal, teams, days } = request
  for (const name of [principal, ...teams]) checkName(name)
  const [token, id] = [`aman_${randomBytes(32).toString("base64url")}`, randomBytes(6).toString("hex")]
  return catalogue.transaction(async (sql) => {
    const [owner] = await sql`
      INSERT INTO aman.principals (name) VALUES (${principal})
      ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`
    for (const team of teams) {
      const [{ id: teamId }] = await sql`
        INSERT INTO aman.teams (name) VALUES (${team})
        ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`
      await sql`
        INSERT INTO aman.members (team_id, principal_id) VALUES (${teamId}, ${owner.id})
        ON CONFLICT (team_id, principal_id) DO UPDATE SET is_claimed = false`
      await note(sql, who, "add member", `${principal} to ${team}`)
    }
    const [{ expires_at }] = await sql`
      INSERT INTO aman.tokens (hash, id, principal_id, expires_at)
      VALUES (${hashToken(token)}, ${id}, ${owner.id}, now() + make_interval(days => ${days}::int))
      RETURNING expires_at`
    await note(sql, who, "make token", `${id} for ${principal}`)
    return { principal, token, id, expires_at: expires_at?.toISOString() ?? null }
  })
}

/** Revokes a token by its id, or all tokens of a principal; returns how many. Throws NOT_FOUND. */
export async function revokeTokens(catalogue: Catalogue, who: string, name: string): Promise<number> {
  return catalogue.transaction(async (sql) => {
    const rows = await sql`
      UPDATE aman.tokens t SET revoked_at = now() FROM aman.principals p
      WHERE p.id = t.principal_id AND t.revoked_at IS NULL AND (t.id = ${name} OR p.name = ${name}) RETURNING t.id`
    if (rows.length === 0)
      throw new AmanError("NOT_FOUND", `no valid token has the id or the owner ${JSON.stringify(name)}`)
    for (const { id } of rows) await note(sql, who, "revoke token", id)
    return rows.length
  })
}

export type Grant = {
  readonly team: string
  /** Names, and patterns in which `*` stands for any characters. */
  readonly repositories: readonly string[]
  readonly isWithdrawal: boolean
}

/**
 * Lets a team read repositories; with `isWithdrawal`, withdraws that right. A pattern also holds for repositories that are
 * added later. Returns the names of the repositories that are concerned now, and all patterns that the team has then. Throws
 * NOT_FOUND, USAGE.
 */
export async function grant(
  catalogue: Catalogue,
  who: string,
  request: Grant,
): Promise<{ readonly concerned: string[]; readonly patterns: string[] }> {
  const { team, repositories, isWithdrawal } = request
  const [action, word] = isWithdrawal ? (["withdraw", "from"] as const) : (["grant", "to"] as const)
  checkName(team)
  return catalogue.transaction(async (sql) => {
    await lockPatterns(sql)
    const [{ id }] = await sql`
      INSERT INTO aman.teams (name) VALUES (${team})
      ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`
    const all = await sql<
      { id: string; name: string }[]
    >`SELECT id, name FROM aman.repositories WHERE parent_id IS NULL ORDER BY name`
    const concerned: string[] = []
    for (const wanted of repositories) {
      const isPattern = wanted.includes("*")
      const isWanted = isPattern ? nameMatcher(wanted) : (name: string) => name === wanted
      const found = all.filter(({ name }) => isWanted(name))
      if (!isPattern && found.length === 0) throw noSuchRepository(wanted)
      const ids = sql.array(
        found.map((each) => each.id),
        "BIGINT",
      )
      if (isWithdrawal) await removeGrants(sql, id, ids, isWanted)
      else await addGrants(sql, id, ids, wanted)
      await note(sql, who, action, `${wanted} ${word} ${team}`)
      concerned.push(...found.map(({ name }) => name))
    }
    const patterns = await patternsOf(sql, id)
    return { concerned: [...new Set(concerned)], patterns }
  })
}

type Ids = ReturnType<TransactionSQL["array"]>

async function addGrants(sql: TransactionSQL, teamId: string, ids: Ids, wanted: string): Promise<void> {
  if (wanted.includes("*"))
    await sql`INSERT INTO aman.grant_patterns VALUES (${teamId}, ${wanted}) ON CONFLICT DO NOTHING`
  await sql`INSERT INTO aman.grants SELECT ${teamId}::bigint, unnest(${ids}) ON CONFLICT DO NOTHING`
}

async function patternsOf(sql: TransactionSQL, teamId: string): Promise<string[]> {
  const rows = await sql<{ pattern: string }[]>`
    SELECT pattern FROM aman.grant_patterns WHERE team_id = ${teamId} ORDER BY pattern`
  return rows.map(({ pattern }) => pattern)
}

/** Removes the grants of these repositories, and the team's patterns that grant no more than the one that is withdrawn. */
async function removeGrants(
  sql: TransactionSQL,
  teamId: string,
  ids: Ids,
  isWanted: (pattern: string) => boolean,
): Promise<void> {
  for (const pattern of (await patternsOf(sql, teamId)).filter(isWanted))
    await sql`DELETE FROM aman.grant_patterns WHERE team_id = ${teamId} AND pattern = ${pattern}`
  await sql`DELETE FROM aman.grants WHERE team_id = ${teamId} AND repository_id = ANY(${ids})`
}

/** A token that the catalogue knows: its owner and its id, and why it is not valid; null if it is. */
export type KnownToken = {
  readonly owner: Principal
  readonly id: string
  readonly refusal: "revoked" | "expired" | null
}

/**
 * The owner of a token, and why the token is refused if it is; null for a token that was never made. Called for each
 * request, so that a revoked token stops working at once.
 */
export async function lookUpToken(catalogue: Catalogue, token: string): Promise<KnownToken | null> {
  const [row] = await catalogue.run(
    (sql) => sql`
      SELECT p.id, p.name, t.id AS token_id, t.revoked_at IS NOT NULL AS is_revoked,
        coalesce(t.expires_at <= now(), false) AS is_expired
      FROM aman.tokens t JOIN aman.principals p ON p.id = t.principal_id WHERE t.hash = ${hashToken(token)}`,
  )
  if (row === undefined) return null
  const expiry = row.is_expired ? "expired" : null
  const refusal = row.is_revoked ? "revoked" : expiry
  return { owner: { id: row.id, name: row.name }, id: row.token_id, refusal }
}

/**
 * Tokens are random, so one round of SHA-256 is enough. They are looked up by their hash, so the time of a look-up
 * reveals nothing about a token.
 */
function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}

function checkName(name: string): void {
  if (!NAME.test(name))
    throw new AmanError("USAGE", `${JSON.stringify(name)} cannot be a name`, {
      hint: "use up to 80 letters, digits and . _ @ -",
    })
}

/**
 * The principal of a verified token of an identity provider, created if it is new. Unless `teams` is null, its
 * memberships by token become the existing teams of these names; memberships that an administrator gave it stay. A token
 * issued before the last one that was applied changes no membership. `issuedAt`: milliseconds since 1970.
 */
export async function claimPrincipal(
  catalogue: Catalogue,
  name: string,
  teams: readonly string[] | null,
  issuedAt: number,
): Promise<Principal> {
  return catalogue.transaction(async (sql) => {
    const [row] = await sql`
      INSERT INTO aman.principals (name) VALUES (${name})
      ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, name`
    const { id } = row as Principal
    if (teams === null) return { id, name }
    const [isNewer] = await sql`
      UPDATE aman.principals SET claimed_at = ${new Date(issuedAt)}
      WHERE id = ${id} AND (claimed_at IS NULL OR claimed_at <= ${new Date(issuedAt)}) RETURNING 1`
    if (isNewer === undefined) return { id, name }
    const names = sql.array([...new Set(teams)], "TEXT")
    const left = await sql`
      DELETE FROM aman.members m USING aman.teams t
      WHERE t.id = m.team_id AND m.principal_id = ${id} AND m.is_claimed AND t.name <> ALL(${names}) RETURNING t.name`
    const joined = await sql`
      WITH added AS (
        INSERT INTO aman.members (team_id, principal_id, is_claimed)
        SELECT id, ${id}, true FROM aman.teams WHERE name = ANY(${names})
        ON CONFLICT DO NOTHING RETURNING team_id)
      SELECT t.name FROM added JOIN aman.teams t ON t.id = added.team_id`
    for (const team of joined) await note(sql, name, "add member", `${name} to ${team.name}, by its claims`)
    for (const team of left)
      await note(sql, name, "remove member", `${name} from ${team.name}, by its claims`)
    return { id, name }
  })
}

/** A principal of the team: a person or a program. */
export type TeamPerson = {
  readonly person: string
  /** Names of teams; `claimed`: those that a token of the identity provider named. */
  readonly teams: readonly string[]
  readonly claimed: readonly string[]
  /** Tokens that are valid. */
  readonly tokens: readonly { readonly id: string; readonly expires_at: string | null }[]
}

/** All principals, sorted by name. */
export async function listPeople(catalogue: Catalogue): Promise<TeamPerson[]> {
  const rows: PersonRow[] = await catalogue.run(
    (sql) => sql`
      SELECT p.name,
        coalesce((SELECT json_agg(json_build_array(t.name, m.is_claimed) ORDER BY t.name) FROM aman.members m
          JOIN aman.teams t ON t.id = m.team_id WHERE m.principal_id = p.id), '[]') AS teams,
        coalesce((SELECT json_agg(json_build_array(k.id, k.expires_at) ORDER BY k.created_at) FROM aman.tokens k
          WHERE k.principal_id = p.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())),
          '[]') AS tokens
      FROM aman.principals p ORDER BY p.name`,
  )
  return rows.map(({ name, teams, tokens }) => ({
    person: name,
    teams: teams.map(([team]) => team),
    claimed: teams.flatMap(([team, isClaimed]) => (isClaimed ? [team] : [])),
    tokens: tokens.map(([id, at]) => ({ id, expires_at: at === null ? null : new Date(at).toISOString() })),
  }))
}

/** What a person may read, and by which teams. */
export type TeamReader = TeamPerson & {
  readonly repositories: readonly { readonly repository: string; readonly teams: readonly string[] }[]
}

/** A principal with the repositories that it may read, sorted by name. Throws NOT_FOUND. */
export async function readerNamed(catalogue: Catalogue, name: string): Promise<TeamReader> {
  const person = (await listPeople(catalogue)).find((each) => each.person === name)
  if (person === undefined)
    throw new AmanError("NOT_FOUND", `there is no person named ${JSON.stringify(name)}`, {
      hint: "see: aman team people; those of an identity provider are listed after their first question",
    })
  const repositories: TeamReader["repositories"] = await catalogue.run(
    (sql) => sql`
      SELECT r.name AS repository, json_agg(t.name ORDER BY t.name) AS teams FROM aman.principals p
      JOIN aman.members m ON m.principal_id = p.id JOIN aman.teams t ON t.id = m.team_id
      JOIN aman.grants g ON g.team_id = t.id JOIN aman.repositories r ON g.repository_id = coalesce(r.parent_id, r.id)
      WHERE p.name = ${name} GROUP BY r.name ORDER BY r.name`,
  )
  return { ...person, repositories }
}

/** Ends a person's membership of a team. Throws NOT_FOUND if the person is not a member. */
export async function removeMember(
  catalogue: Catalogue,
  who: string,
  person: string,
  team: string,
): Promise<void> {
  await catalogue.transaction(async (sql) => {
    const [row] = await sql`
      DELETE FROM aman.members m USING aman.teams t, aman.principals p
      WHERE t.id = m.team_id AND p.id = m.principal_id AND t.name = ${team} AND p.name = ${person} RETURNING 1`
    if (row === undefined)
      throw new AmanError(
        "NOT_FOUND",
        `${JSON.stringify(person)} is in no team named ${JSON.stringify(team)}`,
        {
          hint: "see: aman team people",
        },
      )
    await note(sql, who, "remove member", `${person} from ${team}`)
  })
}

type PersonRow = {
  readonly name: string
  readonly teams: readonly (readonly [name: string, isClaimed: boolean])[]
  readonly tokens: readonly (readonly [id: string, expiresAt: string | null])[]
}
