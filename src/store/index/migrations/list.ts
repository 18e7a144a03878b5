import { createIndex } from "./0001-index.ts"

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

/**
 * Migrations in order; a database's schema version is the number applied to it. Append only, never edit one.
 */
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
]
