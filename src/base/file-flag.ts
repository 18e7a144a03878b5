/**
 * What a file's place and head say about its role; a file may have several. The numbers are stored in indexes, so
 * they never change their meaning. Both sides of the index need them: one sets them, the other weighs them.
 */
export const FILE_FLAG = {
  test: 1,
  example: 2,
  generated: 4,
  bench: 8,
  docs: 16,
  vendored: 32,
  /** Types without code: `*.d.ts`, `*.pyi`. */
  declaration: 64,
  compat: 128,
  scripts: 256,
  /** In a folder that is usually made by a build, and was committed. */
  output: 512,
  /** What `.gitattributes` says, over what we think; each is none of ours to find. */
  saidGenerated: 1024,
  saidVendored: 2048,
  saidDocs: 4096,
  deniedGenerated: 8192,
  deniedVendored: 16384,
  deniedDocs: 32768,
} as const

/** All that `.gitattributes` may say. */
export const SAID: number =
  FILE_FLAG.saidGenerated |
  FILE_FLAG.saidVendored |
  FILE_FLAG.saidDocs |
  FILE_FLAG.deniedGenerated |
  FILE_FLAG.deniedVendored |
  FILE_FLAG.deniedDocs

/** Any of these: beside the project proper, though written for it. */
export const ASIDE: number =
  FILE_FLAG.example |
  FILE_FLAG.bench |
  FILE_FLAG.docs |
  FILE_FLAG.vendored |
  FILE_FLAG.declaration |
  FILE_FLAG.compat |
  FILE_FLAG.scripts |
  FILE_FLAG.output

/** Any of these: no part of what a project's people write as the project itself. */
export const BESIDE: number = ASIDE | FILE_FLAG.test | FILE_FLAG.generated
