import { afterAll, afterEach, beforeAll } from "bun:test"
import { Workspace } from "./harness.ts"

/** Closes after each test what the file's tests opened: `const opened = closing()`, then `opened(new Workspace())`. */
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

/** A project that all tests of a file read: indexed before the first, gone after the last. */
export function indexedOnce(files: Readonly<Record<string, string>>): () => Workspace {
  let space: Workspace
  beforeAll(async () => {
    space = new Workspace(files)
    await space.json(["index"])
  })
  afterAll(() => space[Symbol.dispose]())
  return () => space
}
