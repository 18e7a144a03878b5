/** Which names stand in which texts, as it was found last: JSON. */
export const addTextLinks = `
CREATE TABLE text_links (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  body TEXT NOT NULL
);
`
