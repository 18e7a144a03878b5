/** Files that were opened and left out; see skipped.ts. */
export const createSkipped = `
CREATE TABLE skipped (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;
`
