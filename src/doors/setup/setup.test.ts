import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { applyPlan } from "./apply-plan.ts"
import { PARTS, type SetupPart } from "./clients/clients.ts"
import { clientFolders } from "./clients/places.ts"
import { planSetup, type SetupChoice } from "./setup.ts"

const CLIENTS = ["claude-code", "codex", "cursor", "gemini-cli"]

/** Settings that a person may have: none, empty, or with things of their own. */
const JSON_TEXTS = [
  null,
  "",
  "{}",
  "{ }\n",
  '{\n  "theme": "dark", // mine\n}\n',
  '{"mcpServers":{},"hooks":{"Stop":[]}}',
  '{\r\n\t"permissions": {\r\n\t\t"allow": ["Read"]\r\n\t},\r\n\t"hooks": {}\r\n}',
]
const FILES: Readonly<Record<string, readonly (string | null)[]>> = {
  ".claude.json": JSON_TEXTS,
  ".claude/settings.json": JSON_TEXTS,
  ".gemini/settings.json": JSON_TEXTS,
  ".cursor/hooks.json": JSON_TEXTS,
  ".codex/config.toml": [null, "", 'model = "x"', "[a]\nb = 1\n\n"],
  ".codex/AGENTS.md": [null, "", "# Mine", "# Mine\n\n"],
}

type Step =
  | {
      readonly kind: "setup" | "remove"
      readonly parts: readonly SetupPart[]
      readonly clients: readonly string[]
    }
  | { readonly kind: "edit"; readonly file: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("setup" as const, "remove" as const),
    parts: fc.subarray([...PARTS], { minLength: 1 }),
    clients: fc.subarray(CLIENTS, { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant("edit" as const), file: fc.constantFrom(...Object.keys(FILES)) }),
)
const start = fc.record(
  Object.fromEntries(Object.entries(FILES).map(([path, texts]) => [path, fc.constantFrom(...texts)])),
)

test("leaves only the person's own text after any order of setups, removals and edits", () => {
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 6 }), (files, steps) => {
      const home = new Home()
      try {
        const own = new Map(
          Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
        )
        for (const [path, text] of own) home.write(path, text)
        for (const each of steps) {
          if (each.kind === "edit") {
            const text = own.get(each.file)
            // Edits only files that existed before setup. A file that setup created is deleted by the removal
            // if it holds only our parts, even if a comment was added.
            if (text === undefined || text.trim() === "") continue
            own.set(each.file, edited(each.file, text))
            home.write(each.file, edited(each.file, home.read(each.file)))
          } else home.run(each.parts, each.clients, each.kind === "remove")
        }
        home.run(PARTS, CLIENTS, true)
        expect(home.files()).toEqual(Object.fromEntries([...own].sort()))
      } finally {
        home.remove()
      }
    }),
    { numRuns: 25 },
  )
})

function edited(path: string, text: string): string {
  return path.endsWith(".json") ? `// mine\n${text}` : `# mine\n${text}`
}

class Home {
  readonly box = mkdtempSync(join(tmpdir(), "aman-setup-"))
  readonly home = join(this.box, "home")
  now = 0

  constructor() {
    mkdirSync(this.home)
    writeFileSync(join(this.box, "aman"), "")
  }

  run(parts: readonly SetupPart[], clients: readonly string[], isRemoval: boolean): void {
    const choice: SetupChoice = {
      clients,
      parts: new Set(parts),
      isRemoval,
      project: null,
      places: clientFolders({}, "linux", this.home),
      folder: join(this.box, "data"),
      executable: join(this.box, "aman"),
      env: {},
      platform: "linux",
    }
    const plan = planSetup(choice)
    const applied = applyPlan(plan.files, { folder: choice.folder, now: new Date(this.now++), isRemoval })
    expect(applied.filter(({ failure, plan: { state } }) => failure !== null || state === "broken")).toEqual(
      [],
    )
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.home, path)), { recursive: true })
    writeFileSync(join(this.home, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.home, path), "utf8")
  }

  files(): Record<string, string> {
    const paths = readdirSync(this.home, { recursive: true }).map(String).sort()
    const isFile = (path: string) => statSync(join(this.home, path)).isFile()
    return Object.fromEntries(paths.filter(isFile).map((path) => [path, this.read(path)]))
  }

  remove(): void {
    rmSync(this.box, { recursive: true })
  }
}
