const TABLES = ["events", "projects", "project_marks", "entries", "entities", "relations"]

/** 2^52, the same value as SUM_MODULUS in seal.ts. */
const MODULUS = 4503599627370496

/**
 * Adds checksums of rows, and the sums of these checksums (see seal.ts); for existing rows, code fills them in after
 * the migration. Also adds a table of the event numbers that were purged or never assigned, so that any other missing
 * number means a lost event.
 */
export const addSeals = `
${TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN seal INTEGER;`).join("\n")}
${TABLES.map((table) => `CREATE INDEX ${table}_unsealed ON ${table} (seal) WHERE seal IS NULL;`).join("\n")}
CREATE TABLE sums (
  name TEXT PRIMARY KEY,
  "rows" INTEGER NOT NULL,
  seals INTEGER NOT NULL,
  last INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
${TABLES.map((table) => `INSERT INTO sums (name, "rows", seals) SELECT '${table}', count(*), 0 FROM ${table};`).join("\n")}
UPDATE sums SET last = max(
  coalesce((SELECT max(seq) FROM events), 0),
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)
) WHERE name = 'events';
CREATE TABLE gaps (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
INSERT INTO gaps SELECT before + 1, seq - 1
  FROM (
    SELECT seq, lag(seq, 1, 0) OVER (ORDER BY seq) AS before
    FROM (SELECT seq FROM events UNION SELECT last + 1 FROM sums WHERE name = 'events')
  )
  WHERE seq > before + 1;
${TABLES.map(triggersOf).join("")}
${unsealWhereAltered("entries", "seq, body")}
${unsealWhereAltered("projects", "name, created")}
${["entities", "relations"].map(deleteWhereReplaced).join("")}
CREATE TRIGGER events_number AFTER INSERT ON events
  BEGIN
    INSERT OR IGNORE INTO gaps SELECT last + 1, NEW.seq - 1 FROM sums WHERE name = 'events' AND NEW.seq > last + 1;
    UPDATE sums SET last = max(last, NEW.seq) WHERE name = 'events';
  END;
CREATE TRIGGER events_purged AFTER DELETE ON events
  BEGIN INSERT OR IGNORE INTO gaps VALUES (OLD.seq, OLD.seq); END;
DROP TRIGGER events_are_never_changed;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
  WHEN OLD.seal IS NOT NULL OR (OLD.seq, OLD.id, OLD.at, OLD.subject, OLD.type, OLD.body)
    IS NOT (NEW.seq, NEW.id, NEW.at, NEW.subject, NEW.type, NEW.body)
  BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
`

function triggersOf(table: string): string {
  const set = (rows: string, seals: string) =>
    `BEGIN UPDATE sums SET ${rows}seals = (seals + ${seals} + ${MODULUS}) % ${MODULUS} WHERE name = '${table}'; END;\n`
  return (
    `CREATE TRIGGER ${table}_come AFTER INSERT ON ${table} ${set('"rows" = "rows" + 1, ', "coalesce(NEW.seal, 0)")}` +
    `CREATE TRIGGER ${table}_go AFTER DELETE ON ${table} ${set('"rows" = "rows" - 1, ', "-coalesce(OLD.seal, 0)")}` +
    `CREATE TRIGGER ${table}_differ AFTER UPDATE OF seal ON ${table} ` +
    set("", "coalesce(NEW.seal, 0) - coalesce(OLD.seal, 0)")
  )
}

/**
 * A trigger for an older aman that opened the file before this migration and continues to write without seals. A row
 * that it changes loses its seal, and is sealed again when the file is next opened.
 */
function unsealWhereAltered(table: string, columns: string): string {
  const of = (row: string) => `(${columns.replaceAll(/\w+/g, (column) => `${row}.${column}`)})`
  return (
    `CREATE TRIGGER ${table}_altered AFTER UPDATE ON ${table} ` +
    `WHEN NEW.seal IS OLD.seal AND ${of("NEW")} IS NOT ${of("OLD")} ` +
    `BEGIN UPDATE ${table} SET seal = NULL WHERE id = NEW.id; END;`
  )
}

/**
 * A trigger for the older aman, which writes this table with INSERT OR REPLACE. That deletes a row without firing the
 * trigger that counts deletions.
 */
function deleteWhereReplaced(table: string): string {
  return (
    `CREATE TRIGGER ${table}_replaced BEFORE INSERT ON ${table} WHEN NEW.seal IS NULL ` +
    `BEGIN DELETE FROM ${table} WHERE id = NEW.id; END;\n`
  )
}
