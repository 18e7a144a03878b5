/** What stands inside a function: nothing outside that one can name it. */
export const markLocals = `
ALTER TABLE symbols ADD COLUMN local INTEGER NOT NULL DEFAULT 0;
`
