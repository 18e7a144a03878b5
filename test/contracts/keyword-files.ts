import type { KeywordFile } from "../../src/index/keyword/port.ts"

/** A file as a test describes it; its text, offsets and lines are computed. */
export type Sketch = {
  readonly path: string
  readonly chunks: readonly {
    readonly doc?: string
    readonly body?: string
    readonly names?: readonly string[]
  }[]
  readonly flags?: number
}

/** A file whose chunks have one comment line and one code line each. */
export function keywordFile(id: number, { path, chunks, flags = 0 }: Sketch): KeywordFile {
  const comments: number[] = []
  let text = ""
  const placed = chunks.map(({ doc = "", body = "", names = [] }, i) => {
    const start = text.length
    text += `${doc}\n${body}\n`
    if (doc !== "") comments.push(start, start + doc.length)
    const symbols = names.map((name) => ({ name }))
    return { start, end: text.length, startLine: i * 2 + 1, endLine: i * 2 + 2, symbols }
  })
  return {
    id,
    path,
    text,
    lines: chunks.length * 2,
    flags,
    comments: Uint32Array.from(comments),
    chunks: placed,
  }
}
