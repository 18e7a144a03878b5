/**
 * The tables of a project's index. Rows that belong to a file carry the id of one version of the file. A changed file
 * gets a new id, so that data derived from its old version can stay on disk until a merge removes it.
 */
const createIndex = `
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

/** The files that are embedded in a configured space. The space is searched only once it contains all files. */
const createEmbedded = `
CREATE TABLE embedded (
  space_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  PRIMARY KEY (space_id, file_id)
) WITHOUT ROWID;
`

/** The names that each file uses, as hashes, and the packed places of these uses. */
const createUses = `
CREATE TABLE uses (
  file_id INTEGER PRIMARY KEY,
  names BLOB NOT NULL,
  places BLOB NOT NULL
);
`

/**
 * Three additions: hashes of the names by which other files may use a file; the centrality of each file (16 steps per
 * doubling; 0 is the average file); and the names that are used most.
 */
const createCentrality = `
ALTER TABLE uses ADD COLUMN defines BLOB NOT NULL DEFAULT x'';
CREATE TABLE centrality (file_id INTEGER PRIMARY KEY, rank INTEGER NOT NULL);
CREATE TABLE central_names (
  file_id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  PRIMARY KEY (file_id, hash)
) WITHOUT ROWID;
`

/** A mark for symbols that are defined inside a function, so that code outside that function cannot refer to them. */
const markLocals = `
ALTER TABLE symbols ADD COLUMN local INTEGER NOT NULL DEFAULT 0;
`

/**
 * Which type extends or implements which, by name. The table is searched in both directions, once for every use of a
 * member.
 */
const createBases = `
CREATE TABLE bases (
  file_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  base TEXT NOT NULL,
  PRIMARY KEY (file_id, type, base)
) WITHOUT ROWID;
CREATE INDEX bases_by_type ON bases (type);
CREATE INDEX bases_by_base ON bases (base);
`

/**
 * An index of the files whose uses are unknown or incomplete. Each answer about uses lists these files, so finding them
 * must not read the rows of all files.
 */
const indexUnread = `
CREATE INDEX files_unread ON files (language, degraded, method, path)
  WHERE content = 'code' AND (degraded IS NOT NULL OR method <> 'tree-sitter');
`

/**
 * An index that tells whether a project has office documents. Searches leave them out by default, and most projects
 * have none.
 */
const indexDocuments = `
CREATE INDEX files_documents ON files (id) WHERE language = 'document';
`

/**
 * A migration that only raises the schema version, so that an older aman refuses an index of a newer format
 * (INDEX_NEWER). Otherwise the older and the newer aman would rebuild the index in turn. See INDEX_VERSION.
 */
const raiseFormat = "SELECT 1;"

/** The files that the user's chunker program was asked to divide. */
const createDivided = `
CREATE TABLE divided_files (
  file_id INTEGER PRIMARY KEY,
  program TEXT NOT NULL,
  failure TEXT
);
`

/** Past commits of the project, packed, in one row; see HistoryRow. */
const createHistory = `
CREATE TABLE history (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  source TEXT NOT NULL,
  commits BLOB NOT NULL,
  failure TEXT
);
`

/** The texts extracted from documents. */
const createDocumentTexts = `
CREATE TABLE document_texts (
  file_id INTEGER PRIMARY KEY,
  text BLOB NOT NULL
);
`

/** Migrations in order; a database's schema version is the number applied to it. Append only, never edit one. */
export const MIGRATIONS: readonly string[] = [
  createIndex,
  createEmbedded,
  createUses,
  createCentrality,
  markLocals,
  createBases,
  raiseFormat,
  indexUnread,
  raiseFormat,
  indexDocuments,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  createDivided,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  createHistory,
  raiseFormat,
  raiseFormat,
  createDocumentTexts,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
  raiseFormat,
]
