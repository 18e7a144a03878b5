/**
 * The tables of a project's index. Rows that belong to a file carry the id of one version of the file. A changed file
 * gets a new id, so that data derived from its old version can stay on disk until a merge removes it.
 */
export const createIndex = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- AUTOINCREMENT: an id is never used twice, or a stale derived file would answer for the wrong file.
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  language TEXT NOT NULL,
  content TEXT NOT NULL,
  flags INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  method TEXT NOT NULL,
  degraded TEXT,
  chunks INTEGER NOT NULL,
  package TEXT,
  imports TEXT,
  names BLOB NOT NULL
);

-- Sums over files, in one row: every query and every run asks for them.
CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), files INTEGER NOT NULL, chunks INTEGER NOT NULL, lines INTEGER NOT NULL);
INSERT INTO totals VALUES (1, 0, 0, 0);
CREATE TRIGGER files_come AFTER INSERT ON files BEGIN
  UPDATE totals SET files = files + 1, chunks = chunks + new.chunks, lines = lines + new.lines;
END;
CREATE TRIGGER files_go AFTER DELETE ON files BEGIN
  UPDATE totals SET files = files - 1, chunks = chunks - old.chunks, lines = lines - old.lines;
END;

-- Files that were opened and left out; see skipped.ts.
CREATE TABLE skipped (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;

-- In how many paths, and in how many file names, a word stands.
CREATE TABLE path_words (word TEXT PRIMARY KEY, paths INTEGER NOT NULL, stems INTEGER NOT NULL) WITHOUT ROWID;

-- What the last completed run saw of the project, packed by its owner; one row.
CREATE TABLE snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL);

CREATE TABLE chunks (
  file_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope TEXT,
  hash TEXT NOT NULL,
  PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE symbols (
  file_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  name TEXT NOT NULL,
  folded TEXT NOT NULL,
  kind TEXT NOT NULL,
  signature TEXT NOT NULL,
  owner TEXT,
  doc TEXT,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  PRIMARY KEY (file_id, ordinal, idx)
) WITHOUT ROWID;
-- One index serves both spellings: a name's exact matches are among those of its folded form.
CREATE INDEX symbols_by_folded ON symbols (folded);

CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, files INTEGER NOT NULL, chunks INTEGER NOT NULL, blob BLOB NOT NULL);

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  version INTEGER NOT NULL,
  UNIQUE (provider, model, dimensions, version)
);

-- One row a file: its chunks' vectors end to end, and the ordinals they belong to.
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY,
  space_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  ordinals BLOB NOT NULL,
  rows BLOB NOT NULL,
  UNIQUE (space_id, file_id)
);

-- Files that are gone but still inside a derived file or a delta segment; space 0 is the keyword index.
CREATE TABLE tombstones (
  kind TEXT NOT NULL,
  space_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  PRIMARY KEY (kind, space_id, file_id)
) WITHOUT ROWID;

CREATE TABLE derived (
  kind TEXT NOT NULL,
  space_id INTEGER NOT NULL,
  part INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  count INTEGER NOT NULL,
  inode TEXT NOT NULL,
  mtime_ns TEXT NOT NULL,
  PRIMARY KEY (kind, space_id, part)
) WITHOUT ROWID;
`
