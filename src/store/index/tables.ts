import { zstdDecompressSync } from "node:zlib"
import { Table } from "../table.ts"

export type ChunkRow = {
  readonly fileId: number
  /** Position among the file's chunks, from 0. */
  readonly ordinal: number
  readonly startLine: number
  readonly endLine: number
  readonly kind: string
  readonly scope: string | null
  readonly hash: string
}

const COLUMNS = "file_id AS fileId, ordinal, start_line AS startLine, end_line AS endLine, kind, scope, hash"

export class ChunksTable extends Table {
  add(chunks: readonly ChunkRow[]): void {
    const insert = this.db.query(
      `INSERT INTO chunks (file_id, ordinal, start_line, end_line, kind, scope, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const c of chunks) insert.run(c.fileId, c.ordinal, c.startLine, c.endLine, c.kind, c.scope, c.hash)
  }

  removeFile(fileId: number): void {
    this.run("DELETE FROM chunks WHERE file_id = ?", fileId)
  }

  get(fileId: number, ordinal: number): ChunkRow | null {
    return this.row<ChunkRow>(
      `SELECT ${COLUMNS} FROM chunks WHERE file_id = ? AND ordinal = ?`,
      fileId,
      ordinal,
    )
  }

  ofFile(fileId: number): ChunkRow[] {
    return this.rows<ChunkRow>(`SELECT ${COLUMNS} FROM chunks WHERE file_id = ? ORDER BY ordinal`, fileId)
  }

  /** The chunk that contains a line; null for a blank line between chunks. */
  atLine(fileId: number, line: number): ChunkRow | null {
    return this.row<ChunkRow>(
      `SELECT ${COLUMNS} FROM chunks WHERE file_id = ? AND start_line <= ? AND end_line >= ? LIMIT 1`,
      fileId,
      line,
      line,
    )
  }
}

/**
 * The names that one file uses (hashes and packed places), and hashes of the names by which other files may use the
 * file.
 */
export type UsesRow = {
  readonly fileId: number
  readonly names: Uint8Array
  readonly places: Uint8Array
  readonly defines: Uint8Array
  readonly bases: readonly Base[]
}

/** A type of the file, and a type that it extends or implements. Each pair occurs once. */
type Base = readonly [type: string, base: string]

/** The columns that are needed to decide which file a use can refer to. */
type LinkedRow = {
  readonly id: number
  readonly path: string
  readonly language: string
  readonly package: string | null
  readonly imports: readonly string[]
  readonly flags: number
  readonly defines: Uint8Array
}

const BASES_ABOVE = `WITH RECURSIVE above (type, base) AS (
    SELECT type, base FROM bases WHERE type = ?
    UNION SELECT bases.type, bases.base FROM above JOIN bases ON bases.type = above.base
  ) SELECT type, base FROM above`

export class UsesTable extends Table {
  add({ fileId, names, places, defines, bases }: UsesRow): void {
    this.run(
      "INSERT INTO uses (file_id, names, places, defines) VALUES (?, ?, ?, ?)",
      fileId,
      names,
      places,
      defines,
    )
    const insert = this.db.query("INSERT INTO bases (file_id, type, base) VALUES (?, ?, ?)")
    for (const [type, base] of bases) insert.run(fileId, type, base)
  }

  removeFile(fileId: number): void {
    this.run("DELETE FROM uses WHERE file_id = ?", fileId)
    this.run("DELETE FROM bases WHERE file_id = ?", fileId)
  }

  /** All [type, base] pairs on the way up from a type name, in any file: its bases, their bases, and so on. */
  basesAbove(type: string): [type: string, base: string][] {
    return this.tuples<[string, string]>(BASES_ABOVE, type)
  }

  /** Types that extend or implement one of these names, with the ids of their files. */
  extending(bases: readonly string[]): [base: string, type: string, fileId: number][] {
    return this.tuples<[string, string, number]>(
      "SELECT base, type, file_id FROM bases WHERE base IN (SELECT value FROM json_each(?))",
      JSON.stringify(bases),
    )
  }

  places(fileId: number): Uint8Array | null {
    return (
      this.row<{ places: Uint8Array }>("SELECT places FROM uses WHERE file_id = ?", fileId)?.places ?? null
    )
  }

  /**
   * Used names of the files with an id above `fileId`. New files always have higher ids, so that a reader which caches
   * rows can request the new ones only.
   */
  namesAfter(fileId: number): [fileId: number, names: Uint8Array][] {
    return this.tuples<[number, Uint8Array]>(
      "SELECT file_id, names FROM uses WHERE file_id > ? ORDER BY file_id",
      fileId,
    )
  }

  /**
   * Used names of the files whose list of hashes contains these four bytes anywhere: usually as one hash, sometimes by
   * chance as parts of two neighbouring hashes.
   */
  namesWith(bytes: Uint8Array): [fileId: number, names: Uint8Array][] {
    return this.tuples<[number, Uint8Array]>(
      "SELECT file_id, names FROM uses WHERE instr(names, ?) > 0 ORDER BY file_id",
      bytes,
    )
  }

  /** Rows of all files in path order. A generator, because all rows together would need too much memory. */
  *linked(): Generator<LinkedRow> {
    const rows = this.db
      .query<Omit<LinkedRow, "imports"> & { imports: string | null }, []>(
        `SELECT id, path, language, package, imports, flags, defines FROM files JOIN uses ON file_id = id ORDER BY path`,
      )
      .iterate()
    for (const row of rows)
      yield { ...row, imports: row.imports === null ? [] : (JSON.parse(row.imports) as string[]) }
  }

  /** Hashes of the names that each file uses, in the same order as `linked`. */
  *linkedNames(): Generator<Uint8Array> {
    const rows = this.db
      .query<{ names: Uint8Array }, []>(
        "SELECT uses.names AS names FROM files JOIN uses ON file_id = id ORDER BY path",
      )
      .iterate()
    for (const { names } of rows) yield names
  }

  ids(): number[] {
    return this.column<number>("SELECT file_id FROM uses")
  }
}

/** A file's centrality: 16·log2 of its PageRank relative to the average file, which has rank 0. */
export type FileRank = { readonly fileId: number; readonly rank: number }

export type NameRank = FileRank & { readonly hash: number }

/** The centrality of files, and the names through which files are most used. */
export class CentralityTable extends Table {
  /**
   * Replaces the ranks of all files and the list of names. Only the file ranks that differ are written. Call it inside
   * a transaction.
   */
  replace(files: readonly FileRank[], names: readonly NameRank[]): void {
    this.#replaceFiles(files)
    this.#replaceNames(names)
  }

  removeFile(fileId: number): void {
    this.run("DELETE FROM centrality WHERE file_id = ?", fileId)
    this.run("DELETE FROM central_names WHERE file_id = ?", fileId)
  }

  of(fileIds: readonly number[]): Map<number, number> {
    return new Map(
      this.tuples<[number, number]>(
        "SELECT file_id, rank FROM centrality WHERE file_id IN (SELECT value FROM json_each(?))",
        JSON.stringify(fileIds),
      ),
    )
  }

  /** The names through which files are used most, most central first. */
  names(limit: number): (NameRank & { readonly path: string; readonly flags: number })[] {
    return this.rows<NameRank & { path: string; flags: number }>(
      `SELECT file_id AS fileId, central_names.hash, rank, path, flags FROM central_names JOIN files ON files.id = file_id
         ORDER BY rank DESC, path, central_names.hash LIMIT ?`,
      limit,
    )
  }

  count(): number {
    return this.row<{ n: number }>("SELECT count(*) AS n FROM centrality")!.n
  }

  #replaceFiles(files: readonly FileRank[]): void {
    const old = new Map(this.tuples<[number, number]>("SELECT file_id, rank FROM centrality"))
    const write = this.db.query("INSERT OR REPLACE INTO centrality (file_id, rank) VALUES (?, ?)")
    for (const { fileId, rank } of files) {
      if (old.get(fileId) !== rank) write.run(fileId, rank)
      old.delete(fileId)
    }
    const remove = this.db.query("DELETE FROM centrality WHERE file_id = ?")
    for (const fileId of old.keys()) remove.run(fileId)
  }

  #replaceNames(names: readonly NameRank[]): void {
    this.run("DELETE FROM central_names")
    const write = this.db.query("INSERT INTO central_names (file_id, hash, rank) VALUES (?, ?, ?)")
    for (const { fileId, hash, rank } of names) write.run(fileId, hash, rank)
  }
}

/** A keyword delta segment, stored here until it is merged into the base. */
export type SegmentRow = {
  readonly id: number
  readonly files: number
  readonly chunks: number
  readonly blob: Uint8Array
}

export class SegmentsTable extends Table {
  /** Stores a segment and returns its id. Later segments have higher ids. */
  add(segment: Omit<SegmentRow, "id">): number {
    const result = this.db
      .query("INSERT INTO segments (files, chunks, blob) VALUES (?, ?, ?)")
      .run(segment.files, segment.chunks, segment.blob)
    return Number(result.lastInsertRowid)
  }

  /** Segments with an id above `after`, oldest first. A reader passes the id of the last segment that it has. */
  all(after = 0): SegmentRow[] {
    return this.rows<SegmentRow>(
      "SELECT id, files, chunks, blob FROM segments WHERE id > ? ORDER BY id",
      after,
    )
  }

  ids(): number[] {
    return this.column<number>("SELECT id FROM segments ORDER BY id")
  }

  /** Amount of data that is not merged yet; it decides when to merge. */
  pending(): { readonly segments: number; readonly files: number; readonly chunks: number } {
    return this.row<{
      segments: number
      files: number
      chunks: number
    }>(`SELECT count(*) AS segments, coalesce(sum(files), 0) AS files, coalesce(sum(chunks), 0) AS chunks
         FROM segments`)!
  }

  /** Removes the segments with ids up to and including `id`, because they are now in the base. */
  removeUpTo(id: number): void {
    this.run("DELETE FROM segments WHERE id <= ?", id)
  }
}

/** The unmerged vectors of one file in one space. The vector layer defines their encoding. */
export type VectorsRow = {
  readonly fileId: number
  /** The ordinal of the chunk of each row, as 16-bit unsigned integers, little-endian. */
  readonly ordinals: Uint8Array
  readonly rows: Uint8Array
}

export class VectorsTable extends Table {
  add(spaceId: number, vectors: readonly VectorsRow[]): void {
    const insert = this.db.query(
      "INSERT OR REPLACE INTO vectors (space_id, file_id, ordinals, rows) VALUES (?, ?, ?, ?)",
    )
    for (const v of vectors) insert.run(spaceId, v.fileId, v.ordinals, v.rows)
  }

  removeFile(fileId: number): void {
    for (const id of this.#spaces())
      this.run("DELETE FROM vectors WHERE space_id = ? AND file_id = ?", id, fileId)
  }

  /** Removes the vectors of files whose vectors are now in the base. */
  remove(spaceId: number, fileIds: readonly number[]): void {
    const remove = this.db.query("DELETE FROM vectors WHERE space_id = ? AND file_id = ?")
    for (const id of fileIds) remove.run(spaceId, id)
  }

  removeSpace(spaceId: number): void {
    this.run("DELETE FROM vectors WHERE space_id = ?", spaceId)
  }

  /** All rows, sorted by file id. */
  all(spaceId: number): VectorsRow[] {
    return this.rows<VectorsRow>(
      "SELECT file_id AS fileId, ordinals, rows FROM vectors WHERE space_id = ? ORDER BY file_id",
      spaceId,
    )
  }

  ofFiles(spaceId: number, fileIds: readonly number[]): VectorsRow[] {
    return this.rows<VectorsRow>(
      `SELECT file_id AS fileId, ordinals, rows FROM vectors
         WHERE space_id = ? AND file_id IN (SELECT value FROM json_each(?)) ORDER BY file_id`,
      spaceId,
      JSON.stringify(fileIds),
    )
  }

  fileIds(spaceId: number): number[] {
    return this.column<number>("SELECT file_id FROM vectors WHERE space_id = ? ORDER BY file_id", spaceId)
  }

  /** Numbers of files and vectors that are not merged yet. */
  pending(spaceId: number): { readonly files: number; readonly vectors: number } {
    return this.row<{ files: number; vectors: number }>(
      `SELECT count(*) AS files, coalesce(sum(length(ordinals)), 0) / 2 AS vectors FROM vectors WHERE space_id = ?`,
      spaceId,
    )!
  }

  #spaces(): number[] {
    return this.column<number>("SELECT id FROM spaces")
  }
}

export type SpaceRow = {
  readonly id: number
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  readonly version: number
}

export class SpacesTable extends Table {
  all(): SpaceRow[] {
    return this.rows<SpaceRow>("SELECT id, provider, model, dimensions, version FROM spaces ORDER BY id")
  }

  find(space: Omit<SpaceRow, "id">): SpaceRow | null {
    return this.row<SpaceRow>(
      `SELECT id, provider, model, dimensions, version FROM spaces
         WHERE provider = ? AND model = ? AND dimensions = ? AND version = ?`,
      space.provider,
      space.model,
      space.dimensions,
      space.version,
    )
  }

  /** The id of a space. If the space is new, its row is inserted. */
  ensure(space: Omit<SpaceRow, "id">): number {
    this.run(
      "INSERT OR IGNORE INTO spaces (provider, model, dimensions, version) VALUES (?, ?, ?, ?)",
      space.provider,
      space.model,
      space.dimensions,
      space.version,
    )
    return this.find(space)!.id
  }

  remove(id: number): void {
    this.run("DELETE FROM spaces WHERE id = ?", id)
  }
}

export type UnembeddedFile = {
  readonly id: number
  readonly path: string
  readonly hash: string
  readonly chunks: number
}

type EmbeddedShare = {
  readonly files: number
  readonly allFiles: number
  readonly chunks: number
  readonly allChunks: number
}

/** Records which files have vectors for all their chunks in a configured space. */
export class EmbeddedTable extends Table {
  /**
   * Marks files as embedded, except versions that were removed in the meantime. Returns the ids of the marked files.
   */
  add(spaceId: number, fileIds: readonly number[]): number[] {
    const isThere = this.db.query<{ id: number }, [number]>("SELECT id FROM files WHERE id = ?")
    const insert = this.db.query("INSERT OR IGNORE INTO embedded (space_id, file_id) VALUES (?, ?)")
    const living = fileIds.filter((id) => isThere.get(id) !== null)
    for (const id of living) insert.run(spaceId, id)
    return living
  }

  removeFile(fileId: number): void {
    for (const { id } of this.rows<{ id: number }>("SELECT id FROM spaces"))
      this.run("DELETE FROM embedded WHERE space_id = ? AND file_id = ?", id, fileId)
  }

  removeSpace(spaceId: number): void {
    this.run("DELETE FROM embedded WHERE space_id = ?", spaceId)
  }

  /** Called when the merged file is lost: only files whose vectors are still in the delta stay marked. */
  keepPending(spaceId: number): void {
    this.run(
      `DELETE FROM embedded WHERE space_id = ?1
         AND file_id NOT IN (SELECT file_id FROM vectors WHERE space_id = ?1)`,
      spaceId,
    )
  }

  /** Files that are not embedded in the space, in path order. */
  missing(spaceId: number): UnembeddedFile[] {
    return this.rows<UnembeddedFile>(
      `SELECT id, path, hash, chunks FROM files
         WHERE id NOT IN (SELECT file_id FROM embedded WHERE space_id = ?) ORDER BY path`,
      spaceId,
    )
  }

  /**
   * True if every file is embedded. Only counts are compared, so that this can be called before every query. Counts
   * suffice, because the rows of removed files are deleted.
   */
  isWhole(spaceId: number): boolean {
    const row = this.row<{ lacking: number }>(
      `SELECT (SELECT count(*) FROM files) - (SELECT count(*) FROM embedded WHERE space_id = ?) AS lacking`,
      spaceId,
    )
    return row?.lacking === 0
  }

  share(spaceId: number): EmbeddedShare {
    return this.row<EmbeddedShare>(
      `SELECT count(e.file_id) AS files, count(*) AS allFiles,
           coalesce(sum(CASE WHEN e.file_id IS NULL THEN 0 ELSE f.chunks END), 0) AS chunks,
           coalesce(sum(f.chunks), 0) AS allChunks
         FROM files f LEFT JOIN embedded e ON e.space_id = ? AND e.file_id = f.id`,
      spaceId,
    )!
  }
}

/**
 * A file that was opened and skipped. It is not opened again as long as its size and modification time stay the same.
 */
export type SkippedRow = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly reason: string
}

export class SkippedTable extends Table {
  add(rows: readonly SkippedRow[]): void {
    const insert = this.db.query(
      "INSERT OR REPLACE INTO skipped (path, size, mtime_ms, reason) VALUES (?, ?, ?, ?)",
    )
    for (const row of rows) insert.run(row.path, row.size, row.mtimeMs, row.reason)
  }

  ofReason(reason: string): string[] {
    return this.column<string>("SELECT path FROM skipped WHERE reason = ? ORDER BY path", reason)
  }

  remove(paths: readonly string[]): void {
    const remove = this.db.query("DELETE FROM skipped WHERE path = ?")
    for (const path of paths) remove.run(path)
  }

  get(path: string): SkippedRow | null {
    return this.row<SkippedRow>(
      "SELECT path, size, mtime_ms AS mtimeMs, reason FROM skipped WHERE path = ?",
      path,
    )
  }

  all(): SkippedRow[] {
    return this.rows<SkippedRow>("SELECT path, size, mtime_ms AS mtimeMs, reason FROM skipped ORDER BY path")
  }

  clear(): void {
    this.run("DELETE FROM skipped")
  }

  /** Number of skipped files for each reason. */
  reasons(): Record<string, number> {
    const rows = this.rows<{ reason: string; n: number }>(
      "SELECT reason, count(*) AS n FROM skipped GROUP BY reason ORDER BY reason",
    )
    return Object.fromEntries(rows.map((row) => [row.reason, row.n]))
  }
}

/** A file that the user's chunker program was asked to divide into chunks. */
export type DividedFileRow = {
  readonly fileId: number
  /** Name of the program. */
  readonly program: string
  /** Why the file has the chunks of aman's own chunker instead; null if it has those of the program. */
  readonly failure: string | null
}

export class DividedFilesTable extends Table {
  add({ fileId, program, failure }: DividedFileRow): void {
    this.run(
      "INSERT INTO divided_files (file_id, program, failure) VALUES (?, ?, ?)",
      fileId,
      program,
      failure,
    )
  }

  removeFile(fileId: number): void {
    this.run("DELETE FROM divided_files WHERE file_id = ?", fileId)
  }

  /** Number of files for each program and failure. */
  counts(): (Omit<DividedFileRow, "fileId"> & { readonly files: number })[] {
    return this.rows<
      Omit<DividedFileRow, "fileId"> & { files: number }
    >(`SELECT program, failure, count(*) AS files FROM divided_files
         GROUP BY program, failure ORDER BY program, failure`)
  }

  /** All files, sorted by path. */
  all(): (DividedFileRow & { readonly path: string })[] {
    return this.rows<
      DividedFileRow & { path: string }
    >(`SELECT path, file_id AS fileId, program, failure FROM divided_files
         JOIN files ON files.id = file_id ORDER BY path`)
  }
}

/** The texts extracted from the indexed documents, compressed. */
export class DocumentTextsTable extends Table {
  add(fileId: number, text: string): void {
    this.run(
      "INSERT INTO document_texts (file_id, text) VALUES (?, ?)",
      fileId,
      Bun.zstdCompressSync(Buffer.from(text)),
    )
  }

  removeFile(fileId: number): void {
    this.run("DELETE FROM document_texts WHERE file_id = ?", fileId)
  }

  /** The text of the document with this path and hash; null if the index has none or it is damaged. */
  readonly find = (path: string, hash: string): string | null => {
    const row = this.row<{ text: Uint8Array }>(
      `SELECT text FROM document_texts JOIN files ON files.id = file_id WHERE path = ? AND hash = ?`,
      path,
      hash,
    )
    try {
      return row && zstdDecompressSync(row.text, { maxOutputLength: MAX_BYTES }).toString("utf8")
    } catch {
      return null
    }
  }
}

/** More than any text has, so that a damaged row takes no more memory. */
const MAX_BYTES = 256 << 20

/** `paths`: number of paths that contain a word; `stems`: number of these whose file name contains it. */
export type PathWordCount = { readonly paths: number; readonly stems: number }

export class PathWordsTable extends Table {
  /** Adds differences, which may be negative, to the counts. Words that no path contains any more are removed. */
  add(changes: ReadonlyMap<string, PathWordCount>): void {
    const upsert = this.db.query(
      `INSERT INTO path_words (word, paths, stems) VALUES (?, ?, ?)
       ON CONFLICT (word) DO UPDATE SET paths = paths + excluded.paths, stems = stems + excluded.stems`,
    )
    const forget = this.db.query("DELETE FROM path_words WHERE word = ? AND paths <= 0")
    for (const [word, { paths, stems }] of changes) {
      upsert.run(word, paths, stems)
      if (paths < 0) forget.run(word)
    }
  }

  /** Counts of the given words; words that no path contains are left out. */
  counts(words: readonly string[]): Map<string, PathWordCount> {
    const rows = this.rows<PathWordCount & { word: string }>(
      "SELECT word, paths, stems FROM path_words WHERE word IN (SELECT value FROM json_each(?))",
      JSON.stringify(words),
    )
    return new Map(rows.map(({ word, paths, stems }) => [word, { paths, stems }]))
  }

  clear(): void {
    this.run("DELETE FROM path_words")
  }
}

/** What git's history says about the files: packed commits (`src/index/history`), and the commit at which it was read. */
type HistoryRow = {
  /** The commit that was checked out, and the folder of the project in the work tree. */
  readonly source: string
  readonly commits: Uint8Array
  /** Why git failed; null if it did not. */
  readonly failure: string | null
}

export class HistoryTable extends Table {
  /** The `source` of the stored history; null if there is none. Does not read the commits. */
  source(): string | null {
    return this.row<{ source: string }>("SELECT source FROM history")?.source ?? null
  }

  get(): HistoryRow | null {
    return this.row<HistoryRow>("SELECT source, commits, failure FROM history")
  }

  set({ source, commits, failure }: HistoryRow): void {
    this.run(
      "INSERT OR REPLACE INTO history (id, source, commits, failure) VALUES (1, ?, ?, ?)",
      source,
      commits,
      failure,
    )
  }

  clear(): void {
    this.run("DELETE FROM history")
  }
}
