import { statSync } from "node:fs"
import { AmanError, type CheckResult } from "../../base/index.ts"
import {
  foreignIndexIn,
  indexNotices,
  indexPath,
  type Project,
  readState,
  whyEmpty,
} from "../../index/index.ts"
import { verifyDerived } from "../../store/index.ts"

const name = "index"

/** Checks that the project's index exists, is ours, complete and undamaged. */
export function checkIndex(project: Project): CheckResult[] {
  const { dir } = project.config.index
  try {
    const reader = project.reader()
    if (reader === null) return [absent(project)]
    const { store } = reader
    if (!store.isSound() || store.derived.all().some((row) => verifyDerived(dir, row) === null)) {
      return [damaged(dir)]
    }
    const { state, total } = readState(store)
    const { files, chunks } = store.files.totals()
    const message = `${files} files, ${chunks} chunks in ${dir}`
    const notices = [...indexNotices(store), ...whyEmpty(project.root, store)].map(
      (notice): CheckResult => ({ name, state: "warning", message: notice, next: null }),
    )
    if (state === "ready") return [{ name, state: "ok", message, next: null }, ...notices]
    const next = "wait until indexing ends, or run: aman index"
    return [
      { name, state: "warning", message: `not complete yet: ${message}, of ${total}`, next },
      ...notices,
    ]
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    if (error.code === "INDEX_CORRUPT") return [damaged(dir)]
    return [{ name, state: "error", message: error.message, next: error.hint ?? null }]
  }
}

function absent({ root, config }: Project): CheckResult {
  const { dir } = config.index
  // An empty file is no index: it was created but not written, as on a full disk.
  const isThere = (statSync(indexPath(dir), { throwIfNoEntry: false })?.size ?? 0) > 0
  const foreign = isThere ? dir : foreignIndexIn(root)
  const message =
    foreign !== null ? `the index in ${foreign} was not built by your aman, so it is ignored` : "none yet"
  return { name, state: "warning", message, next: "run: aman index" }
}

function damaged(dir: string): CheckResult {
  return { name, state: "error", message: `the index in ${dir} is damaged`, next: "run: aman index" }
}
