/**
 * The tables of the knowledge store. `events` and the two tables of projects cannot be derived from other data.
 * `entries`, `entry_tags`, `entry_entities`, `entry_likeness`, `entities`, `entity_names` and `relations` are folded
 * from the events. `entry_index` caches computed data. Bodies are JSON, in which a lone surrogate or a NUL is kept as
 * an escape; the columns beside them serve only for filters.
 */
export const createKnowledge = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  subject TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX events_by_subject ON events (subject, at, id);
CREATE INDEX events_of_purges ON events (seq) WHERE type = 'purged';
CREATE TABLE purging (subject TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM purging WHERE subject = OLD.subject)
  BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

CREATE TABLE entries (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,
  project TEXT,
  topic TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT,
  author TEXT,
  role TEXT,
  session TEXT,
  ordinal REAL,
  path TEXT,
  recorded_at TEXT NOT NULL,
  revised_at TEXT NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  superseded_at TEXT,
  superseded_by TEXT,
  deleted_at TEXT,
  text_hash TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX entries_by_seq ON entries (seq);
CREATE INDEX entries_by_topic ON entries (topic, text_hash);
CREATE INDEX entries_by_session ON entries (session, ordinal) WHERE session IS NOT NULL;
CREATE INDEX entries_by_key ON entries (key) WHERE key IS NOT NULL;
CREATE INDEX entries_by_path ON entries (path) WHERE path IS NOT NULL;
CREATE INDEX entries_by_successor ON entries (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE entry_tags (
  tag TEXT NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (entry, tag)
) WITHOUT ROWID;
CREATE INDEX entry_tags_by_tag ON entry_tags (tag);
CREATE TABLE entry_entities (
  name TEXT NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (entry, name)
) WITHOUT ROWID;
CREATE INDEX entry_entities_by_name ON entry_entities (name);
CREATE TABLE entry_likeness (
  entry INTEGER NOT NULL,
  key INTEGER NOT NULL,
  PRIMARY KEY (entry, key)
) WITHOUT ROWID;
CREATE INDEX entry_likeness_by_key ON entry_likeness (key);
CREATE TABLE entry_index (
  entry TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  blob BLOB NOT NULL
);

CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  project TEXT,
  merged_into TEXT,
  deleted_at TEXT,
  body TEXT NOT NULL
);
CREATE INDEX entities_by_seq ON entities (seq);
CREATE TABLE entity_names (
  name TEXT NOT NULL,
  entity TEXT NOT NULL,
  PRIMARY KEY (name, entity)
) WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (entity);
CREATE TABLE relations (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  deleted_at TEXT,
  body TEXT NOT NULL
);
CREATE INDEX relations_by_seq ON relations (seq);

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE TABLE project_marks (
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  project TEXT NOT NULL,
  PRIMARY KEY (kind, value, project)
) WITHOUT ROWID;
CREATE INDEX project_marks_by_project ON project_marks (project);
`
