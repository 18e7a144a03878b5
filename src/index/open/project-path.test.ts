import { afterAll, expect, test } from "bun:test"
import { realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join, sep } from "node:path"
import fc from "fast-check"
import { TempProject } from "../../../test/temp-project.ts"
import { projectPath } from "./project-path.ts"

const box = new TempProject({ "a/b.txt": "b\n", "a/.git/config": "x\n", ".git/config": "x\n", ".env": "x\n" })
writeFileSync(join(box.box, "outside.txt"), "x\n")
symlinkSync(box.box, join(box.root, "up"))
symlinkSync("a", join(box.root, "in"))
const project = box.open()
afterAll(() => box[Symbol.dispose]())

const PARTS = [
  ...[
    "..",
    ".",
    "",
    "a",
    "b.txt",
    "in",
    "up",
    "outside.txt",
    ".git",
    ".GIT",
    ".git.",
    "config",
    ".env",
    "projects",
  ],
  ...[
    "work",
    "app",
    "etc",
    "passwd",
    "C:",
    "~",
    "%2e%2e",
    "\0",
    "\\",
    "..\\",
    "a\\b.txt",
    "\u202e",
    "nul",
    "\ud800",
  ],
]

test("accepts only paths to non-secret files inside the project, and explains each refusal", () => {
  const wild = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join("/")),
    },
    fc.string({ unit: "binary" }),
  )
  let found = 0
  fc.assert(
    fc.property(wild, (named) => {
      try {
        const { path } = projectPath(project, named)
        found++
        expect(["", "a", "a/b.txt"]).toContain(path)
        expect(realpathSync(join(box.root, path))).toBe(
          join(box.root, path.replaceAll("/", sep)).replace(/\/$/, ""),
        )
      } catch (error) {
        expect(error).toMatchObject({
          name: "AmanError",
          code: expect.stringMatching(/^(OUTSIDE_ROOT|NOT_FOUND)$/),
        })
      }
    }),
    { numRuns: 5000, seed: 4 },
  )
  expect(found).toBeGreaterThan(10)
})
