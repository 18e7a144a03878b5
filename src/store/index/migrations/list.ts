import { createIndex } from "./0001-index.ts"

/** The files embedded in a configured space; the space is searched only once it contains all files. */
const createEmbedded = `
CREATE TABLE embedded (
  space_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  PRIMARY KEY (space_id, file_id)
) WITHOUT ROWID;
`

/** The names each file uses, as hashes, and their places, packed. */
const createUses = `
CREATE TABLE uses (
  file_id INTEGER PRIMARY KEY,
  names BLOB NOT NULL,
  places BLOB NOT NULL
);
`

/**
 * Hashes of the names by which other files may use a file; each file's centrality (16 steps per doubling, 0
 * is the average file); and the names that are used most.
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

/** Marks symbols defined inside a function, which code outside that function cannot refer to. */
const markLocals = `
ALTER TABLE symbols ADD COLUMN local INTEGER NOT NULL DEFAULT 0;
`

/**
 * Which type extends or implements which, by name. Looked up in both directions, once for every use of a
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
 * Files whose uses are unknown or incomplete. Each answer about uses names them, so that finding them must not
 * read all files.
 */
const indexUnread = `
CREATE INDEX files_unread ON files (language, degraded, method, path)
  WHERE content = 'code' AND (degraded IS NOT NULL OR method <> 'tree-sitter');
`

/** Whether a project has documents of office programs: searches leave them out by default, and most have none. */
const indexDocuments = `
CREATE INDEX files_documents ON files (id) WHERE language = 'document';
`

/**
 * Changes nothing but the schema version, so that an older aman refuses an index of a newer format
 * (INDEX_NEWER). Otherwise the older and the newer aman would rebuild the index in turn. See INDEX_VERSION.
 */
const raiseFormat = "SELECT 1;"

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
]
