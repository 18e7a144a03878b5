/**
 * Writes docs/ui-*.png, screenshots of `aman ui` on a clone of this repository, for README.md and docs/ui.md. Needs
 * Chromium (AMAN_CHROMIUM, or the package chromium).
 *
 *   npm run build && bun scripts/screenshots.ts [--binary dist/aman] [--out docs]
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Page } from "playwright-core"
import { chromiumPath, startChromium } from "../test/e2e/browser.ts"
import { ownEnvironment } from "../test/own-environment.ts"
import { project } from "./release/product.ts"

const SIZE = { width: 1200, height: 720 }
const MAX_BYTES = 200_000

type Shot = {
  readonly name: string
  readonly hash: string
  readonly selector: string
  readonly theme: "light" | "dark"
}

const SHOTS: readonly Shot[] = [
  {
    name: "search",
    hash: "#/search?q=where are chunks merged",
    selector: ".facets button",
    theme: "light",
  },
  { name: "impact", hash: "#/map?symbol=impactOf&view=impact", selector: ".graph .node", theme: "light" },
  { name: "map", hash: "#/map?at=src/search", selector: ".map-side h2:has-text('Used by')", theme: "dark" },
  { name: "memory", hash: "#/memory?view=timeline", selector: ".lane .span", theme: "light" },
]

/** Notes about this repository, so that the memory has something to show. */
const NOTES: readonly (readonly [text: string, topic: string, recorded: string, more?: object])[] = [
  [
    "Search fuses names, words and vectors, and ranks files by about fifty features",
    "search",
    "2026-03-03",
    { source: "src/search/rank-candidates.ts" },
  ],
  [
    "Segments of the keyword index are mapped into memory and never changed in place",
    "index",
    "2026-03-20",
    { source: "src/index/keyword/segment.ts" },
  ],
  [
    "A failed write of the index is tried again after a second",
    "index",
    "2026-04-02",
    { valid_from: "2026-04-02", valid_until: "2026-06-14" },
  ],
  [
    "Entries of the memory are events; only a purge erases",
    "memory",
    "2026-04-20",
    { valid_from: "2026-03-01" },
  ],
  [
    "The page listens on 127.0.0.1 and no flag changes that",
    "ui",
    "2026-06-01",
    { source: "packages/page/serve-ui.ts", kind: "decision" },
  ],
  ["Releases are cut from main on Tuesdays", "release", "2026-06-20", { kind: "procedural" }],
  [
    "Raising INDEX_VERSION rebuilds every index: say so in the changelog",
    "release",
    "2026-07-08",
    { source: "src/index/index-state.ts" },
  ],
]

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      binary: { type: "string", default: join(project, "dist", "aman") },
      out: { type: "string", default: join(project, "docs") },
    },
  })
  if (chromiumPath === null) throw new Error("there is no Chromium: install it, or set AMAN_CHROMIUM")
  const folder = mkdtempSync(join(tmpdir(), "aman-screenshots-"))
  try {
    const [clone, home, binary] = [join(folder, "aman"), join(folder, "home"), resolve(values.binary)]
    mkdirSync(home)
    const env = ownEnvironment(home, process.env)
    const run = (argv: readonly string[], stdin = "", cwd = clone) => {
      const { exitCode, stderr } = Bun.spawnSync([...argv], {
        cwd,
        env,
        stdin: Buffer.from(stdin),
        stderr: "pipe",
      })
      if (exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${exitCode}: ${stderr}`)
    }
    run(["git", "clone", "--quiet", project, clone], "", folder)
    run([binary, "index", "--quiet"])
    run([binary, "remember", "--batch", "-", "--quiet"], notes())
    await using child = serve(binary, clone, env)
    await takeAll(await child.url, resolve(values.out))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function notes(): string {
  return NOTES.map(([text, topic, day, more]) =>
    JSON.stringify({ text, topic, author: "mira", recorded_at: `${day}T09:00:00Z`, ...more }),
  ).join("\n")
}

function serve(binary: string, cwd: string, env: Record<string, string>) {
  const child = Bun.spawn([binary, "ui", "--json"], { cwd, env, stdin: "ignore", stdout: "pipe" })
  const url = (async () => {
    const { value } = await child.stdout.getReader().read()
    return (JSON.parse(new TextDecoder().decode(value)) as { url: string }).url
  })()
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await child.exited
    },
  }
}

async function takeAll(url: string, out: string): Promise<void> {
  const browser = await startChromium()
  try {
    const page = await browser.newPage({ viewport: SIZE, reducedMotion: "reduce" })
    await page.goto(url)
    for (const shot of SHOTS) await take(page, new URL(url).origin, shot, join(out, `ui-${shot.name}.png`))
  } finally {
    await browser.close()
  }
}

async function take(
  page: Page,
  origin: string,
  { hash, selector, theme }: Shot,
  path: string,
): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.goto(`${origin}/${hash}`)
  await page.locator(selector).first().waitFor()
  await page.screenshot({ path })
  const { size } = statSync(path)
  console.log(`${path} ${size} bytes`)
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_BYTES}`)
}
