import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { pathToFileURL } from "node:url"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const CODE = "/** Opens the till. */\nexport function openTill() {\n  return 1\n}\n"
const NOTES = "# Lunch\n\nThe soup is hot.\n"

// macOS decomposes names, most keyboards compose them; either spelling may be on disk and either may be typed.
describe.each([
  ["decomposed on disk, composed in the question", "NFD", "NFC"],
  ["composed on disk, decomposed in the question", "NFC", "NFD"],
] as const)("names %s", (_, onDisk, typed) => {
  const disk = (path: string) => path.normalize(onDisk)
  const asked = (path: string) => path.normalize(typed)
  const file = disk("café/menü.ts")
  let space: Workspace
  let server: Connection
  beforeAll(async () => {
    space = new Workspace({
      [file]: CODE,
      [disk("café/soupe.md")]: NOTES,
      "plain/other.ts": "export function otherTill() {\n  return openTill()\n}\n",
      ".gitignore": `${asked("/brûlé/")}\n${asked("*.é")}\n`,
      ".amanignore": `${asked("château/*.ts")}\n`,
      [disk("brûlé/lost.ts")]: CODE,
      [disk("a.é")]: CODE,
      [disk("château/lost.ts")]: CODE,
    })
    await space.run(["index"])
    server = await connect(space)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    space[Symbol.dispose]()
  })

  test("read takes a file, lines and a symbol", async () => {
    expect(await space.json(["read", asked("café/menü.ts")])).toMatchObject({ path: file })
    expect(await space.json(["read", asked("café/menü.ts:2")])).toMatchObject({ path: file, start_line: 2 })
    expect(await space.json(["read", asked("café/menü.ts#openTill")])).toMatchObject({ path: file })
    const { structuredContent } = await server.call("read", { path: asked("café/menü.ts") })
    expect(structuredContent).toMatchObject({ path: file })
  })

  test("resources/read takes the URI of a file and of a chunk", async () => {
    const uri = pathToFileURL(`${space.project}/${asked("café/menü.ts")}`).href
    const { contents } = await server.client.readResource({ uri })
    expect(contents).toMatchObject([{ text: CODE.trimEnd() }])
    const { resourceTemplates } = await server.client.listResourceTemplates()
    const chunk = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes("chunk"))!.uriTemplate
    const place = chunk.replace(/\{\+?path\}/, encodeURI(asked("café/menü.ts"))).replace("{?line}", "?line=3")
    expect((await server.client.readResource({ uri: place })).contents).toMatchObject([
      { text: expect.stringContaining("Opens the till") },
    ])
  })

  test.each(["café", "café/*.ts", "**/menü.ts", "menü.*", "café/men?.ts", "{café,x}/**"])(
    "search, grep and symbol take the path %s",
    async (pattern) => {
      const paths = async (args: [string, ...string[]]) => {
        const answer = await space.json(args)
        return (answer.results ?? answer.definitions ?? answer.files).map(
          (each: { path: string }) => each.path,
        )
      }
      expect((await paths(["search", "openTill", "--path", asked(pattern)]))[0]).toBe(file)
      expect((await paths(["search", `openTill file:${asked(pattern)}`]))[0]).toBe(file)
      expect(await paths(["grep", "openTill", "-g", asked(pattern)])).toEqual([file])
      expect(await paths(["symbol", "openTill", "--path", asked(pattern)])).toEqual([file])
      expect(await paths(["search", "openTill", "--path", `!${asked(pattern)}`])).not.toContain(file)
    },
  )

  test("grep and context take the folder", async () => {
    expect((await space.json(["grep", "openTill", asked("café")])).files).toMatchObject([{ path: file }])
    const context = await space.json(["context", "the till", "--path", asked("café")])
    expect(JSON.stringify(context)).toContain(`"path":"${file}"`)
  })

  test("symbol takes a place, an outline and a name in a file", async () => {
    const definition = { definitions: [{ name: "openTill", path: file }] }
    expect(await space.json(["symbol", asked("café/menü.ts:2")])).toMatchObject(definition)
    expect(await space.json(["symbol", asked("café/menü.ts#openTill")])).toMatchObject(definition)
    const { outline } = await space.json(["symbol", "--outline", asked("café/menü.ts")])
    expect(outline).toMatchObject([{ name: "openTill" }])
  })

  test("search takes a place to compare with, and says why a file is not first", async () => {
    const like = await space.json(["search", "--like", asked("café/menü.ts:2")])
    expect(like.results.map(({ path }: { path: string }) => path)).toContain("plain/other.ts")
    expect(await space.json(["search", "soup", "--why-not", asked("café/soupe.md")])).toMatchObject({
      path: disk("café/soupe.md"),
      rank: 1,
    })
  })

  test("a note has its source in the file", async () => {
    await space.json(["remember", "the soup is served at noon", "--source", asked("café/soupe.md:3")])
    const recalled = await space.json(["recall", "soup noon"])
    expect(JSON.stringify(recalled)).toContain('"fresh"')
    const kept = await space.json(["memory", "list", "--path", asked("café/soupe.md")]).catch(String)
    expect(JSON.stringify(kept)).not.toContain("no file")
  })

  test("ignore files apply to names in either form", async () => {
    const { skipped } = await space.json(["status", "--skipped"])
    expect(skipped.map(({ path, reason }: { path: string; reason: string }) => `${reason} ${path}`)).toEqual([
      `excluded ${disk("château/lost.ts")}`,
      `ignored ${disk("a.é")}`,
      `ignored ${disk("brûlé")}`,
    ])
  })

  test("a hook about the file finds its notes", async () => {
    const call = {
      session_id: "s",
      cwd: space.project,
      hook_event_name: "PreToolUse",
      tool_name: "Read",
      tool_input: { file_path: `${space.project}/${asked("café/soupe.md")}` },
    }
    const { stdout } = await space.run(["hook", "pre-tool-use"], { stdin: JSON.stringify(call) })
    expect(stdout).toContain("soup is served at noon")
  })
})
