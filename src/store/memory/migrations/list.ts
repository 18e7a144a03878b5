import { createKnowledge } from "./0001-knowledge.ts"
import { addSeals } from "./0005-seals.ts"

/**
 * Vectors of entries in a configured space, which are expensive to compute. A vector is valid as long as the text of
 * the entry has the stored hash.
 */
const addVectors = `
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

/** Data computed from all entries, as one blob. It replaces the table that had one row for each entry. */
const addRecallPack = `
DROP TABLE entry_index;
CREATE TABLE recall_pack (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  blob BLOB NOT NULL
);
`

/** Which texts contain which names, as JSON, from the last computation. */
const addTextLinks = `
CREATE TABLE text_links (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  body TEXT NOT NULL
);
`

/** The recall index, divided into parts that are used without decoding. It replaces the blob of computed data. */
const addRecallImage = `
DROP TABLE recall_pack;
CREATE TABLE recall_image (
  name TEXT PRIMARY KEY,
  blob BLOB NOT NULL
);
`

/** The names in texts are stored beside the recall index. */
const dropTextLinks = `
DROP TABLE text_links;
`

const addReadings = `
CREATE TABLE entry_readings (
  entry TEXT PRIMARY KEY,
  reader TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  body TEXT NOT NULL
);
`

/**
 * Notes that were read, and pairs of them with the log odds that the newer one makes the older one untrue; valid for the
 * reader and the texts of the hashes.
 */
const addPairs = `
DROP TABLE entry_readings;
CREATE TABLE entry_readings (
  entry TEXT PRIMARY KEY,
  reader TEXT NOT NULL,
  text_hash TEXT NOT NULL
);
CREATE TABLE entry_pairs (
  older TEXT NOT NULL,
  newer TEXT NOT NULL,
  older_hash TEXT NOT NULL,
  newer_hash TEXT NOT NULL,
  reader TEXT NOT NULL,
  odds REAL NOT NULL,
  PRIMARY KEY (older, newer)
);
CREATE INDEX entry_pairs_newer ON entry_pairs (newer);
`

/**
 * Migrations in order; a database's schema version is the number applied to it. Append only, never edit one.
 */
export const KNOWLEDGE_MIGRATIONS: readonly string[] = [
  createKnowledge,
  addVectors,
  addRecallPack,
  addTextLinks,
  addSeals,
  addRecallImage,
  dropTextLinks,
  addReadings,
  addPairs,
]
