import { afterAll, afterEach, beforeAll } from "bun:test"
import { Workspace } from "./harness.ts"

/**
 * Returns a function that registers what a test opens, to be closed after the test: `const opened =
 * closing()`, then `opened(new Workspace())`.
 */
export function closing(): <T extends Disposable>(thing: T) => T {
  const open: Disposable[] = []
  afterEach(() => {
    for (const one of open.splice(0)) one[Symbol.dispose]()
  })
  return (thing) => {
    open.push(thing)
    return thing
  }
}

/**
 * A project that all tests of a file read. It is indexed before the first test and removed after the last.
 */
export function indexedOnce(files: Readonly<Record<string, string>>): () => Workspace {
  let space: Workspace
  beforeAll(async () => {
    space = new Workspace(files)
    await space.json(["index"])
  })
  afterAll(() => space[Symbol.dispose]())
  return () => space
}
