import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { flateBomb, nestedForms, pdfFile, pdfWithMap } from "../pdf-file.ts"
import { wordFile, zipFile } from "../zip-file.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// A gigabyte and a half in a few kilobytes, in each kind of document that unpacks.
const zeros = new Uint8Array(40 << 20)
const BOMBS = {
  "bomb.pdf": flateBomb(96),
  "bomb.docx": zipFile({ "word/document.xml": zeros }),
  "bomb.odt": zipFile({ "content.xml": zeros }),
  "bomb.xlsx": zipFile({ "xl/worksheets/sheet1.xml": zeros }),
  "bomb.epub": zipFile({ "a.xhtml": zeros }),
}
const TAGS = `<w:document>${"<w:p/>".repeat(2_100_000)}</w:document>`
const COMPLEX = { "forms.pdf": nestedForms(14), "tags.docx": zipFile({ "word/document.xml": TAGS }) }

let space: Workspace
beforeAll(() => {
  space = new Workspace({ "src/a.ts": "export const a = 1\n" })
  for (const [name, bytes] of Object.entries({ ...BOMBS, ...COMPLEX }))
    writeFileSync(join(space.project, name), bytes)
  writeFileSync(join(space.project, "terms.pdf"), pdfFile("Shipping takes eleven weekdays."))
})
afterAll(() => space[Symbol.dispose]())

test("index leaves out documents that unpack without end or take too many steps, and reads the others", async () => {
  const { languages, skipped } = await space.json(["index"])
  expect(languages).toEqual({ typescript: 1, document: 1 })
  expect(skipped).toEqual({ "unpacks too large": 5, "too complex": 2 })
  const { results } = await space.json(["search", '"eleven weekdays"', "--content", "docs"])
  expect(results.map(({ path }: { path: string }) => path)).toEqual(["terms.pdf"])
}, 60_000)

test("reading a document gives the true reason, and the server answers others meanwhile", async () => {
  await using agent = await connect(space)
  let isOver = false
  const reading = agent.call("read", { path: "forms.pdf" }).then((answer) => {
    isOver = true
    return answer
  })
  for (let at = 0; at < 3; at++) await agent.client.ping()
  await agent.call("search", { query: "shipping weekdays", content: "docs" })
  expect(isOver).toBe(false)
  expect(JSON.stringify(await reading)).toContain("is too complex: reading it takes more than 2000000 steps")
  const bomb = JSON.stringify(await agent.call("read", { path: "bomb.pdf" }))
  expect(bomb).toContain("unpacks to more than 128 MiB, or a part of it to more than 32 MiB")
}, 60_000)

test.skipIf(process.platform !== "linux")(
  "memory stays level over four readings of a bomb",
  async () => {
    await using agent = await connect(space)
    const { pid } = agent.client.transport as unknown as { readonly pid: number }
    const residentMb = () =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024
    await agent.call("read", { path: "bomb.docx" })
    const before = residentMb()
    for (let at = 0; at < 4; at++) await agent.call("read", { path: at % 2 === 0 ? "bomb.pdf" : "bomb.docx" })
    expect(residentMb() - before).toBeLessThan(40)
  },
  60_000,
)

test("a document whose memory cannot be counted ends its process, not the server", async () => {
  const ranges = "1 beginbfrange <00000000> <00fffffe> <0041> endbfrange\n".repeat(100)
  const codes = "1 begincodespacerange <00000000> <ffffffff> endcodespacerange\n"
  const map = `begincmap /CMapName /X def ${codes}${ranges}endcmap`
  writeFileSync(join(space.project, "map.pdf"), pdfWithMap(map))
  await using agent = await connect(space)
  expect(JSON.stringify(await agent.call("read", { path: "map.pdf" }))).toContain("takes more memory to read")
  expect(JSON.stringify(await agent.call("read", { path: "terms.pdf" }))).toContain("eleven weekdays")
}, 60_000)

test("a folder of complex documents costs one budget, and status says what it left out", async () => {
  using folder = new Workspace({ "a.ts": "export const a = 1\n" })
  for (let at = 0; at < 12; at++) writeFileSync(join(folder.project, `forms-${at}.pdf`), nestedForms(14))
  writeFileSync(join(folder.project, "rules.docx"), wordFile("Rules", "Refunds within thirty days"))
  const env = { AMAN_DOCUMENT_SECONDS: "1" }
  await folder.run(["index"], { env })
  const { skipped, notices } = await folder.json(["status"])
  expect(skipped["document budget"]).toBeGreaterThan(0)
  expect(skipped["too complex"] + skipped["document budget"]).toBeGreaterThan(11)
  expect(notices.join()).toMatch(
    /\d documents? (?:are|is) not indexed, because reading the others took all of index\.document_seconds/,
  )
}, 60_000)
