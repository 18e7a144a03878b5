/** Vectors of entries in one space beside the built-in one: computed, but dear. They hold for the text of that hash. */
export const addVectors = `
CREATE TABLE vector_space (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  body TEXT NOT NULL
);
CREATE TABLE entry_vectors (
  entry TEXT PRIMARY KEY,
  text_hash TEXT NOT NULL,
  blob BLOB NOT NULL
);
`
