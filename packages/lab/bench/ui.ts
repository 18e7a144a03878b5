import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Browser, CDPSession, Page } from "playwright-core"
import { chromiumPath, startChromium } from "../../../test/e2e/browser.ts"
import { ownEnvironment } from "../../../test/own-environment.ts"
import { bundlePage } from "../../page/index.ts"
import type { Section } from "./section.ts"
import { percentile } from "./stats.ts"
import { type Column, judge, type Limit, limitText, type Table } from "./table.ts"

const FILES = 50_000
const ENTRIES = 10_000
const CALLERS = 5_000
const LOADS = 9
const STEPS = 40
/** Milliseconds between two frames at 60 a second. */
const FRAME_MS = 16.7

/** `own`: processor time of the renderer's main thread for it, in milliseconds. */
type Cost = { readonly wall: number; readonly own: number }
type Row = readonly [name: string, cost: Cost, limit: Limit | null, unit: string]

const COLUMNS: readonly Column[] = [
  { name: "what" },
  { name: "value", digits: 1 },
  { name: "main thread", digits: 1 },
  { name: "unit" },
  { name: "target" },
]
const NOTES = [
  "main thread: processor time of the renderer's main thread alone, which other programs do not change much",
  `of ${STEPS} steps over a list or map, 19 of 20 frames are at most as slow as the value; the main thread's time is the mean per step`,
]

/**
 * The page of `aman ui` in Chromium: its size, first paint, and large lists and drawings; and the map of each tree that is
 * given.
 */
export const uiSection: Section = {
  name: "ui",
  lacks: () => (chromiumPath === null ? "Chromium (AMAN_CHROMIUM, or the package chromium)" : null),
  async run({ binary, scratch, trees, note }) {
    const folder = join(scratch, "ui")
    rmSync(folder, { recursive: true, force: true })
    const [root, home] = [join(folder, "project"), join(folder, "home")]
    writeProject(root)
    mkdirSync(home, { recursive: true })
    const env = ownEnvironment(home, process.env)
    const run = (cwd: string, args: readonly string[], stdin = "") =>
      must(Bun.spawnSync([binary, ...args], { cwd, env, stdin: Buffer.from(stdin), stderr: "pipe" }))
    const serve = async (cwd: string, measure: (page: UiPage) => Promise<Table>): Promise<Table> => {
      run(cwd, ["index", "--quiet"])
      const child = Bun.spawn([binary, "ui", "--json"], { cwd, env, stdin: "ignore", stdout: "pipe" })
      const browser = await startChromium()
      try {
        const { value } = await child.stdout.getReader().read()
        const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string }
        return await measure(await UiPage.open(browser, url))
      } finally {
        await browser.close()
        child.kill("SIGTERM")
        await child.exited
      }
    }
    note(`indexing ${FILES} files and storing ${ENTRIES} entries`)
    run(root, ["remember", "--batch", "-", "--quiet"], entries())
    const tables = [await serve(root, measured)]
    for (const tree of trees) {
      const copy = join(folder, "trees", basename(tree))
      cpSync(tree, copy, { recursive: true, filter: (path) => basename(path) !== ".aman" })
      note(`indexing ${tree}`)
      tables.push(await serve(copy, (page) => measuredMap(page, basename(tree))))
    }
    return tables
  },
}

async function measured(page: UiPage): Promise<Table> {
  const { script, style } = await bundlePage()
  const size = (script.length + style.length) / 1000
  const paints: Cost[] = []
  for (let load = 0; load < LOADS; load++) paints.push(await page.firstPaint())
  const rows: Row[] = [
    ["first paint, median", medianOf(paints), { max: 150 }, "ms"],
    [
      "first paint, slowest",
      { wall: Math.max(...paints.map(({ wall }) => wall)), own: Math.max(...paints.map(({ own }) => own)) },
      null,
      "ms",
    ],
    [`modules of ${FILES} files as areas`, await page.shows("map", ".map-side .link"), null, "ms"],
    [
      `neighbourhood with ${CALLERS} callers`,
      await page.shows("map?symbol=target", ".graph .node"),
      null,
      "ms",
    ],
    [`first of ${FILES} files`, await page.shows("index", ".virtual .row"), null, "ms"],
    ["scrolling through files", await page.frames(SCROLL), { max: 50 }, "ms a frame"],
    [`first of ${ENTRIES} entries`, await page.shows("memory", "button.entry"), null, "ms"],
    ["scrolling through entries", await page.frames(SCROLL), { max: 50 }, "ms a frame"],
  ]
  const first = [
    "script and style in the binary",
    judge(size, { max: 1500 }),
    null,
    "kB",
    limitText({ max: 1500 }),
  ]
  return {
    title: "The page of aman ui, in Chromium",
    columns: COLUMNS,
    rows: [first, ...rows.map(cells)],
    notes: NOTES,
  }
}

