import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { chromiumPath, startChromium } from "../../../test/e2e/browser.ts"
import { ownEnvironment } from "../../../test/own-environment.ts"
import { bundlePage } from "../../page/index.ts"
import type { Section } from "./section.ts"
import { percentile } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"

const FILES = 50_000
const ENTRIES = 10_000
const CALLERS = 5_000
const LOADS = 9
const STEPS = 40

type Row = readonly [name: string, value: number, limit: Limit | null, unit: string]

/** The page of `aman ui` in Chromium: its size, first paint, and large lists and drawings. */
export const uiSection: Section = {
  name: "ui",
  lacks: () => (chromiumPath === null ? "Chromium (AMAN_CHROMIUM, or the package chromium)" : null),
  async run({ binary, scratch, note }) {
    const folder = join(scratch, "ui")
    rmSync(folder, { recursive: true, force: true })
    const [root, home] = [join(folder, "project"), join(folder, "home")]
    writeProject(root)
    mkdirSync(home, { recursive: true })
    const env = ownEnvironment(home, process.env)
    const run = (args: readonly string[], stdin = "") =>
      must(Bun.spawnSync([binary, ...args], { cwd: root, env, stdin: Buffer.from(stdin), stderr: "pipe" }))
    note(`indexing ${FILES} files and storing ${ENTRIES} entries`)
    run(["index", "--quiet"])
    run(["remember", "--batch", "-", "--quiet"], entries())
    const child = Bun.spawn([binary, "ui", "--json"], { cwd: root, env, stdin: "ignore", stdout: "pipe" })
    try {
      const { value } = await child.stdout.getReader().read()
      const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string }
      return [await measured(url)]
    } finally {
      child.kill("SIGTERM")
      await child.exited
    }
  },
}

async function measured(url: string): Promise<Table> {
  const { script, style } = await bundlePage()
  const browser = await startChromium()
  try {
    const page = await browser.newPage({ reducedMotion: "reduce" })
    await page.goto(url)
    // The tab has used the link once the page is drawn.
    await page.locator(".query").waitFor()
    const { origin } = new URL(url)
    const paints: number[] = []
    for (let load = 0; load < LOADS; load++) paints.push(await firstPaint(page, origin))
    const rows: Row[] = [
      ["script and style in the binary", (script.length + style.length) / 1000, { max: 1500 }, "kB"],
      ["first paint, median", percentile(paints, 0.5), { max: 150 }, "ms"],
      ["first paint, slowest", Math.max(...paints), null, "ms"],
      [
        `modules of ${FILES} files as areas`,
        await shows(page, `${origin}/#/map`, ".map-side .link"),
        null,
        "ms",
      ],
      [
        `neighbourhood with ${CALLERS} callers`,
        await shows(page, `${origin}/#/map?symbol=target`, ".graph .node"),
        null,
        "ms",
      ],
      [`first of ${FILES} files`, await shows(page, `${origin}/#/index`, ".virtual .row"), null, "ms"],
      ["scrolling through files, slowest frame of 20", await frames(page), { max: 50 }, "ms"],
      [`first of ${ENTRIES} entries`, await shows(page, `${origin}/#/memory`, "button.entry"), null, "ms"],
      ["scrolling through entries, slowest frame of 20", await frames(page), { max: 50 }, "ms"],
    ]
    return {
      title: "The page of aman ui, in Chromium",
      columns: [{ name: "what" }, { name: "value", digits: 0 }, { name: "unit" }, { name: "target" }],
      rows: rows.map(([name, value, limit, unit]) => [name, judge(value, limit), unit, limitText(limit)]),
      notes: [
        `of ${STEPS} steps over the whole list, 19 of 20 frames are at most as slow as the value given`,
      ],
    }
  } finally {
    await browser.close()
  }
}

/** Milliseconds from the start of the navigation to the first text on the screen. */
async function firstPaint(page: Page, origin: string): Promise<number> {
  await page.goto("about:blank")
  await page.goto(`${origin}/`)
  const paint = await page.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  )
  return (await paint.jsonValue())!
}

async function shows(page: Page, url: string, selector: string): Promise<number> {
  const started = performance.now()
  await page.goto(url)
  await page.locator(selector).first().waitFor()
  return performance.now() - started
}

/** Scrolls through the list on the page; returns the 95th percentile of the times of frames in milliseconds. */
async function frames(page: Page): Promise<number> {
  const times = await page.evaluate(async (steps) => {
    // biome-ignore lint/suspicious/noExplicitAny: the DOM's types are not among those of scripts
    const { document, requestAnimationFrame } = globalThis as any
    const list = document.querySelector(".virtual")
    const next = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    const times: number[] = []
    let before = await next()
    for (let step = 1; step <= steps; step++) {
      list.scrollTop = (step / steps) * list.scrollHeight
      for (let frame = 0; frame < 5; frame++) {
        const now = await next()
        times.push(now - before)
        before = now
      }
    }
    return times
  }, STEPS)
  return percentile(times, 0.95)
}

/** 50,000 small files in 500 folders, one of which has a function with 5,000 callers. */
function writeProject(root: string): void {
  for (let folder = 0; folder < FILES / 100; folder++) {
    const path = join(root, `part${folder % 20}`, `folder${folder}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < 100; file++)
      writeFileSync(join(path, `file${file}.ts`), `export const value${folder}x${file} = ${file}\n`)
  }
  const callers = Array.from(
    { length: CALLERS },
    (_, nth) => `export function caller${nth}() {\n  return target()\n}`,
  )
  writeFileSync(join(root, "part0", "target.ts"), `export function target() {}\n${callers.join("\n")}\n`)
}

function entries(): string {
  return Array.from({ length: ENTRIES }, (_, nth) => {
    const day = new Date(Date.UTC(2025, 0, 1) + nth * 3_600_000).toISOString()
    return JSON.stringify({
      text: `Part ${nth} of the system is owned by team ${nth % 37}`,
      topic: `t${nth % 50}`,
      recorded_at: day,
    })
  }).join("\n")
}

function must({ exitCode, stderr }: Bun.SyncSubprocess<"pipe", "pipe">): void {
  if (exitCode !== 0) throw new Error(`aman ended with ${exitCode}: ${stderr}`)
}
