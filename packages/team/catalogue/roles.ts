import type { TransactionSQL } from "bun"
import { AmanError } from "../../../src/base/errors.ts"
import { note } from "./audit.ts"
import type { Catalogue } from "./catalogue.ts"

export type RoleKind = "worker" | "node"

/** The rights of each kind of database role. None may change the tables themselves. */
const RIGHTS: Readonly<Record<RoleKind, readonly (readonly [rights: string, on: string])[]>> = {
  worker: [
    ["SELECT", "schema, repositories, revisions, revision_blobs, blobs, blob_parts, jobs"],
    ["UPDATE (revision_id, checked_at, error)", "repositories"],
    ["INSERT, UPDATE, DELETE", "revisions, blobs, jobs"],
    ["INSERT, DELETE", "revision_blobs, blob_parts"],
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
    ["INSERT, UPDATE", "jobs"],
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

/** Grants every permitted role its rights, which is needed again after tables were added. */
export async function grantRights(sql: TransactionSQL): Promise<void> {
  const permitted: { role: string; kind: RoleKind }[] = await sql`
    SELECT role, kind FROM aman.permitted_roles WHERE role IN (SELECT rolname FROM pg_roles)`
  for (const { role, kind } of permitted) {
    const name = `"${role.replaceAll('"', '""')}"`
    await sql.unsafe(`GRANT USAGE ON SCHEMA aman TO ${name}`)
    if (kind === "node") await sql.unsafe(`GRANT USAGE ON SEQUENCE aman.memory_seq TO ${name}`)
    for (const [rights, tables] of RIGHTS[kind]) {
      const on = tables.split(", ").map((table) => `aman.${table}`)
      await sql.unsafe(`GRANT ${rights} ON ${on.join(", ")} TO ${name}`)
    }
  }
}
