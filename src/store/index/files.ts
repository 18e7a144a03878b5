import { declaredEncoding, encodingOf, type FileEncoding } from "../../base/index.ts"
import { Table } from "../table.ts"

/** One indexed version of a file. */
export type FileRow = {
  readonly id: number
  /** Relative to the root, with "/" as separator. */
  readonly path: string
  /** xxHash3-64 of the bytes, 16 hexadecimal digits. */
  readonly hash: string
  readonly size: number
  /** `Stats.mtimeMs`, including the fraction. */
  readonly mtimeMs: number
  readonly language: string
  readonly content: string
  readonly flags: number
  readonly lines: number
  readonly method: string
  readonly degraded: string | null
  readonly chunks: number
  readonly package: string | null
  readonly imports: readonly string[]
  /**
   * Hashes of the names that the file defines, without duplicates. Each hash is two 32-bit unsigned integers, high and
   * low, little-endian.
   */
  readonly names: Uint8Array
}

/** The columns of a file that ranking needs. */
export type FileFactsRow = Pick<FileRow, "id" | "size" | "language" | "content" | "flags"> & {
  /**
   * Centrality (see FileRank); null if the names that the file uses are unknown, or if the rank is not computed yet.
   */
  readonly rank: number | null
}

export type PlacedFile = Pick<FileRow, "id" | "path" | "language" | "flags" | "package"> & {
  /** The imports of the file as JSON. They are not parsed, because the imports of most files are never needed. */
  readonly imports: string | null
}

/** The columns of a file that the description of a whole project needs. */
export type FileAmount = Pick<FileRow, "id" | "path" | "size" | "content" | "language" | "flags">

/** The columns that a rescan compares. A tuple, because 50,000 objects would take twice the time. */
export type KnownFile = readonly [
  path: string,
  id: number,
  size: number,
  mtimeMs: number,
  hash: string,
  flags: number,
]

/** Number of files, in one language, whose uses are unknown or incomplete for the same reason. */
export type UnreadFiles = Pick<FileRow, "language" | "method"> & {
  /** Why the files could not be read; null for a language without a grammar. */
  readonly reason: string | null
  readonly files: number
  /** Path of the first of these files in path order. */
  readonly first: string
}

type FileTotals = { readonly files: number; readonly chunks: number; readonly lines: number }

type StoredFileRow = Omit<FileRow, "imports"> & { readonly imports: string | null }

const COLUMNS =
  "id, path, hash, size, mtime_ms AS mtimeMs, language, content, flags, lines, method, degraded, chunks, package, imports, names"

export class FilesTable extends Table {
  /** The lowest id that no file version has ever had. The writer assigns ids from this one on. */
  nextId(): number {
    const row = this.row<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'files'")
    return (row?.seq ?? 0) + 1
  }

