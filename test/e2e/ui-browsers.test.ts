import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { commit, git } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { COLOURS, UiServer } from "./browser.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"
import { TeamSpace } from "./team-space.ts"
import { OTHER_BROWSERS, type WebDriver } from "./webdriver.ts"

const SCRIPT = "<script>globalThis.hacked = 1</script><img src=x onerror='globalThis.hacked = 1'>"
const MINUTE = 60_000

for (const [name, start] of Object.entries(OTHER_BROWSERS)) {
  describe.skipIf(start === null)(`the page in ${name}`, () => {
    let space: Workspace
    let server: UiServer
    let browser: WebDriver

    beforeAll(async () => {
      space = new Workspace({ ...SHOP, "evil/page.md": `# evilHeading ${SCRIPT}\n` })
      git(space.project, "init", "-q", "--template=", "-b", "main")
      commit(space.project, "first")
      await space.json(["index"])
      const source = ["--source", "web/login.ts:3-8", "--topic", "login"]
      await space.run(["remember", ...source, "Accounts are locked after five failed logins"])
      server = await UiServer.start(space)
      browser = await start!()
      await browser.goto(server.url)
    }, 2 * MINUTE)
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
      space?.[Symbol.dispose]()
    })

    test(
      "finds as one types, explains by keyboard, defines a name on a click, and shows hostile text as text",
      async () => {
        await browser.see(".query")
        expect(await browser.run("return location.hash")).toBe("#/search")
        await browser.type("/RefundPayment")
        await browser.see(".result .path", "refund.go")
        await browser.see(".result mark")
        await browser.see(".result .t-keyword")
        await browser.type(`${ARROW_DOWN}e`)
        await browser.see(".explanation .bar .part")
        await browser.see("[data-action=open]")
        await browser.goto(`${server.origin}/#/search?q=RefundPayment`)
        await browser.click(".facets button", "billing")
        await browser.see(".facets [aria-pressed=true]", "billing")
        await browser.click(".choice", "Regular expression")
        await browser.see(".state", "4 lines in 2 files")
        await browser.goto(`${server.origin}/#/file?path=web/login.ts&line=12`)
        await browser.click(".marked .t-function", "hash")
        await browser.see(".about-line .facts", "function · certain")
        await browser.click("[aria-pressed]", "Who changed each line")
        await browser.click(".before a")
        await browser.see(".commits li", "first")
        await browser.goto(`${server.origin}/#/search?q=evilHeading`)
        await browser.see(".result .code", "<script>")
        expect(
          await browser.run(
            "return ['hacked' in window, document.querySelectorAll('main script, main img').length]",
          ),
        ).toEqual([false, 0])
      },
      MINUTE,
    )

    test(
      "draws the modules and what calls a symbol, which grows on a click",
      async () => {
        await browser.click("nav a", "Code map")
        // The rows move when the uses are there.
        await browser.see(".map-side .rows", "used by")
        await browser.click(".map-side [data-path='web']")
        await browser.click(".map-side [data-path='web/hash.ts']")
        await browser.see(".map-side h2", "Used by")
        expect(await browser.run(`return ${COLOURS}`)).toBeGreaterThan(5)
        await browser.click(".map-side button", "hash")
        await browser.click(".map-side a.button", "What uses it")
        await browser.see(".graph .node", "LoginForm.submit")
        await browser.see(".graph .arrow")
        space.write(
          "web/more.ts",
          'import { LoginForm } from "./login"\nexport function start(form: LoginForm) {\n  form.submit("", "")\n}\n',
        )
        await browser.click(".graph .node", "LoginForm.submit")
        await browser.see(".graph .node", "start")
        space.write("web/hash.ts", SHOP["web/hash.ts"]!.replace("5381", "5380"))
        await browser.click("a.button", "Impact of uncommitted changes")
        await browser.see(".legend", "changed file")
        await browser.click("a.button", "As a graph")
        await browser.see(".graph .asked", "hash")
      },
      MINUTE,
    )

    test(
      "revises a memory whose code has changed, and shows what another process remembers",
      async () => {
        space.write("web/login.ts", SHOP["web/login.ts"]!.replace("MAX_ATTEMPTS = 5", "MAX_ATTEMPTS = 7"))
        await browser.click("nav a", "Memory")
        await browser.click(".choice", "To review")
        await browser.click("button.entry", "five failed logins")
        await browser.see(".detail td.added", "MAX_ATTEMPTS = 7")
        await browser.click(".detail button", "Revise")
        await browser.click("dialog[open] textarea")
        await browser.type("Now seven. ")
        await browser.click("dialog[open] button.primary")
        await browser.see(".detail .entry-text", "Now seven.")
        await browser.click(".choice", "Timeline")
        await browser.see(".lane .span")
        await space.run(["remember", "Remembered elsewhere"])
        await browser.see(".lane", "Remembered elsewhere")
      },
      MINUTE,
    )

    test(
      "shows a saved file in the index, the setup of agents, and that the server is gone",
      async () => {
        await browser.click("nav a", "Index")
        await browser.see(".virtual .row", "hash.ts")
        space.write("a-saved-file.ts", "export const shownAtOnce = 1\n")
        await browser.see(".virtual .row", "a-saved-file.ts")
        await browser.click("nav a", "Agents")
        await browser.see("main .empty", "Calls of agents are not recorded")
        await server[Symbol.asyncDispose]()
        await browser.see(".banner", "aman does not answer")
      },
      MINUTE,
    )

    test.skipIf(!hasPostgres)(
      "signs in at a team's node, searches, opens a definition, and signs out",
      async () => {
        await using team = await TeamSpace.start()
        await team.add({ shop: SHOP })
        const token = await team.token("ada", "shop")
        const { url } = await team.serve(["--processes", "1"])
        await browser.goto(url)
        await browser.click("input[name=token]")
        await browser.type(token)
        await browser.click("button", "Sign in")
        await browser.see(".query")
        await browser.click(".query")
        await browser.type("RefundPayment")
        await browser.see(".result .path", "refund.go")
        await browser.click(".result h2 a")
        await browser.click(".marked .t-function", "RefundPayment")
        await browser.see(".about-line .facts", "method · certain")
        expect(await browser.run("return location.href + document.cookie")).not.toContain(token)
        await browser.click("button", "Sign out")
        await browser.see("input[name=token]")
        expect(await browser.run("return sessionStorage.length + localStorage.length")).toBe(0)
      },
      MINUTE,
    )
  })
}

/** The key's code in WebDriver. */
const ARROW_DOWN = "\uE015"
