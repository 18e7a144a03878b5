import { closeSync, constants, existsSync, lstatSync, openSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { cannotWrite } from "../../base/files/cannot-write.ts"
import { writeNewFile } from "../../base/files/create-file.ts"
import { writeAll } from "../../base/files/files.ts"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { parseJson } from "../formats/json-value.ts"
import type { KnowledgeEvent } from "../log/event.ts"
import { SHARED_FOLDER, type SharedFile, sharedFolderPath } from "./shared-folder.ts"

/** Appends events to this store's file in the shared folder. `former` is the text that the file has so far. */
export function appendShared(
  root: string,
  file: string,
  events: readonly KnowledgeEvent[],
  former: string,
): void {
  if (events.length === 0) return
  using folder = preparedFolder(root)
  const path = join(folder.at, file)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Refused when the file has a second hard link, because the lines would also appear under that name.
  if (stat && (!stat.isFile() || stat.nlink > 1)) throw notOurs(file)
  const lines = events.map(
    ({ id, at, subject, change }) => `${JSON.stringify({ id, at, subject, change })}\n`,
  )
  const start = former === "" || former.endsWith("\n") ? "" : "\n"
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  writeOrExplain(() => appendTo(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, start + lines.join("")))
}

/** Removes the lines about these subjects, except purge marks, from all files; returns how many. */
export function purgeShared(
  root: string,
  files: readonly SharedFile[],
  subjects: ReadonlySet<string>,
): number {
  let removed = 0
  for (const { name, text } of files) {
    const lines = text.split("\n")
    const kept = lines.filter((line) => !isAbout(line, subjects))
    if (kept.length === lines.length) continue
    removed += lines.length - kept.length
    using folder = preparedFolder(root)
    replaceFile(join(folder.at, name), kept.join("\n"))
  }
  return removed
}

function isAbout(line: string, subjects: ReadonlySet<string>): boolean {
  if (![...subjects].some((subject) => line.includes(subject))) return false
  const event = parseJson(line) as KnowledgeEvent | undefined
  return event != null && subjects.has(event.subject) && event.change?.type !== "purged"
}

/** Makes git keep the lines of both sides in a merge and leave line ends unchanged. */
const ATTRIBUTES = "*.jsonl text eol=lf merge=union\n"

const README = `# Shared memory

What is known of this project, written by \`aman memory sync\`: a file a person's store, a line an event, added at the
end. Commit it. Git merges it without conflicts, and every aman that takes part reads it; nobody's does unasked.
`

function preparedFolder(root: string): OpenFolder {
  const path = sharedFolderPath(root) ?? join(root, SHARED_FOLDER)
  const folder = writeOrExplain(() => OpenFolder.open(path, { make: 0o777, isStrict: true }))
  for (const [name, text] of [
    [".gitattributes", ATTRIBUTES],
    ["README.md", README],
  ] as const) {
    const path = join(folder.at, name)
    if (!existsSync(path) && !lstatSync(path, { throwIfNoEntry: false }))
      writeOrExplain(() => writeNewFile(path, text))
  }
  return folder
}

function appendTo(path: string, flags: number, text: string): void {
  const file = openSync(path, flags, 0o644)
  try {
    writeAll(file, Buffer.from(text))
  } finally {
    closeSync(file)
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeOrExplain(() => {
    rmSync(temporary, { recursive: true, force: true })
    try {
      writeNewFile(temporary, text)
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
}

function writeOrExplain<T>(write: () => T): T {
  try {
    return write()
  } catch (cause) {
    throw cannotWrite(
      SHARED_FOLDER,
      cause,
      "the project's folder must be writable; run again: aman memory sync",
    )
  }
}

function notOurs(file: string): AmanError {
  return new AmanError("IO", `${SHARED_FOLDER}/${file} is a link, so it was not written`, {
    hint: "remove it, then run: aman memory sync",
  })
}
