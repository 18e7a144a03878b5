/** Which files a space other than the built-in one has: it answers once that is all of them. */
export const createEmbedded = `
CREATE TABLE embedded (
  space_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  PRIMARY KEY (space_id, file_id)
) WITHOUT ROWID;
`
