import { readFileSync } from "node:fs"
import { join } from "node:path"

export const project: string = join(import.meta.dir, "..", "..")

const { name, version, description, license } = JSON.parse(
  readFileSync(join(project, "package.json"), "utf8"),
) as Readonly<Record<"name" | "version" | "description" | "license", string>>

/** Facts about the program for every package, listing and manifest. */
export const PRODUCT = {
  name,
  version,
  description,
  license,
  title: "aman: code search and memory",
} as const

/** "owner/name" of the repository on GitHub with the releases. Known in a workflow; elsewhere a placeholder. */
export function repository(): string {
  return process.env["GITHUB_REPOSITORY"] ?? "OWNER/aman"
}
