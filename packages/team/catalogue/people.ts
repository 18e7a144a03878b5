import { AmanError } from "../../../src/base/errors.ts"
import { note } from "./audit.ts"
import type { Catalogue } from "./catalogue.ts"

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
