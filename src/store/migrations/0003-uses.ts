/** Which names each file uses, by their hashes, and where, packed by their owner (code/use-code.ts). */
export const createUses = `
CREATE TABLE uses (
  file_id INTEGER PRIMARY KEY,
  names BLOB NOT NULL,
  places BLOB NOT NULL
);
`
