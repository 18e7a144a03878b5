import type { FileHit, KeywordAnswer } from "../src/index/keyword/port.ts"
import type { FileFeatures } from "../src/index/open/file-facts.ts"
import type { ReadChunks } from "../src/search/channels/compare-texts.ts"
import type { CandidateFile } from "../src/search/rank/features.ts"
import type { FileRow } from "../src/store/index/files.ts"
import type { NewSymbol } from "../src/store/index/symbols.ts"
import { lineRange } from "../src/text/files/read-source.ts"

/** Inputs of the ranker with plain or empty values, except for those that the test sets. */
export function hitOf(change: Partial<FileHit> = {}): FileHit {
  return {
    id: 1,
    path: "src/a.ts",
    flags: 0,
    lines: 100,
    chunkCount: 1,
    nameCount: 0,
    score: 0,
    bestChunk: 0,
    topChunks: 0,
    masks: { body: 0, doc: 0, names: 0, stem: 0, dirs: 0, head: 0 },
    stemWords: 1,
    dirWords: 1,
    chunks: [],
    symbols: [],
    ...change,
  }
}

export function factsOf(change: Partial<FileFeatures> = {}): FileFeatures {
  return {
    language: "typescript",
    content: "code",
    stem: "a",
    foldedStem: "a",
    stemWords: ["a"],
    stemTerms: [],
    pathTerms: [],
    folderTerms: [],
    depth: 1,
    flags: 0,
    size: 0,
    isNamedAsProject: false,
    isCatalog: false,
    isTranslation: false,
    isSeed: false,
    stemReferences: 0,
    nameReferences: 0,
    centrality: 0,
    ...change,
  }
}

export function candidateOf(
  hit: Partial<FileHit> = {},
  facts: Partial<FileFeatures> = {},
  change: Partial<CandidateFile> = {},
): CandidateFile {
  return {
    hit: hitOf(hit),
    facts: factsOf(facts),
    exact: 0,
    folded: 0,
    cosine: { best: 0, topThree: 0, file: 0, names: 0, path: 0 },
    fusion: 0,
    siblings: 0,
    ...change,
  }
}

export function answerOf(idf: readonly number[], files: readonly FileHit[] = []): KeywordAnswer {
  const most = (value: (hit: FileHit) => number) => Math.max(1, ...files.map(value))
  return {
    files,
    fileIdf: Float64Array.from(idf),
    chunkIdf: Float64Array.from(idf),
    maxScore: most((hit) => hit.score),
    maxChunk: most((hit) => hit.bestChunk),
    maxTopChunks: most((hit) => hit.topChunks),
    matchedFiles: files.length,
  }
}

export function fileRow(id: number, path: string, change: Partial<FileRow> = {}): FileRow {
  return {
    id,
    path,
    hash: "00000000000000ff",
    size: 100,
    mtimeMs: 1,
    language: "typescript",
    content: "code",
    flags: 0,
    lines: 10,
    method: "tree-sitter",
    degraded: null,
    chunks: 1,
    package: null,
    imports: [],
    names: new Uint8Array(0),
    ...change,
  }
}

export function symbolRow(fileId: number, name: string, change: Partial<NewSymbol> = {}): NewSymbol {
  return {
    fileId,
    ordinal: 0,
    index: 0,
    name,
    kind: "function",
    signature: `function ${name}()`,
    owner: null,
    doc: null,
    startLine: 1,
    endLine: 9,
    local: 0,
    ...change,
  }
}

/** Reads chunks from texts in memory. */
export function chunksIn(textOf: (path: string) => string | null): ReadChunks {
  return ({ path }, chunks) => {
    const text = textOf(path)
    return text === null ? null : chunks.map(({ startLine, endLine }) => lineRange(text, startLine, endLine))
  }
}
