import { readFileSync } from "node:fs"
import { join } from "node:path"
import { compareTexts } from "../../../src/base/index.ts"
import type { EmbeddingInput } from "../../../src/index/embed/port.ts"
import { type Embedder, indexProject, openProject } from "../../../src/index/index.ts"
import { readableText } from "../../../src/parse/index.ts"
import type { Store } from "../../../src/store/index.ts"
import { decodeText } from "../../../src/text/index.ts"
import { type LabelledRepository, mean, ndcg } from "./labels.ts"

export type Alone = { readonly category: string; readonly chunk: number; readonly three: number }

type Cosines = { readonly path: string; readonly chunk: number; readonly three: number }

/**
 * NDCG@10 of ranking code files by cosine alone: by a file's best chunk, or by its best three with weights 1,
 * .6, .4.
 */
export async function scoreAlone(
  { root, queries }: LabelledRepository,
  indexDir: string,
  embedder: Embedder,
): Promise<Alone[]> {
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  await indexProject(project)
  const { store } = project.reader()!
  const files: { readonly path: string; readonly vectors: Float32Array }[] = []
  for (const { id, path, content } of store.files.all()) {
    if (content === "code")
      files.push({ path, vectors: await embedder.embedChunks(chunksOf(store, root, id, path)) })
  }
  const scores: Alone[] = []
  for (const { query, category, targets } of queries) {
    const vector = await embedder.embedQuery(query)
    const scored = files.map(({ path, vectors }) => cosinesOf(path, vectors, vector))
    const judge = (by: "chunk" | "three") =>
      ndcg(
        scored
          .toSorted((a, b) => b[by] - a[by] || compareTexts(a.path, b.path))
          .slice(0, 10)
          .map(({ path }) => path),
        targets,
      )
    scores.push({ category, chunk: judge("chunk"), three: judge("three") })
  }
  return scores
}

/** Means over repositories, and for each category over its queries. */
export function meansAlone(
  scores: readonly (readonly Alone[])[],
  by: "chunk" | "three",
): Readonly<Record<string, number>> & { readonly all: number } {
  const meanOf = (list: readonly Alone[]) => mean(list.map((score) => score[by]))
  const categories = Map.groupBy(scores.flat(), ({ category }) => category)
  const byCategory = Object.fromEntries(Array.from(categories, ([name, list]) => [name, meanOf(list)]))
  return { ...byCategory, all: mean(scores.map(meanOf)) }
}

function chunksOf(store: Store, root: string, id: number, path: string): EmbeddingInput[] {
  const source = decodeText(new Uint8Array(readFileSync(join(root, path))))?.text ?? ""
  const rows = readableText(path, source).split("\n")
  const names = Map.groupBy(store.symbols.ofFile(id), ({ ordinal }) => ordinal)
  return store.chunks.ofFile(id).map(({ ordinal, startLine, endLine }) => ({
    text: rows.slice(startLine - 1, endLine).join("\n"),
    names: [...new Set(names.get(ordinal)?.map(({ name }) => name))],
    path,
  }))
}

function cosinesOf(path: string, vectors: Float32Array, query: Float32Array): Cosines {
  const cosines: number[] = []
  for (let at = 0; at < vectors.length; at += query.length)
    cosines.push(query.reduce((sum, value, i) => sum + value * vectors[at + i]!, 0))
  const [best = 0, second = 0, third = 0] = cosines.sort((a, b) => b - a)
  return { path, chunk: best, three: best + 0.6 * second + 0.4 * third }
}
