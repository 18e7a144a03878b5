import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const project = join(import.meta.dir, "..")
const pages = [
  ...new Bun.Glob("*.md").scanSync(project),
  ...new Bun.Glob("{docs,grammars,models}/**/*.md").scanSync(project),
].sort()

test.each(pages)("%s: every link into the project has a target", (page) => {
  expect(pages.length).toBeGreaterThan(20)
  const broken = [...linksOf(page)].filter((link) => !leadsSomewhere(page, link))
  expect(broken).toEqual([])
})

test("docs/security.md: every attack names an existing test", () => {
  const page = readFileSync(join(project, "docs/security.md"), "utf8")
  const section = page.slice(page.indexOf("## Attacks"))
  const rows = section
    .slice(0, section.indexOf("\n## ", 1))
    .match(/^\| [^*-].*\|$/gm)!
    .slice(1)
  expect(rows.length).toBeGreaterThan(30)
  const missing = rows.flatMap((row) => {
    const cell = row.split("|").at(-2)!.trim()
    const tests = cell.split(/[,;] /).filter((part) => !part.startsWith("`bun run soak"))
    const paths = tests.map((part) =>
      part.startsWith("`") ? part.replaceAll("`", "") : `test/e2e/${part}.test.ts`,
    )
    return paths.filter((path) => !existsSync(join(project, path)))
  })
  expect(missing).toEqual([])
})

function linksOf(page: string): Iterable<string> {
  const text = readFileSync(join(project, page), "utf8").replace(/^```[\s\S]*?^```/gm, "")
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#")
  const file = path === "" ? join(project, page) : join(project, dirname(page), path)
  if (!existsSync(file)) return false
  return heading === undefined || headingsOf(file).includes(heading)
}

/** As GitHub makes anchors of them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}
