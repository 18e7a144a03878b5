import { afterEach, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { dirname, join, parse } from "node:path"
import { REQUEST, TempProject } from "../../../test/temp-project.ts"
import type { AmanError } from "../../base/errors.ts"
import { ServedProject } from "./served-project.ts"

let project: TempProject
let served: ServedProject[]

beforeEach(() => {
  served = []
  project = new TempProject({ "map.txt": "The treasure is buried.\n", "ship.txt": "The ship sails.\n" })
})
afterEach(async () => {
  for (const each of served.splice(0)) await each.close()
  project[Symbol.dispose]()
})

function serve(): ServedProject {
  const server = new ServedProject({ root: project.root, cwd: project.root, "index.workers": 1 })
  served.push(server)
  return server
}

async function end(server: ServedProject): Promise<void> {
  served.splice(served.indexOf(server), 1)
  await server.close()
}

const ask = (server: ServedProject, query: string) =>
  server
    .search({ ...REQUEST, query, mode: "keyword" })
    .then(({ results }) => results.map((found) => found.text))

/**
 * Repeats the question until the answer is as wanted; the test's time limit ends the repetition if it never is.
 */
async function until<T>(act: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await act()
    if (isWanted(value)) return value
    await Bun.sleep(20)
  }
}

const ready = (server: ServedProject) =>
  until(
    () => server.status(),
    (status) => status.state === "ready",
  )

test("indexes in the background and answers", async () => {
  const server = serve()
  expect(await ready(server)).toMatchObject({ files: 2, state: "ready", notices: [] })
  expect(await ask(server, "treasure")).toEqual(["The treasure is buried."])
  expect((await server.read({ path: "ship.txt" })).text).toBe("The ship sails.")
})

test("answers an early query from the partial index", async () => {
  const answer = await serve().search({ ...REQUEST, query: "treasure", mode: "keyword" })
  expect(answer.results.length === 1 || answer.partial !== null).toBe(true)
})

test("soon answers from edited, new and deleted files, and never shows outdated text", async () => {
  const server = serve()
  await ready(server)
  project.write("map.txt", "The treasure was moved.\n")
  project.write("chest.txt", "An empty chest, no treasure.\n")
  const wanted = ["An empty chest, no treasure.", "The treasure was moved."]
  await until(
    async () => {
      const texts = await ask(server, "treasure")
      expect(texts).not.toContain("The treasure is buried.")
      return texts.sort()
    },
    (texts) => Bun.deepEquals(texts, wanted),
  )
  project.remove("chest.txt")
  await until(
    () => ask(server, "treasure"),
    (texts) => Bun.deepEquals(texts, ["The treasure was moved."]),
  )
})

test("a command beside a server waits until the server has indexed its edits", async () => {
  await ready(serve())
  project.write("map.txt", "The treasure was moved.\n")
  expect(await project.index()).toMatchObject({ files: 2, changed: 0 })
  expect((await project.search("treasure moved")).results[0]!.text).toBe("The treasure was moved.")
})

test("one of two servers leads; the other answers from its index and takes over when it ends", async () => {
  const first = serve()
  await ready(first)
  const second = serve()
  expect(await ask(second, "treasure")).toEqual(["The treasure is buried."])
  await end(first)
  project.write("map.txt", "The treasure was moved.\n")
  await until(
    () => ask(second, "treasure moved"),
    (texts) => texts[0] === "The treasure was moved.",
  )
})

test("a leader whose lock file is removed steps down, and leads again if no other process does", async () => {
  const server = serve()
  await ready(server)
  rmSync(join(project.root, ".aman/lock.db"))
  project.write("map.txt", "The treasure was moved.\n")
  await until(
    () => ask(server, "treasure moved"),
    (texts) => texts[0] === "The treasure was moved.",
  )
})

test("starts outside a project, and every call says how to name one", async () => {
  const server = new ServedProject({ cwd: parse(dirname(project.root)).root })
  served.push(server)
  const asked = [server.search(REQUEST), server.read({ path: "a" }), server.status()]
  for (const result of await Promise.allSettled(asked)) {
    const error = result.status === "rejected" ? (result.reason as AmanError) : null
    expect([error?.code, error?.hint]).toEqual(["NO_ROOT", expect.stringContaining("--root")])
  }
})

test("ends when it is closed right after the start", async () => {
  await end(serve())
  const again = serve()
  expect(await ready(again)).toMatchObject({ files: 2 })
})
