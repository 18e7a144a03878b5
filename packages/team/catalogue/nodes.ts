import { createHash } from "node:crypto"
import type { Catalogue } from "./catalogue.ts"

/** A query node that other nodes can reach. */
export type LiveNode = { readonly id: string; readonly name: string; readonly url: string }

/** Seconds after which a node that does not renew its entry counts as gone. */
const ALIVE_S = 3

/** Seconds after which the entry of such a node is removed. */
const FORGOTTEN_S = 3600

/**
 * Adds a query node to the catalogue or renews its entry, and returns all live nodes of the same version that have an
 * address, this one included. `url`: null if other nodes cannot reach it.
 */
export async function announceNode(
  catalogue: Catalogue,
  node: { readonly id: string; readonly name: string; readonly url: string | null; readonly version: string },
): Promise<LiveNode[]> {
  const { id, name, url, version } = node
  return catalogue.transaction(async (sql) => {
    await sql`
      INSERT INTO aman.nodes (id, role, name, url, version) VALUES (${id}, 'query', ${name}, ${url}, ${version})
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`
    await sql`DELETE FROM aman.nodes WHERE seen_at < now() - make_interval(secs => ${FORGOTTEN_S})`
    return sql<LiveNode[]>`
      SELECT id, name, url FROM aman.nodes
      WHERE role = 'query' AND url IS NOT NULL AND version = ${version}
        AND seen_at > now() - make_interval(secs => ${ALIVE_S})
      ORDER BY id`
  })
}

export async function removeNode(catalogue: Catalogue, id: string): Promise<void> {
  await catalogue.run((sql) => sql`DELETE FROM aman.nodes WHERE id = ${id}`)
}

/**
 * The node that holds a repository, by rendezvous hashing (Thaler and Ravishankar 1998): when a node comes or goes, only
 * its own repositories move. Null without nodes.
 */
export function holderOf(repositoryId: string, nodes: readonly LiveNode[]): LiveNode | null {
  let best: LiveNode | null = null
  let highest = ""
  for (const node of nodes) {
    const weight = createHash("sha256").update(`${node.id}/${repositoryId}`).digest("hex")
    if (weight > highest) [best, highest] = [node, weight]
  }
  return best
}
