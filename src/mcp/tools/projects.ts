import { z } from "zod"
import type { RemovedIndex } from "../../app/index/remove-index.ts"
import type { ListedProject } from "../../app/project/projects.ts"
import { AmanError } from "../../base/errors.ts"
import { inline } from "../../text/fence.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import description from "./projects.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const INPUT = {
  action: z.enum(["list", "remove"]).default("list").describe("List all, or remove the index of one"),
  root: z
    .string()
    .max(4096)
    .optional()
    .describe("To remove: absolute path of the project's folder, as in list"),
}

const OUTPUT = z.looseObject({
  projects: z
    .array(
      z.looseObject({
        root: z.string(),
        index_dir: z.string(),
        state: z.enum(["ready", "gone"]).describe("gone: the folder is deleted, only its index exists"),
        index_bytes: z.number(),
        created: z.string(),
        last_changed: z.string().nullable(),
      }),
    )
    .describe("Indexed projects, after a removal the remaining ones"),
  removed: z.array(
    z.looseObject({ root: z.string(), dir: z.string(), files: z.number(), bytes: z.number() }),
  ),
})

export function registerProjects(tools: ToolBox): void {
  const config = {
    title: "Indexed projects",
    description,
    usual: ["action", "root"] as const,
    inputSchema: z.strictObject(INPUT),
    outputSchema: OUTPUT,
    annotations: { ...READS_ONLY, readOnlyHint: false, destructiveHint: true },
  }
  tools.register("projects", config, ({ action, root }) =>
    toolResult(async () => {
      const { listProjects, removeProject } = await import("../../app/project/projects.ts")
      const removed = action === "remove" ? removeProject(requiredRoot(root), "/") : []
      const structured = { projects: listProjects(), removed }
      return { text: projectsText(structured), structured }
    }),
  )
}

function requiredRoot(root: string | undefined): string {
  if (root) return root
  throw new AmanError("USAGE", "root is missing", { hint: "give the project's folder as in list" })
}

function projectsText(answer: {
  readonly projects: readonly ListedProject[]
  readonly removed: readonly RemovedIndex[]
}): string {
  const lines = answer.removed.map(
    ({ root, files, bytes }) => `Removed the index of ${inline(root)}: ${files} files, ${bytes} bytes.`,
  )
  for (const { root, state, index_bytes, last_changed } of answer.projects) {
    lines.push(`${inline(root)}: ${state}, ${index_bytes} bytes, changed ${last_changed ?? "never"}`)
  }
  return lines.join("\n") || "No project has been indexed yet."
}
