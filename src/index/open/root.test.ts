import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, parse } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { findRoot } from "./root.ts"

const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-root-")))
const home = join(box, "users/me")
afterAll(() => rmSync(box, { recursive: true }))

function folder(...parts: string[]): string {
  const path = join(home, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}

function codeOf(action: () => unknown): string {
  try {
    action()
    return "none"
  } catch (error) {
    return error instanceof AmanError ? error.code : String(error)
  }
}

test("prefers the top of the work tree to a nearer marker", () => {
  const top = folder("repository")
  Bun.spawnSync(["git", "init", "-q", top])
  const cwd = folder("repository/packages/a/src")
  writeFileSync(join(top, "packages/a/package.json"), "{}")
  expect(findRoot({ cwd, home })).toEqual({ root: top, folder: "packages/a/src" })
  expect(findRoot({ cwd: top, home })).toEqual({ root: top, folder: "" })
})

test.each(["go.mod", "Cargo.toml", "App.csproj", "pkg.cabal", "build.gradle.kts"])(
  "without git, %p marks the top",
  (marker) => {
    const top = folder(`marked-${marker}`)
    writeFileSync(join(top, marker), "")
    expect(findRoot({ cwd: folder(`marked-${marker}`, "x/y"), home })).toEqual({ root: top, folder: "x/y" })
  },
)

test("takes the nearest marker, or the working directory if there is none", () => {
  writeFileSync(join(folder("outer"), "package.json"), "{}")
  writeFileSync(join(folder("outer/inner"), "pyproject.toml"), "")
  expect(findRoot({ cwd: folder("outer/inner/a"), home }).root).toBe(join(home, "outer/inner"))
  expect(findRoot({ cwd: folder("nothing/at/all"), home })).toEqual({
    root: join(home, "nothing/at/all"),
    folder: "",
  })
})

test("never picks the home folder, a folder above it or the root of a drive by itself", () => {
  for (const cwd of [folder(), join(box, "users"), box, parse(box).root]) {
    expect(codeOf(() => findRoot({ cwd, home }))).toBe("NO_ROOT")
  }
  expect(() => findRoot({ cwd: home, home })).toThrow("is the home folder")
})

test("does not pick a home folder that is a work tree or holds a package.json", () => {
  Bun.spawnSync(["git", "init", "-q", home])
  writeFileSync(join(home, "package.json"), "{}")
  expect(findRoot({ cwd: folder("notes"), home }).root).toBe(join(home, "notes"))
  expect(codeOf(() => findRoot({ cwd: home, home }))).toBe("NO_ROOT")
  rmSync(join(home, ".git"), { recursive: true })
  rmSync(join(home, "package.json"))
})

test("takes the root that the user named, relative to the working directory, links followed", () => {
  const cwd = folder("named/deep")
  symlinkSync(folder("named"), join(home, "link"))
  expect(findRoot({ root: home, cwd, home })).toEqual({ root: home, folder: "named/deep" })
  expect(findRoot({ root: "..", cwd, home })).toEqual({ root: join(home, "named"), folder: "deep" })
  expect(findRoot({ root: join(home, "link"), cwd: folder("other"), home })).toEqual({
    root: join(home, "named"),
    folder: "",
  })
})

test("reports a missing root with a hint", () => {
  writeFileSync(join(home, "file"), "")
  expect(codeOf(() => findRoot({ root: "nowhere", cwd: home, home }))).toBe("NOT_FOUND")
  expect(() => findRoot({ root: "file", cwd: home, home })).toThrow("not a folder")
})
