import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { cannotWrite } from "../../base/cannot-write.ts"
import { AmanError } from "../../base/errors.ts"
import type { KnowledgeEvent } from "../event.ts"
import { parseJson } from "./json-value.ts"
import { SHARED_FOLDER, type SharedFile, sharedFolderPath } from "./shared-folder.ts"

/** Adds lines to the file of this store, at its end. */
export function appendShared(
  root: string,
  file: string,
  events: readonly KnowledgeEvent[],
  former: string,
): void {
  if (events.length === 0) return
  const folder = preparedFolder(root)
  const path = join(folder, file)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Two names of one file: what we add would stand elsewhere, too.
  if (stat && (!stat.isFile() || stat.nlink > 1)) throw notOurs(file)
  const lines = events.map(
    ({ id, at, subject, change }) => `${JSON.stringify({ id, at, subject, change })}\n`,
  )
  const start = former === "" || former.endsWith("\n") ? "" : "\n"
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  act(() => appendTo(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, start + lines.join("")))
}

/** Takes the lines about these subjects out of all files, but for the marks that they were purged. */
export function purgeShared(
  root: string,
  files: readonly SharedFile[],
  subjects: ReadonlySet<string>,
): number {
  let gone = 0
  for (const { name, text } of files) {
    const lines = text.split("\n")
    const kept = lines.filter((line) => !isAbout(line, subjects))
    if (kept.length === lines.length) continue
    gone += lines.length - kept.length
    replaceFile(join(preparedFolder(root), name), kept.join("\n"))
  }
  return gone
}

function isAbout(line: string, subjects: ReadonlySet<string>): boolean {
  if (![...subjects].some((subject) => line.includes(subject))) return false
  const event = parseJson(line) as KnowledgeEvent | undefined
  return event != null && subjects.has(event.subject) && event.change?.type !== "purged"
}

/** So that git puts the lines of both sides together where it merges, and leaves their ends as they are. */
const ATTRIBUTES = "*.jsonl text eol=lf merge=union\n"
const README = `# Shared memory

What is known of this project, written by \`aman memory sync\`: a file a person's store, a line an event, added at the
end. Commit it. Git merges it without conflicts, and every aman that takes part reads it; nobody's does unasked.
`

function preparedFolder(root: string): string {
  const folder = sharedFolderPath(root) ?? join(root, SHARED_FOLDER)
  act(() => mkdirSync(folder, { recursive: true }))
  for (const [name, text] of [
    [".gitattributes", ATTRIBUTES],
    ["README.md", README],
  ] as const) {
    const path = join(folder, name)
    if (!existsSync(path) && !lstatSync(path, { throwIfNoEntry: false }))
      act(() => writeFileSync(path, text, { flag: "wx" }))
  }
  return folder
}

function appendTo(path: string, flags: number, text: string): void {
  const file = openSync(path, flags, 0o644)
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  act(() => {
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flag: "wx" })
    renameSync(temporary, path)
  })
}

function act(write: () => void): void {
  try {
    write()
  } catch (cause) {
    throw cannotWrite(
      SHARED_FOLDER,
      cause,
      "the project's folder must be writable; run again: aman memory sync",
    )
  }
}

function notOurs(file: string): AmanError {
  return new AmanError("IO", `${SHARED_FOLDER}/${file} is a link, not a file of its own; it is not written`, {
    hint: "remove it, then run: aman memory sync",
  })
}
