import { DECLARED_FLAGS } from "./file-encoding.ts"

/**
 * Roles of a file, derived from its path and its first lines. A file may have several. The numbers are stored in
 * indexes, so their meaning must never change. They are defined here because both indexing, which sets them, and
 * ranking, which weighs them, use them.
 */
export const FILE_FLAG = {
  test: 1,
  example: 2,
  generated: 4,
  bench: 8,
  docs: 16,
  vendored: 32,
  /** Type declarations without code: `*.d.ts`, `*.pyi`. */
  declaration: 64,
  /** Code that only keeps older versions or other systems working: shims, polyfills, deprecated interfaces. */
  compat: 128,
  scripts: 256,
  /** A committed file in a folder that a build usually creates, such as `dist`. */
  output: 512,
  /** Set by `.gitattributes`, which overrides aman's own classification: `linguist-generated` and so on. */
  markedGenerated: 1024,
  markedVendored: 2048,
  markedDocs: 4096,
  /** Also set by `.gitattributes`: `-linguist-generated` and so on. */
  deniedGenerated: 8192,
  deniedVendored: 16384,
  deniedDocs: 32768,
  /** A page or search index that a documentation generator wrote; `generated` is also set. */
  generatedDocs: 65536,
  // From bit 17 on: the encodings in file-encoding.ts.
} as const

/** The flags that `.gitattributes` and `.editorconfig` can set. */
export const ATTRIBUTE_FLAGS: number =
  FILE_FLAG.markedGenerated |
  FILE_FLAG.markedVendored |
  FILE_FLAG.markedDocs |
  FILE_FLAG.deniedGenerated |
  FILE_FLAG.deniedVendored |
  FILE_FLAG.deniedDocs |
  DECLARED_FLAGS

/** Flags of files that support the main code, such as examples, documentation, scripts and third-party code. */
export const SUPPORTING_FLAGS: number =
  FILE_FLAG.example |
  FILE_FLAG.bench |
  FILE_FLAG.docs |
  FILE_FLAG.vendored |
  FILE_FLAG.declaration |
  FILE_FLAG.compat |
  FILE_FLAG.scripts |
  FILE_FLAG.output

/** Flags of files that do not belong to the main code. */
export const NOT_MAIN_FLAGS: number = SUPPORTING_FLAGS | FILE_FLAG.test | FILE_FLAG.generated
