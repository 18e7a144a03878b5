import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pdfFile } from "../pdf-file.ts"
import { wordFile } from "../zip-file.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

let space: Workspace
beforeAll(async () => {
  space = new Workspace({
    "src/refund.ts":
      "/** Refund rules. */\nexport function refundWithin(days: number) {\n  return days <= 30\n}\n",
  })
  const paragraphs = ["Refunds are paid back within thirty days.", "The goodwill clause needs a director."]
  writeFileSync(join(space.project, "rules.docx"), wordFile("Refund rules", ...paragraphs))
  writeFileSync(join(space.project, "broken.docx"), "no archive")
  writeFileSync(
    join(space.project, "offer.pdf"),
    pdfFile("Delivery terms", "Shipping takes eleven weekdays."),
  )
  await space.json(["index"])
})
afterAll(() => space[Symbol.dispose]())

const pathsOf = async (...args: string[]) => {
  const { results } = await space.json(["search", ...args])
  return results.map(({ path }: { path: string }) => path)
}

test("a document is found where documents are asked for, and not by a question about code", async () => {
  const question = "refund goodwill clause director"
  expect(await pathsOf(question)).not.toContain("rules.docx")
  for (const asked of [
    ["--content", "docs"],
    ["--lang", "document"],
    ["--path", "rules.docx"],
  ])
    expect({ asked, first: (await pathsOf(question, ...asked))[0] }).toEqual({ asked, first: "rules.docx" })
  expect(await pathsOf(`${question} file:rules.docx`)).toEqual(["rules.docx"])
  const { stdout } = await space.run(["search", question, "--content", "docs", "--full"])
  expect(stdout).toContain("The goodwill clause needs a director.")
})

test("where nothing else has a word of the query, the answer says that documents were not searched", async () => {
  const notices = async (...args: string[]) => (await space.json(["search", ...args])).notices.join("; ")
  const said = await notices("shipping weekdays")
  expect(said).toContain("no word of the query occurs in the searched files")
  expect(said).toContain('2 documents were not searched; the content "docs" finds documents, too')
  expect(await notices("refund")).toBe("")
  expect(await notices("shipping", "--content", "docs")).not.toContain("not searched")
})

test("a PDF is found by its text, with the line of its page", async () => {
  expect(await pathsOf("shipping weekdays")).not.toContain("offer.pdf")
  expect((await pathsOf("shipping weekdays", "--content", "docs"))[0]).toBe("offer.pdf")
  expect((await space.run(["read", "offer.pdf:5-7"])).stdout).toBe(
    "## Page 2\n\nShipping takes eleven weekdays.\n",
  )
})

test("a quotation is found in each of many documents", async () => {
  using many = new Workspace({})
  for (let at = 0; at < 22; at++) {
    const clause =
      at === 21 ? "The goodwill clause needs a director." : "A clause of goodwill, for a director."
    writeFileSync(join(many.project, `contract-${at}.docx`), wordFile("Contract", clause))
  }
  await many.json(["index"])
  const search = async (...args: string[]) =>
    JSON.parse((await many.run(["search", "--json", "--content", "docs", ...args])).stdout)
  const one = await search('"goodwill clause needs"')
  expect(one.results.map(({ path }: { path: string }) => path)).toEqual(["contract-21.docx"])
  expect(one.notices).toEqual([])
  expect((await search('"goodwill director"')).notices).toEqual([
    'nothing contains "goodwill director"; searched for its words',
  ])
})

test("a misspelled word is not corrected to one that only documents contain, whose text takes long to extract", async () => {
  const { notices } = await space.json(["search", "shipping wekdays", "--content", "docs"])
  expect(notices.join()).not.toContain("wekdays")
  const code = await space.json(["search", "refnud", "--content", "docs"])
  expect(code.notices).toContainEqual("nothing contains `refnud`; searched for `refund`")
})

test("read prints its text; grep leaves it out; what is no archive is skipped as binary", async () => {
  expect((await space.run(["read", "rules.docx:3"])).stdout).toBe(
    "Refunds are paid back within thirty days.\n",
  )
  expect(await space.run(["grep", "goodwill"])).toMatchObject({ code: 1, stdout: "" })
  const { languages, skipped } = await space.json(["status"])
  expect(languages).toEqual({ typescript: 1, document: 2 })
  expect(skipped).toEqual({ binary: 1 })
})

test("the text of a drawing is found in its line; read and grep show the file; icons are media", async () => {
  using own = new Workspace({
    "docs/flow.svg": `<svg xmlns="http://www.w3.org/2000/svg">
  <title>Parcel flow</title><desc>From the &lt;depot&gt;
  to the customer</desc>
  <style>.warehouse { fill: red }</style>
  <g id="lighthouse"><text x="1">Sort<tspan>ing</tspan><tspan x="1" dy="5">conveyor</tspan></text><text>belt</text></g>
  <foreignObject><div><b>Customs</b> <b>clearance</b></div></foreignObject>
</svg>
`,
    "icon.svg": '<svg><path d="M0 6H28"/></svg>\n',
    "empty.svg": "<svg><text> </text></svg>\n",
    "a.ts": "export const a = 1\n",
  })
  const { languages, skipped } = await own.json(["index"])
  expect(languages).toEqual({ typescript: 1, document: 1 })
  expect(skipped).toEqual({ media: 2 })
  expect((await own.run(["status", "--skipped", "media"])).stdout).toContain("icon.svg")
  const found = async (query: string, ...flags: string[]) =>
    (await own.run(["search", query, ...flags, "--full"])).stdout
  expect(await found("parcel depot customer")).not.toContain("flow.svg")
  const shown = await found("sorting conveyor clearance", "--content", "docs")
  for (const text of ["Parcel flow From the <depot>", "Sorting conveyor belt", "Customs clearance"])
    expect(shown).toContain(text)
  expect(shown).not.toMatch(/warehouse|lighthouse/)
  expect(shown).toMatch(/^\s*5 │ Sorting conveyor belt$/m)
  expect((await own.run(["read", "docs/flow.svg:6"])).stdout).toContain("<b>clearance</b>")
  expect((await own.run(["read", "icon.svg"])).stdout).toContain("M0 6H28")
  expect((await own.run(["grep", "-l", "svg"])).stdout.split("\n").filter(Boolean).sort()).toEqual([
    "docs/flow.svg",
    "empty.svg",
    "icon.svg",
  ])
})

test("a hostile drawing costs little", async () => {
  const laughs = '<!DOCTYPE s [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><svg><text>ring &b;</text></svg>'
  using own = new Workspace({
    "laughs.svg": laughs,
    "nested.svg": `<svg>${"<text>".repeat(100_000)}deep</svg>`,
    "broken.svg": "<svg><text>half a lamp",
    "binary.svg": "<text>\0\0",
    "large.svg": `<svg><text>${"word ".repeat(300_000)}</text></svg>`,
  })
  const { languages, skipped } = await own.json(["index"])
  expect(languages).toEqual({ document: 2 })
  expect(skipped).toEqual({ media: 1, binary: 1, "too large": 1 })
  expect(JSON.stringify(await own.json(["search", "ring", "--content", "docs"]))).not.toContain("lollol")
})

test("an agent gets it in a search for documents, not by default", async () => {
  await using agent = await connect(space, { isPlain: true })
  const query = "goodwill clause director"
  expect(JSON.stringify(await agent.call("search", { query }))).not.toContain("rules.docx")
  expect(JSON.stringify(await agent.call("search", { query, content: "docs" }))).toContain("rules.docx")
})
