/**
 * By which names other files may use each file, as hashes; how central each file is (16 steps to a doubling, 0 is the
 * average), and the names that most is drawn to.
 */
export const createCentrality = `
ALTER TABLE uses ADD COLUMN defines BLOB NOT NULL DEFAULT x'';
CREATE TABLE centrality (file_id INTEGER PRIMARY KEY, rank INTEGER NOT NULL);
CREATE TABLE central_names (
  file_id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  PRIMARY KEY (file_id, hash)
) WITHOUT ROWID;
`
