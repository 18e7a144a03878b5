/**
 * Which types of a file extend or implement what, by names: asked from both ends, and once for every use of a member.
 */
export const createBases = `
CREATE TABLE bases (
  file_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  base TEXT NOT NULL,
  PRIMARY KEY (file_id, type, base)
) WITHOUT ROWID;
CREATE INDEX bases_by_type ON bases (type);
CREATE INDEX bases_by_base ON bases (base);
`
