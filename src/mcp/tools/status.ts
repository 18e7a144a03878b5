import { z } from "zod"
import type { StatusAnswer } from "../../app/answers.ts"
import type { SkippedPath } from "../../app/project/status-project.ts"
import { inline } from "../../text/fence.ts"
import { STATUS as STATUS_FIELDS } from "../../verbs/code.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./status.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const COUNTS = z.record(z.string(), z.number())

const STATUS = z.looseObject({
  root: z.string(),
  project: z.looseObject({ type: z.string(), source_folders: z.array(z.string()) }),
  state: z.enum(["missing", "indexing", "ready"]),
  files: z.number(),
  chunks: z.number(),
  languages: COUNTS.describe("Files per language"),
  skipped: COUNTS.describe("Files left out, by reason"),
  ranked_down: COUNTS.describe("Indexed files that rank lower, by kind"),
  chunkers: z
    .record(z.string(), z.object({ files: z.number(), failed: z.number() }))
    .optional()
    .describe("Files divided by the user's chunker program, and files for which it failed"),
  generation: z.number(),
  index_bytes: z.number(),
  embedding: z.looseObject({
    provider: z.string(),
    model: z.string(),
    dimensions: z.number(),
    quantization: z.string(),
    share: z.number().describe("Share of the chunks that have a vector"),
    other: z
      .looseObject({
        provider: z.string(),
        model: z.string(),
        dimensions: z.number(),
        share: z.number(),
        serves: z.boolean().describe("True if queries use it; otherwise they use the built-in vectors"),
      })
      .nullable()
      .describe("The configured embedder, besides the built-in one"),
  }),
  memory: z.looseObject({ limit_bytes: z.number(), resident_bytes: z.number() }),
  progress: z.looseObject({ phase: z.string(), done: z.number(), total: z.number() }).nullable(),
  leader: z
    .enum(["this process", "another process", "nobody", "unknown"])
    .describe("Which process watches the project and updates the index"),
  pending: z.number().nullable().describe("Changed files that are not indexed yet; null: not counted"),
  last_indexed: z.string().nullable().describe("When the index last changed"),
  notices: z.array(z.string()).describe("Current degradations, each with its remedy"),
})

const OUTPUT = STATUS.partial().extend({
  skipped_files: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .describe("Only if they were asked for, then without the other fields; the first of skipped_count"),
  skipped_count: z.number().optional(),
})

/** Max files in the list of files that are not indexed. */
const MAX_SKIPPED = 200

export function registerStatus(tools: ToolBox, session: Session): void {
  const config = {
    title: "State of the index",
    description,
    usual: [] as const,
    fields: STATUS_FIELDS,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("status", config, ({ skipped }) =>
    toolResult(async () => {
      if (skipped !== undefined && skipped !== false) {
        const reason = skipped === true ? undefined : skipped
        return skippedAnswer(await session.withProject((project) => project.skipped(reason)))
      }
      const own = await session.withProject((project) => project.status())
      const status = { ...own, notices: [...own.notices, ...(await session.folderNotices())] }
      return { text: statusText(status), structured: status }
    }),
  )
}

function skippedAnswer(all: readonly SkippedPath[]) {
  const shown = all.slice(0, MAX_SKIPPED)
  const lines = [...Map.groupBy(shown, ({ reason }) => reason)].map(
    ([reason, files]) => `${reason}: ${files.map(({ path }) => inline(path)).join(", ")}`,
  )
  const more = all.length - shown.length
  if (more > 0) lines.push(`… ${more} more; pass one of the reasons of status as "skipped"`)
  return {
    text: lines.join("\n") || "Nothing is skipped.",
    structured: { skipped_files: shown, skipped_count: all.length },
  }
}

function statusText(status: StatusAnswer): string {
  const { root, project, state, files, chunks, progress, embedding, notices } = status
  const lines = [
    `${inline(root)}: ${project.type}${project.source_folders.length > 0 ? `, sources in ${project.source_folders.map(inline).join(", ")}` : ""}`,
    `index ${state}: ${files} files, ${chunks} chunks, generation ${status.generation}, last indexed ${status.last_indexed ?? "never"}`,
  ]
  lines.push(`watched by ${status.leader}${pendingText(status)}`)
  if (progress) lines.push(`now: ${progress.phase} ${progress.done} of ${progress.total}`)
  lines.push(`languages: ${largestCounts(status.languages)}`, `skipped: ${largestCounts(status.skipped)}`)
  lines.push(
    `vectors: ${embedding.provider} ${embedding.model}, ${Math.floor(embedding.share * 100)} % of the chunks`,
  )
  for (const [program, { files, failed }] of Object.entries(status.chunkers ?? {}))
    lines.push(`chunker: ${inline(program)} divided ${files} files, failed for ${failed}`)
  const { other } = embedding
  if (other !== null)
    lines.push(
      `model: ${other.provider} ${other.model}, ${Math.floor(other.share * 100)} % of the chunks, ${other.serves ? "answers" : "the built-in vectors serve meanwhile"}`,
    )
  return [...lines, ...notices.map((notice) => `Note: ${notice}`)].join("\n")
}

function pendingText({ state, pending }: StatusAnswer): string {
  if (state === "missing" || pending === 0) return ""
  return pending === null ? "" : `; ${pending} files changed but not indexed yet`
}

function largestCounts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1])
  return entries.map(([name, count]) => `${name} ${count}`).join(", ") || "none"
}
