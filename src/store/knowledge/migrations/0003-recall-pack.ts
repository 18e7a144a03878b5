/** What was computed of all entries, as one blob; the table that had a row of it for each entry goes. */
export const addRecallPack = `
DROP TABLE entry_index;
CREATE TABLE recall_pack (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  blob BLOB NOT NULL
);
`
