import { readFileSync } from "node:fs"
import { join } from "node:path"

export const project: string = join(import.meta.dir, "..", "..")

const { name, version, description, license } = JSON.parse(
  readFileSync(join(project, "package.json"), "utf8"),
) as Readonly<Record<"name" | "version" | "description" | "license", string>>

/** What every package, listing and manifest says of the program. */
export const PRODUCT = {
  name,
  version,
  description,
  license,
  title: "aman: code search and memory",
} as const

/** "owner/name" on GitHub, where releases are: a workflow knows it, the sources do not. */
export function repository(): string {
  return process.env["GITHUB_REPOSITORY"] ?? "OWNER/aman"
}
