import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const firefox = ["/usr/bin/firefox", "/usr/bin/firefox-esr"].find(existsSync) ?? null
const webkit =
  ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
    .map((folder) => `${folder}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path) && ["WebKitWebDriver", "Xvfb"].every((name) => Bun.which(name))) ?? null

/** Browsers besides Chromium, by name: how to start each, or null where this machine does not have it. */
export const OTHER_BROWSERS: Readonly<Record<string, (() => Promise<WebDriver>) | null>> = {
  Firefox: firefox === null ? null : () => startFirefox(firefox),
  WebKit: webkit === null ? null : () => startWebKit(webkit),
}

/** A WebDriver command: what it is called in the standard, and its parameters. */
type Send = (command: Command, parameters?: object) => Promise<unknown>
type Command = keyof typeof COMMANDS

/** The name of each command in Marionette, and its path over HTTP. */
const COMMANDS = {
  navigate: ["WebDriver:Navigate", "url"],
  script: ["WebDriver:ExecuteScript", "execute/sync"],
  keys: ["WebDriver:PerformActions", "actions"],
} as const

/** A page that is driven by the WebDriver standard, with real keys and clicks. */
export class WebDriver implements AsyncDisposable {
  readonly #send: Send
  readonly #stop: () => Promise<void>

  constructor(send: Send, stop: () => Promise<void>) {
    this.#send = send
    this.#stop = stop
  }

  async goto(url: string): Promise<void> {
    await this.#send("navigate", { url })
  }

  /** Runs a function's body in the page and returns what it returns. */
  async run(body: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#send("script", { script: body, args })
  }

  /** Waits until the expression is true in the page; throws with the expression and the page's text after 20 s. */
  async until(expression: string, ...args: readonly unknown[]): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.run(`return Boolean(${expression})`, ...args)) return
      await Bun.sleep(POLL_MS)
    }
    throw new Error(`never true: ${expression}\n${await this.run("return document.body.innerText")}`)
  }

  /** Waits until an element matches the selector and contains the text. */
  async see(selector: string, text = ""): Promise<void> {
    await this.until(FIND, selector, text)
  }

  /** Clicks into the middle of the first element that matches the selector and contains the text. */
  async click(selector: string, text = ""): Promise<void> {
    await this.see(selector, text)
    const [x, y] = (await this.run(
      `const found = ${FIND}; found.scrollIntoView({ block: "center" })
       const { left, top, width, height } = found.getBoundingClientRect()
       return [Math.round(left + width / 2), Math.round(top + height / 2)]`,
      selector,
      text,
    )) as [number, number]
    const steps = [
      { type: "pointerMove", duration: 0, x, y, origin: "viewport" },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ]
    const pointer = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: steps }
    await this.#send("keys", { actions: [pointer] })
  }

  /** Types a text, key by key, into the element that has the focus. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ])
    await this.#send("keys", { actions: [{ type: "key", id: "keyboard", actions }] })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}

const POLL_MS = 50
const MAX_TRIES = 400
/** The first element for a selector and a text. */
const FIND =
  "[...document.querySelectorAll(arguments[0])].find((each) => each.textContent.includes(arguments[1]))"

/** Firefox without a window, driven through its Marionette socket, which geckodriver would use, too. */
async function startFirefox(path: string): Promise<WebDriver> {
  const profile = mkdtempSync(join(tmpdir(), "aman-firefox-"))
  writeFileSync(join(profile, "user.js"), 'user_pref("marionette.port", 0);\n')
  const args = ["--headless", "--marionette", "--no-remote", "--profile", profile]
  const child = Bun.spawn([path, ...args], {
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
    stdout: "ignore",
    stderr: "ignore",
  })
  const stop = async () => {
    child.kill()
    await child.exited
    rmSync(profile, { recursive: true, force: true })
  }
  try {
    const port = await active(() => readFileSync(join(profile, "MarionetteActivePort"), "utf8"))
    const socket = await Marionette.connect(Number(port))
    await socket.send("WebDriver:NewSession", {})
    return new WebDriver(async (command, parameters) => {
      const result = await socket.send(COMMANDS[command][0], parameters ?? {})
      return command === "script" ? (result as { value: unknown }).value : result
    }, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

/** Messages of Marionette: their length, a colon, and [type, id, error or command, result or parameters]. */
class Marionette {
  readonly #waiting = new Map<number, (answer: readonly [error: unknown, result: unknown]) => void>()
  #socket!: Bun.Socket
  #text = Buffer.alloc(0)
  #id = 0

  static async connect(port: number): Promise<Marionette> {
    const own = new Marionette()
    const data = (_: unknown, bytes: Buffer) => own.#read(bytes)
    own.#socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data } })
    return own
  }

  async send(name: string, parameters: object): Promise<unknown> {
    const id = ++this.#id
    const message = JSON.stringify([0, id, name, parameters])
    const answered = new Promise<readonly [unknown, unknown]>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`)
    const [error, result] = await answered
    if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`)
    return result
  }

  #read(bytes: Buffer): void {
    this.#text = Buffer.concat([this.#text, bytes])
    for (;;) {
      const colon = this.#text.indexOf(":")
      const end = colon + 1 + Number(this.#text.toString("latin1", 0, Math.max(0, colon)))
      if (colon < 0 || this.#text.length < end) return
      const message = JSON.parse(this.#text.toString("utf8", colon + 1, end))
      this.#text = this.#text.subarray(end)
      // The greeting is an object.
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      this.#waiting.get(id)?.([error, result])
      this.#waiting.delete(id)
    }
  }
}

/** WebKitGTK's MiniBrowser on a virtual display, driven through WebKitWebDriver. */
async function startWebKit(path: string): Promise<WebDriver> {
  const display = Bun.spawn(["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], {
    stdout: "pipe",
    stderr: "ignore",
  })
  const { value } = await display.stdout.getReader().read()
  const home = mkdtempSync(join(tmpdir(), "aman-webkit-"))
  const port = await freePort()
  const child = Bun.spawn(["WebKitWebDriver", `--port=${port}`], {
    env: {
      ...process.env,
      HOME: home,
      DISPLAY: `:${Buffer.from(value!).toString().trim()}`,
      NO_AT_BRIDGE: "1",
    },
    stdout: "ignore",
    stderr: "ignore",
  })
  const url = `http://127.0.0.1:${port}/session`
  let own = ""
  const stop = async () => {
    if (own !== "") await fetch(`${url}/${own}`, { method: "DELETE" }).catch(() => null)
    for (const each of [child, display]) {
      each.kill()
      await each.exited
    }
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const options = { "webkitgtk:browserOptions": { binary: path, args: ["--automation"] } }
    const session = await active(() => post(url, { capabilities: { alwaysMatch: options } }))
    own = (session as { sessionId: string }).sessionId
    return new WebDriver((command, body) => post(`${url}/${own}/${COMMANDS[command][1]}`, body ?? {}), stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
  const { value } = (await response.json()) as { value: unknown }
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(value)}`)
  return value
}

/** Calls `ask` until it succeeds, because the program that answers may still be starting. */
async function active<T>(ask: () => T | Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      await Bun.sleep(POLL_MS)
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