async function measuredMap(page: UiPage, name: string): Promise<Table> {
  const rows: Row[] = [
    ["modules as areas", await page.shows("map", ".map-side .link"), null, "ms"],
    ["uses as arrows", await page.loses(".map-side [role=status]"), null, "ms"],
    ["zooming into the middle and back", await page.frames(ZOOM), { max: FRAME_MS }, "ms a frame"],
    ["moving at four times the size", await page.frames(MOVE), { max: FRAME_MS }, "ms a frame"],
    ["the pointer over the whole map", await page.frames(POINT), { max: FRAME_MS }, "ms a frame"],
  ]
  return { title: `The map of ${name}, in Chromium`, columns: COLUMNS, rows: rows.map(cells), notes: NOTES }
}

function cells([name, { wall, own }, limit, unit]: Row) {
  // Frames come every 16.7 ms at best: one that was late took at least another.
  const isFrame = unit !== "ms"
  return [
    name,
    isFrame ? wall : judge(wall, limit),
    isFrame ? judge(own, limit) : own,
    unit,
    limitText(limit),
  ]
}

function medianOf(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost) =>
    percentile(
      costs.map((each) => each[name]),
      0.5,
    )
  return { wall: of("wall"), own: of("own") }
}

/** What happens in a step, from 0 to 1, in the page. */
const SCROLL = "const list = document.querySelector('.virtual'); list.scrollTop = step * list.scrollHeight"
const ON_MAP = `const canvas = document.querySelector(".map-canvas")
  const { left, top, width, height } = canvas.getBoundingClientRect()`
const ZOOM = `${ON_MAP}
  const deltaY = step <= 0.5 ? -60 : 60
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: left + width / 2, clientY: top + height / 2, cancelable: true }))`
const MOVE = `${ON_MAP}
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }))
  if (nth === 1) for (let times = 0; times < 4; times++) press("+")
  press(nth % 20 < 10 ? "ArrowRight" : "ArrowLeft")`
const POINT = `${ON_MAP}
  const [clientX, clientY] = [left + step * width, top + ((nth * 7) % 40) / 40 * height]
  canvas.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }))`

/** A tab with the page, in which times are measured. */
class UiPage {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #origin: string

  private constructor(page: Page, session: CDPSession, origin: string) {
    this.#page = page
    this.#session = session
    this.#origin = origin
  }

  static async open(browser: Browser, url: string): Promise<UiPage> {
    const page = await browser.newPage({ reducedMotion: "reduce" })
    await page.goto(url)
    // The tab has used the link once the page is drawn.
    await page.locator(".query").waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    return new UiPage(page, session, new URL(url).origin)
  }

  /**
   * From the start of the navigation to the first text on the screen; `own` until the page can be used, which is a little
   * later.
   */
  async firstPaint(): Promise<Cost> {
    await this.#page.goto(`${this.#origin}/#/search`)
    // A new document counts from 0.
    await this.#page.reload()
    await this.#page.locator(".query").waitFor()
    const paint = await this.#page.waitForFunction(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    )
    return { wall: (await paint.jsonValue())!, own: await this.#ownMs() }
  }

  /** Opens a view until it has an element. */
  async shows(view: string, selector: string): Promise<Cost> {
    return await this.#timed(async () => {
      await this.#page.goto(`${this.#origin}/#/${view}`)
      await this.#page.locator(selector).first().waitFor()
    })
  }

  /** Waits until there is no such element. */
  async loses(selector: string): Promise<Cost> {
    return await this.#timed(() =>
      this.#page.locator(selector).waitFor({ state: "detached", timeout: 120_000 }),
    )
  }

  /** Does something in every fifth frame; `wall` is the 95th percentile of the frames' times, `own` the mean per change. */
  async frames(act: string): Promise<Cost> {
    const before = await this.#ownMs()
    const times = (await this.#page.evaluate(`(async () => {
      const act = (nth, step) => { ${act} }
      const next = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const times = []
      let before = await next()
      for (let nth = 1; nth <= ${STEPS * 5}; nth++) {
        if (nth % 5 === 0) act(nth / 5, nth / ${STEPS * 5})
        const now = await next()
        times.push(now - before)
        before = now
      }
      return times
    })()`)) as number[]
    return { wall: percentile(times, 0.95), own: ((await this.#ownMs()) - before) / STEPS }
  }

  async #timed(act: () => Promise<unknown>): Promise<Cost> {
    const [started, before] = [performance.now(), await this.#ownMs()]
    await act()
    return { wall: performance.now() - started, own: (await this.#ownMs()) - before }
  }

  async #ownMs(): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics")
    return 1000 * metrics.find(({ name }) => name === "TaskDuration")!.value
  }
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
