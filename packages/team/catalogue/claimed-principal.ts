import type { Principal } from "./access.ts"
import { note } from "./audit.ts"
import type { Catalogue } from "./catalogue.ts"

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
