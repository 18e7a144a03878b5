import { expect, test } from "bun:test"
import { TempProject } from "../../../test/temp-project.ts"
import { chunkReader } from "./chunk-texts.ts"

const FIRST = { ordinal: 0, startLine: 1, endLine: 2 }
const SECOND = { ordinal: 1, startLine: 3, endLine: 4 }
const FILE = { id: 7, path: "src/a.ts" }

test("reads each chunk once for all searches, and gives the texts in the order asked for", async () => {
  using project = new TempProject({ "src/a.ts": "" })
  await project.index()
  const { store } = project.open().reader()!
  const read: number[][] = []
  const reader = () =>
    chunkReader(store, (_, ranges) => {
      read.push(ranges.map(({ first }) => first))
      return ranges.map(({ first, last }) => `${first}-${last}`)
    })
  expect(reader()(FILE, [SECOND])).toEqual(["3-4"])
  expect(reader()(FILE, [SECOND, FIRST])).toEqual(["3-4", "1-2"])
  expect(reader()(FILE, [FIRST, SECOND])).toEqual(["1-2", "3-4"])
  expect(reader()({ ...FILE, id: 8 }, [SECOND, FIRST])).toEqual(["3-4", "1-2"])
  expect(read).toEqual([[3], [1], [1, 3]])
})

test("returns null for a file that cannot be read, and tries again in the next search", async () => {
  using project = new TempProject({ "src/a.ts": "" })
  await project.index()
  const { store } = project.open().reader()!
  const answers = [null, ["text"]]
  const reader = chunkReader(store, () => answers.shift()!)
  expect(reader(FILE, [FIRST])).toBeNull()
  expect(reader(FILE, [FIRST])).toEqual(["text"])
})
