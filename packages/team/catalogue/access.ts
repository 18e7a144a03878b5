import { createHash, randomBytes } from "node:crypto"
import { AmanError } from "../../../src/base/errors.ts"
import { note } from "./audit.ts"
import type { Catalogue } from "./catalogue.ts"
import { noSuchRepository } from "./repositories.ts"

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

/** Lets a team read repositories; with `isWithdrawal`, withdraws that right. Throws NOT_FOUND, USAGE. */
export async function grant(
  catalogue: Catalogue,
  who: string,
  request: {
    readonly team: string
    readonly repositories: readonly string[]
    readonly isWithdrawal: boolean
  },
): Promise<void> {
  const { team, repositories, isWithdrawal } = request
  checkName(team)
  await catalogue.transaction(async (sql) => {
    const [{ id }] = await sql`
      INSERT INTO aman.teams (name) VALUES (${team})
      ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`
    for (const name of repositories) {
      const [repository] = await sql`SELECT id FROM aman.repositories WHERE name = ${name}`
      if (repository === undefined) throw noSuchRepository(name)
      if (isWithdrawal)
        await sql`DELETE FROM aman.grants WHERE team_id = ${id} AND repository_id = ${repository.id}`
      else await sql`INSERT INTO aman.grants VALUES (${id}, ${repository.id}) ON CONFLICT DO NOTHING`
      await note(
        sql,
        who,
        isWithdrawal ? "withdraw" : "grant",
        `${name} ${isWithdrawal ? "from" : "to"} ${team}`,
      )
    }
  })
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
