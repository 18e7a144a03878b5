import { existsSync, readFileSync } from "node:fs"
import { type Browser, chromium, type Frame, type Page } from "playwright-core"
import { binary, type Workspace } from "./harness.ts"

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Path of a Chromium on this machine (AMAN_CHROMIUM, or where packages put it); null where there is none. */
export const chromiumPath: string | null =
  [process.env["AMAN_CHROMIUM"] ?? "", ...PLACES].find((path) => path !== "" && existsSync(path)) ?? null

/** Starts Chromium without a window. Its sandbox refuses to run as root, which is what CI runs as. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
}

/**
 * Serious and critical findings of axe-core on a page, or on one of its frames, in the dark and in the light theme: theme,
 * rule and element.
 */
export async function seriousFindings(page: Page, frame = page.mainFrame()): Promise<string[]> {
  await frame.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"))
  const findings: string[] = []
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme })
    // Only contrasts differ between the themes.
    const rules = colorScheme === "dark" ? {} : { runOnly: ["color-contrast"] }
    findings.push(...(await findingsOfTheme(frame, rules)).map((finding) => `${colorScheme}: ${finding}`))
  }
  return findings
}

function findingsOfTheme(frame: Frame, rules: object): Promise<string[]> {
  return frame.evaluate(async (rules) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is only known inside of the page
    const { violations } = await (globalThis as any).axe.run({ ...rules, resultTypes: ["violations"] })
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`)
  }, rules)
}

/** Runs `aman ui` on a port of its own. */
export class UiServer implements AsyncDisposable {
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">
  /** Link with the one-time code. */
  readonly url: string
  readonly port: number

  private constructor(child: UiServer["child"], { url, port }: { url: string; port: number }) {
    this.child = child
    this.url = url
    this.port = port
  }

  static async start(space: Workspace, args: readonly string[] = [], env = {}): Promise<UiServer> {
    const child = Bun.spawn([binary, "ui", "--json", ...args], {
      cwd: space.project,
      env: { ...space.env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const { value } = await child.stdout.getReader().read()
    if (value === undefined) throw new Error(`it did not listen: ${await child.stderr.text()}`)
    return new UiServer(child, JSON.parse(new TextDecoder().decode(value)))
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The one-time code of the link. */
  get code(): string {
    return new URLSearchParams(new URL(this.url).hash.split("?")[1]).get("code")!
  }

  /** Asks for the secret with a code, as the page does. */
  redeem(code: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.origin}/api/session`, {
      method: "POST",
      headers: { origin: this.origin, "content-type": "application/json", ...headers },
      body: JSON.stringify({ code }),
    })
  }

  /** Uses the link as the page does and returns the header that proves it. */
  async enter(): Promise<{ readonly authorization: string }> {
    const { secret } = (await (await this.redeem(this.code)).json()) as { readonly secret: string }
    return { authorization: `Bearer ${secret}` }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM")
    await this.child.exited
  }
}

/** An expression of the page: the number of different colours on the map. */
export const COLOURS = `(() => {
  const canvas = document.querySelector(".map-canvas")
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  return new Set(new Uint32Array(data.buffer)).size
})()`
