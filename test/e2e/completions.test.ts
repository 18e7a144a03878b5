import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { powershellMistakes } from "../powershell.ts"
import { binary, Workspace } from "./harness.ts"

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const

test("prints each shell's script, as text or as JSON, and refuses other shells", async () => {
  using space = new Workspace()
  for (const shell of SHELLS) {
    const { code, stdout, stderr } = await space.run(["completions", shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const word of ["search", "remember", "memory", "semantic"]) expect(stdout).toContain(word)
    expect(await space.json(["completions", shell])).toEqual({ shell, script: stdout })
  }
  const { code, stderr } = await space.run(["completions", "cmd"])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "aman: completions needs the name of a shell\nhint: one of bash, zsh, fish, powershell\n",
  })
})

/** Matches the overstruck characters by which groff prints bold and underlined text. */
const OVERSTRUCK = /.\u0008/g

/** Shells answer in milliseconds, so one that takes this long never will. */
const TIMEOUT_MS = 15_000

type Typed = readonly [typed: string, offered: readonly string[]]

/** The line as typed, and the complete list of completions that must be offered. */
const EXACT: readonly Typed[] = [
  ["aman sea", ["search"]],
  ["aman help rec", ["recall"]],
  ["aman search --mo", ["--mode"]],
  ["aman search --mode h", ["hybrid"]],
  ["aman memory ti", ["timeline"]],
  ["aman config va", ["validate"]],
  ["aman completions z", ["zsh"]],
  ["aman search --mode semantic --expl", ["--explain"]],
  ["aman nonsense --x", []],
]

describe.skipIf(Bun.which("bash") === null)("bash", () => {
  const WITH_EQUALS: readonly Typed[] = [
    ["aman search --mode = s", ["semantic"]],
    ["aman search --mode =", ["exact", "hybrid", "keyword", "regex", "semantic"]],
  ]
  test.each([...EXACT, ...WITH_EQUALS])("%s", async (typed, offered) => {
    using space = new Workspace()
    expect((await inBash(space, typed)).sort()).toEqual([...offered].sort())
  })

  test("completes files with spaces, only folders for a folder, nothing for a number", async () => {
    using space = new Workspace({ "my file.ts": "", "my folder/a.ts": "" })
    expect((await inBash(space, "aman read my")).sort()).toEqual(["my file.ts", "my folder"])
    expect(await inBash(space, "aman index --root my")).toEqual(["my folder"])
    expect(await inBash(space, "aman search --limit m")).toEqual([])
  })

  test("completes every command and its flags", async () => {
    using space = new Workspace()
    const commands = await inBash(space, "aman ")
    expect(commands.length).toBeGreaterThan(15)
    for (const command of commands.filter((name) => /^\w+$/.test(name) && name !== "help")) {
      const { stdout } = await space.run([command, "--help"])
      const listed = [...stdout.matchAll(/^ {2}(?:-\w, |\s{4})(--[\w-]+)/gm)].map((match) => match[1]!)
      expect(await inBash(space, `aman ${command} -`)).toEqual(expect.arrayContaining(listed))
    }
  })
})

test.skipIf(Bun.which("fish") === null)("fish offers the same completions", async () => {
  using space = new Workspace()
  for (const [typed, offered] of EXACT) {
    const script = `"${binary}" completions fish | source; complete -C "${typed}"`
    const lines = run(space, ["fish", "--no-config", "-c", script]).split("\n").filter(Boolean)
    expect([typed, lines.map((line) => line.split("\t")[0]!).sort()]).toEqual([typed, [...offered].sort()])
  }
})

test.skipIf(Bun.which("zsh") === null)(
  "zsh completes on a terminal",
  async () => {
    using space = new Workspace()
    writeFileSync(
      join(space.dir, "_aman"),
      await space.run(["completions", "zsh"]).then(({ stdout }) => stdout),
    )
    await using zsh = startZsh(space)
    zsh.type(
      `PS1=READY; autoload -U compinit && compinit -D -u && source ${space.dir}/_aman; setopt noautomenu nobeep; echo LOAD''ED\n`,
    )
    await zsh.sees("LOADED\r\n")
    for (const [typed, completed] of [
      ["aman sea\t", "aman search "],
      ["aman search --expl\t", "aman search --explain "],
      ["aman search --mode=sem\t", "aman search --mode=semantic "],
      ["aman memory timel\t", "aman memory timeline "],
      ["aman index --root ./fol\t", "aman index --root ./folder/"],
    ] as const) {
      zsh.type(typed)
      await zsh.sees(completed)
      zsh.type("\u0015")
    }
  },
  20_000,
)