  add(files: readonly FileRow[]): void {
    const insert = this.db.query(
      `INSERT INTO files (id, path, hash, size, mtime_ms, language, content, flags, lines, method, degraded, chunks,
       package, imports, names) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const f of files) {
      const imports = f.imports.length === 0 ? null : JSON.stringify(f.imports)
      insert.run(
        ...[f.id, f.path, f.hash, f.size, f.mtimeMs, f.language, f.content, f.flags, f.lines, f.method],
        ...[f.degraded, f.chunks, f.package, imports, f.names],
      )
    }
  }

  /**
   * Stores a new modification time for a file whose content has not changed, so that the next scan need not hash it.
   */
  touch(id: number, size: number, mtimeMs: number): void {
    this.run("UPDATE files SET size = ?, mtime_ms = ? WHERE id = ?", size, mtimeMs, id)
  }

  /**
   * Clears the hashes of files, so that they are indexed again although they have not changed. Call it inside a
   * transaction.
   */
  forgetHashes(ids: readonly number[]): void {
    const forget = this.db.query("UPDATE files SET hash = '' WHERE id = ?")
    for (const id of ids) forget.run(id)
  }

  remove(id: number): void {
    this.run("DELETE FROM files WHERE id = ?", id)
  }

  /** The hash of a file's indexed text; null if there is no such file. */
  hash(id: number): string | null {
    const row = this.row<Pick<FileRow, "hash">>("SELECT hash FROM files WHERE id = ?", id)
    return row?.hash ?? null
  }

  get(id: number): FileRow | null {
    return unpack(this.row<StoredFileRow>(`SELECT ${COLUMNS} FROM files WHERE id = ?`, id))
  }

  /** Reads the rows of many files in one query. 200 single queries would take as long as the rest of a search. */
  facts(ids: readonly number[]): FileFactsRow[] {
    return this.rows<FileFactsRow>(
      `SELECT id, size, language, content, flags, rank FROM files LEFT JOIN centrality ON file_id = id
         WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
  }

  /** Hashes of the names that a file defines (see FileRow); null if there is no such file. */
  names(id: number): Uint8Array | null {
    return this.row<Pick<FileRow, "names">>("SELECT names FROM files WHERE id = ?", id)?.names ?? null
  }

  named(ids: readonly number[]): Pick<FileRow, "id" | "path" | "hash" | "size">[] {
    return this.rows<Pick<FileRow, "id" | "path" | "hash" | "size">>(
      "SELECT id, path, hash, size FROM files WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    )
  }

  /** The columns of files that name resolution needs. */
  placed(ids: readonly number[]): PlacedFile[] {
    return this.rows<PlacedFile>(
      `SELECT id, path, language, flags, package, imports FROM files
         WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
  }

  /** Languages of code files that could not be parsed, so that the uses in them are unknown. */
  unreadLanguages(): ReadonlySet<string> {
    return new Set(
      this.column<string>(`SELECT DISTINCT language FROM files WHERE content = 'code' AND degraded IS NOT NULL
           AND id NOT IN (SELECT file_id FROM uses)`),
    )
  }

  /**
   * Groups of code files whose uses are unknown (because they were chunked without a syntax tree) or incomplete, by
   * language and reason.
   */
  unread(): UnreadFiles[] {
    return this.rows<UnreadFiles>(`SELECT language, degraded AS reason, method, count(*) AS files, min(path) AS first FROM files
         WHERE content = 'code' AND (degraded IS NOT NULL OR method <> 'tree-sitter')
         GROUP BY language, degraded, method`)
  }

  /** Paths of the first files in a group that `unread` returned. */
  unreadPaths({ language, reason, method }: Omit<UnreadFiles, "files" | "first">, limit: number): string[] {
    return this.column<string>(
      `SELECT path FROM files
         WHERE content = 'code' AND (degraded IS NOT NULL OR method <> 'tree-sitter')
           AND language = ? AND degraded IS ? AND method = ? ORDER BY path LIMIT ?`,
      language,
      reason,
      method,
      limit,
    )
  }

  /** Paths that match one of these GLOB patterns, unsorted. In SQLite's GLOB, `*` also matches "/". */
  matching(globs: readonly string[]): string[] {
    return this.column<string>(
      `SELECT path FROM files WHERE ${globs.map(() => "path GLOB ?").join(" OR ")}`,
      ...globs,
    )
  }

  has(path: string): boolean {
    return this.row("SELECT 1 FROM files WHERE path = ?", path) !== null
  }

  /** True when a file of the folder or of one below has a row. */
  hasBelow(folder: string): boolean {
    return (
      this.row("SELECT 1 FROM files WHERE path >= ? AND path < ? LIMIT 1", `${folder}/`, `${folder}0`) !==
      null
    )
  }

  /** The package that the files directly in a folder name, test files left out; null when none names one. */
  packageIn(folder: string): string | null {
    const below = folder === "." ? "" : `${folder}/`
    const row = this.row<{ package: string }>(
      `SELECT package FROM files WHERE path >= ? AND path < ? AND package IS NOT NULL
         AND instr(substr(path, ?), '/') = 0 AND path NOT GLOB '*_test.*' LIMIT 1`,
      ...[below, `${below}\u{10ffff}`, below.length + 1],
    )
    return row?.package ?? null
  }

  /** The encoding in which a file with this hash was read, or as which attributes declare another; null for UTF-8. */
  encoding(path: string, hash: string): FileEncoding | null {
    const row = this.row<{ hash: string; flags: number }>(
      "SELECT hash, flags FROM files WHERE path = ?",
      path,
    )
    if (row === null) return null
    return (row.hash === hash ? encodingOf(row.flags) : null) ?? declaredEncoding(row.flags)
  }

  byPath(path: string): FileRow | null {
    return unpack(this.row<StoredFileRow>(`SELECT ${COLUMNS} FROM files WHERE path = ?`, path))
  }

  /** All files, sorted by path. */
  all(): FileRow[] {
    return this.rows<StoredFileRow>(`SELECT ${COLUMNS} FROM files ORDER BY path`).map(unpackRow)
  }

  /** At most `limit` files whose paths come after `path` in path order. */
  after(path: string, limit: number): { path: string; size: number; language: string }[] {
    return this.rows<{ path: string; size: number; language: string }>(
      "SELECT path, size, language FROM files WHERE path > ? ORDER BY path LIMIT ?",
      path,
      limit,
    )
  }

  /**
   * Paths that contain the text, ignoring case. First come those where the text follows a "/", and short paths come
   * before long ones.
   */
  pathsWith(text: string, limit: number): string[] {
    return this.column<string>(
      `SELECT path FROM files WHERE instr(lower(path), ?1) > 0
         ORDER BY instr(lower(path), ?3) = 0, length(path), path LIMIT ?2`,
      text.toLowerCase(),
      limit,
      `/${text.toLowerCase()}`,
    )
  }

  known(): KnownFile[] {
    return this.tuples<KnownFile>("SELECT path, id, size, mtime_ms, hash, flags FROM files")
  }

  amounts(): FileAmount[] {
    return this.rows<FileAmount>("SELECT id, path, size, content, language, flags FROM files")
  }

  /** The columns of all files that the map of a project shows. `rank` is the centrality; null if it is unknown. */
  sizes(): (FileAmount & Pick<FileRow, "lines" | "mtimeMs"> & { readonly rank: number | null })[] {
    return this.rows<FileAmount & Pick<FileRow, "lines" | "mtimeMs"> & { readonly rank: number | null }>(
      `SELECT id, path, size, content, language, flags, lines, mtime_ms AS mtimeMs, rank
         FROM files LEFT JOIN centrality ON file_id = id`,
    )
  }

  /** Ids and paths of all files, sorted by path. */
  paths(): [id: number, path: string][] {
    return this.tuples<[number, string]>("SELECT id, path FROM files ORDER BY path")
  }

  /** The given ids, sorted by the path of their files. */
  byPaths(ids: readonly number[]): number[] {
    return this.column<number>(
      "SELECT id FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path",
      JSON.stringify(ids),
    )
  }

  ids(): number[] {
    return this.column<number>("SELECT id FROM files")
  }

  /**
   * Ids of files that have any of these languages and any of these kinds of content. An empty list means any language
   * or content.
   */
  idsWhere(wanted: {
    readonly languages: readonly string[]
    readonly contents: readonly string[]
  }): number[] {
    return this.column<number>(
      `SELECT id FROM files WHERE (?1 = '[]' OR language IN (SELECT value FROM json_each(?1)))
         AND (?2 = '[]' OR content IN (SELECT value FROM json_each(?2)))`,
      JSON.stringify(wanted.languages),
      JSON.stringify(wanted.contents),
    )
  }

  /** Ids of the files that were chunked by a fallback method for this reason. */
  degradedBy(reason: string): number[] {
    return this.column<number>("SELECT id FROM files WHERE degraded = ?", reason)
  }

  /** Ids of the files in these languages. */
  inLanguages(languages: readonly string[]): number[] {
    return this.column<number>(
      "SELECT id FROM files WHERE language IN (SELECT value FROM json_each(?))",
      JSON.stringify(languages),
    )
  }

  /** Ids of office documents and e-books. Takes microseconds. */
  documentIds(): number[] {
    return this.column<number>("SELECT id FROM files WHERE language = 'document'")
  }

  /** For each reason and fallback method, the number of files that were chunked that way, largest number first. */
  degradations(): { readonly reason: string; readonly method: string; readonly files: number }[] {
    return this.rows<{
      reason: string
      method: string
      files: number
    }>(`SELECT degraded AS reason, method, count(*) AS files FROM files WHERE degraded IS NOT NULL
         GROUP BY degraded, method ORDER BY files DESC, reason`)
  }

  /** Number of files for each combination of flags. */
  flagCounts(): { flags: number; files: number }[] {
    return this.rows<{ flags: number; files: number }>(
      "SELECT flags, count(*) AS files FROM files GROUP BY flags ORDER BY flags",
    )
  }

  /** Paths and flags of the first files, by path, with one of these flags. */
  withFlags(flags: number, limit: number): { path: string; flags: number }[] {
    return this.rows("SELECT path, flags FROM files WHERE flags & ? <> 0 ORDER BY path LIMIT ?", flags, limit)
  }

  /** Number of files with this id or a higher one. */
  countFrom(id: number): number {
    return this.row<{ n: number }>("SELECT count(*) AS n FROM files WHERE id >= ?", id)!.n
  }

  totals(): FileTotals {
    return this.row<FileTotals>("SELECT files, chunks, lines FROM totals")!
  }

  /** Files and chunks for each language, most files first. */
  languages(): { readonly language: string; readonly files: number; readonly chunks: number }[] {
    return this.rows<{
      language: string
      files: number
      chunks: number
    }>(`SELECT language, count(*) AS files, sum(chunks) AS chunks FROM files
         GROUP BY language ORDER BY files DESC, language`)
  }
}

function unpack(raw: StoredFileRow | null): FileRow | null {
  return raw === null ? null : unpackRow(raw)
}

function unpackRow(raw: StoredFileRow): FileRow {
  return { ...raw, imports: raw.imports === null ? [] : (JSON.parse(raw.imports) as string[]) }
}
