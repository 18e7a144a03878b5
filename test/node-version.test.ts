import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import project from "../package.json" with { type: "json" }
import lock from "../package-lock.json" with { type: "json" }

const ROOT = join(import.meta.dir, "..")

/**
 * The oldest major version of Node.js that development needs, as README, CONTRIBUTING and package.json say.
 */
const OLDEST = 20

/**
 * Packages that require a newer Node.js, each with the reason why that does not matter. Only npm itself runs
 * on Node.js here.
 */
const BY_BUN: Readonly<Record<string, string>> = {
  "content-type": "part of the conformance suite, a development package that Bun runs",
  unpdf: "pdf.js, which lies in the binary and is loaded by Bun",
  usearch: "a native addon that is compiled into the binary and loaded by Bun",
}

const text = (path: string) => readFileSync(join(ROOT, path), "utf8")

test("README, CONTRIBUTING and package.json name the same oldest version of Node.js", () => {
  const named = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(join(ROOT, "docs"), { encoding: "utf8" }).flatMap((name) =>
      name.endsWith(".md") ? [`docs/${name}`] : [],
    ),
  ].flatMap((path) =>
    [...text(path).matchAll(/Node(?:\.js)? (\d+)/g)].map(([, version]) => [path, Number(version)]),
  )
  expect(named).toContainEqual(["README.md", OLDEST])
  expect(named).toContainEqual(["CONTRIBUTING.md", OLDEST])
  expect(named.filter(([, version]) => version !== OLDEST)).toEqual([])
  expect(project.engines.node).toBe(`>=${OLDEST}`)
  expect(lock.packages[""].engines).toEqual(project.engines)
})

test("workflows install no older version", () => {
  const workflows = readdirSync(join(ROOT, ".github/workflows"), { encoding: "utf8" })
  const versions = workflows.flatMap((name) =>
    [...text(`.github/workflows/${name}`).matchAll(/(?:node-version: "?|container: node:)(\d+)/g)].map(
      ([, version]) => Number(version),
    ),
  )
  expect(versions.length).toBeGreaterThan(0)
  for (const version of versions) expect(version).toBeGreaterThanOrEqual(OLDEST)
})

test("each package runs on it, or is listed with a reason", () => {
  const packages = Object.entries(lock.packages as Record<string, { engines?: { node?: string } }>)
  const newer = packages
    .filter(([path, { engines }]) => path !== "" && !isMet(engines?.node))
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
  expect([...new Set(newer)].sort()).toEqual(Object.keys(BY_BUN).sort())
})

test("npm prints no warning about them", () => expect(text(".npmrc")).toMatch(/^loglevel=error$/m))

/** True if some current release of that major version is in the range. */
function isMet(range: string | undefined): boolean {
  return (
    range === undefined ||
    Array.from({ length: 40 }, (_, minor) => `${OLDEST}.${minor}.0`).some((version) =>
      Bun.semver.satisfies(version, range),
    )
  )
}
