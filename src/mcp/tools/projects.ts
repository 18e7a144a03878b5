import { z } from "zod"
import type { RemovedIndex } from "../../app/index/index-trust.ts"
import type { ListedProject } from "../../app/project/status-project.ts"
import { AmanError } from "../../base/errors.ts"
import { inline } from "../../text/fence.ts"
import { choice, text } from "../../verbs/fields.ts"
import { toolResult, WRITES } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./projects.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const FIELDS = {
  action: choice(["list", "remove"], { text: "Show the index of this project, or remove it", usual: "list" }),
  root: text(4096, { text: "To remove: the project's folder, as in list" }),
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
    .describe("This project, if it is indexed"),
  removed: z.array(
    z.looseObject({ root: z.string(), dir: z.string(), files: z.number(), bytes: z.number() }),
  ),
})

/** Other projects are nothing to a model that works in this one, so only this one is listed and can be removed. */
export function registerProjects(tools: ToolBox, session: Session): void {
  const config = {
    title: "Index of this project",
    description,
    usual: ["action", "root"] as const,
    fields: FIELDS,
    outputSchema: OUTPUT,
    annotations: { ...WRITES, destructiveHint: true },
  }
  tools.register("projects", config, ({ action, root }) =>
    toolResult(async () => {
      const { listProjects, removeProject } = await import("../../app/project/status-project.ts")
      const own = await session.withProject(async (project) => project.root)
      const removed = action === "remove" ? removeProject(requiredRoot(root), "/", own) : []
      const structured = { projects: listProjects(own), removed }
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
  return lines.join("\n") || "This project is not indexed."
}
