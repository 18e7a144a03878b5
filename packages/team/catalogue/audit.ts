import type { Catalogue, Statements } from "./catalogue.ts"

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

const MAX_ABOUT = 300

/**
 * The object of a request as one line without characters that PostgreSQL refuses or that would control a terminal.
 */
function plain(text: string): string {
  return text.slice(0, MAX_ABOUT).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{fffd}")
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