test("the PowerShell script parses", async () => {
  using space = new Workspace()
  const { stdout } = await space.run(["completions", "powershell"])
  expect(await powershellMistakes(stdout)).toEqual([])
  expect(await powershellMistakes(stdout.replace("}", ""))).not.toEqual([])
})

test.skipIf(Bun.which("pwsh") === null)("PowerShell offers the same completions", () => {
  using space = new Workspace()
  for (const [typed, offered] of EXACT) {
    const script = `& '${binary}' completions powershell | Out-String | Invoke-Expression
(TabExpansion2 -inputScript '${typed}' -cursorColumn ${typed.length}).CompletionMatches | ForEach-Object { $_.CompletionText }`
    const lines = run(space, ["pwsh", "-NoProfile", "-Command", script]).split(/\r?\n/).filter(Boolean)
    if (offered.length > 0) expect([typed, lines.sort()]).toEqual([typed, [...offered].sort()])
  }
})

describe("the manual page", () => {
  test("contains every command and is accepted by man and mandoc", async () => {
    using space = new Workspace()
    const { stdout: page } = await space.run(["man"])
    expect(await space.json(["man"])).toEqual({ page })
    const file = join(space.dir, "aman.1")
    writeFileSync(file, page)
    if (Bun.which("mandoc")) expect(run(space, ["mandoc", "-T", "lint", "-W", "error", file])).toBe("")
    const [reader] = [
      ["groff", "-man", "-Tutf8", "-P-c"],
      ["mandoc", "-T", "utf8"],
    ].filter(([name]) => Bun.which(name!))
    const plain = page.replaceAll("\\-", "-").replaceAll(/\\f[BIR]/g, "")
    const read = reader ? run(space, [...reader, file]).replace(OVERSTRUCK, "") : plain
    const { stdout: help } = await space.run(["help", "--all"])
    const commands = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1]!)
    expect(commands).toContain("search")
    for (const command of commands) expect(read).toContain(`aman ${command}`)
    expect(read).toContain("aman hook EVENT [--agent AGENT] | aman hook --test")
    expect(read).toContain("--memory-limit SIZE")
    expect(page).toMatch(/^[\n\x20-\x7e]*$/)
  })
})

test("prints the licences of third-party code", async () => {
  using space = new Workspace()
  const { code, stdout } = await space.run(["version", "--licenses"])
  expect(code).toBe(0)
  for (const name of ["Bun 1.", "JavaScriptCore", "tree-sitter-c ", "usearch ", "web-tree-sitter "])
    expect(stdout).toContain(name)
  expect(await space.json(["version", "--licenses"])).toEqual({ notices: stdout })
})

async function inBash(space: Workspace, typed: string): Promise<string[]> {
  const words = typed.split(" ")
  const script = `eval "$("${binary}" completions bash)"
    COMP_WORDS=(${words.map((word) => JSON.stringify(word)).join(" ")})
    COMP_CWORD=${words.length - 1}
    _aman
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return run(space, ["bash", "--norc", "-c", script]).split("\n").filter(Boolean)
}

function run(space: Workspace, command: readonly string[]): string {
  const { stdout, stderr } = Bun.spawnSync([...command], {
    cwd: space.project,
    env: { ...space.env, TERM: "dumb" },
  })
  expect(stderr.toString()).toBe("")
  return stdout.toString()
}

/** Starts a shell on a terminal of its own, into which the test can type. */
function startZsh(space: Workspace) {
  let written = ""
  let waiting: { readonly text: string; readonly done: () => void } | null = null
  space.write("folder/a.ts", "")
  const child = Bun.spawn(["zsh", "-f", "-i"], {
    cwd: space.project,
    env: { ...space.env, TERM: "xterm", ZDOTDIR: space.home },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, data) => {
        written += new TextDecoder().decode(data)
        check()
      },
    },
  })
  const check = () => {
    const at = waiting === null ? -1 : Bun.stripANSI(written).replaceAll("\u0007", "").indexOf(waiting.text)
    if (at < 0) return
    written = ""
    waiting?.done()
    waiting = null
  }
  return {
    type: (text: string) => void child.terminal?.write(text),
    sees: (text: string) =>
      new Promise<void>((resolve, reject) => {
        waiting = { text, done: resolve }
        setTimeout(
          () => reject(new Error(`zsh does not show ${text}: ${JSON.stringify(written)}`)),
          TIMEOUT_MS,
        ).unref()
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      // An interactive shell ignores SIGTERM.
      child.kill("SIGKILL")
      await child.exited
      child.terminal?.close()
    },
  }
}
