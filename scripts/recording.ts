/**
 * Writes docs/recording.svg, a recording of the real program on a terminal, used on a clone of this repository.
 *
 *   bun scripts/recording.ts [--binary dist/aman] [--out docs/recording.svg]
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Span, spansOf } from "./release/ansi-spans.ts"
import { project } from "./release/product.ts"
import { terminalSvg } from "./release/terminal-svg.ts"

const COLUMNS = 96
const ROWS = 24

/** One screen each; the last one shows a memory whose code has changed since. */
const SCENES: readonly (readonly string[])[] = [
  ["aman search --limit 1 how are chunks merged"],
  ["aman symbol findWorkers --callers", "aman grep -w findWorkers src scripts"],
  [
    "aman remember --source scripts/targets.ts#TARGETS 'No Windows on ARM: GoReleaser cannot build it'",
    "aman recall why is there no Windows on ARM",
  ],
  ["sed -i /darwin-x64/d scripts/targets.ts", "aman recall why is there no Windows on ARM"],
]
const SECONDS_OF_A_SCENE = 6

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      binary: { type: "string", default: join(project, "dist", "aman") },
      out: { type: "string", default: join(project, "docs", "recording.svg") },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), "aman-recording-"))
  try {
    const clone = join(folder, "aman")
    must(["git", "clone", "--quiet", project, clone])
    const play = stage(resolve(values.binary), folder, clone)
    await play("aman index --quiet")
    const scenes: Span[][][] = []
    for (const commands of SCENES) scenes.push(await scene(commands, play))
    const description = SCENES.flat().join("; ")
    const film = {
      title: "aman on its own source code",
      description: `Made by scripts/recording.ts from the program itself: ${description}`,
      columns: COLUMNS,
      rows: ROWS,
      scenes: scenes.map((lines) => ({ seconds: SECONDS_OF_A_SCENE, lines })),
    }
    writeFileSync(resolve(values.out), terminalSvg(film))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Play = (command: string) => Promise<string>

async function scene(commands: readonly string[], play: Play): Promise<Span[][]> {
  const lines: Span[][] = []
  for (const command of commands) {
    if (lines.length > 0) lines.push([])
    lines.push(...spansOf(`\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m`))
    const written = (await play(command)).replace(/\s+$/, "")
    if (written !== "") lines.push(...spansOf(written))
  }
  if (lines.length > ROWS) lines.splice(ROWS - 1, lines.length, ...spansOf("\u001b[2m…\u001b[22m"))
  return lines
}

/** Runs a line in a shell on a terminal, and returns what was printed. */
function stage(binary: string, folder: string, cwd: string): Play {
  const bin = join(folder, "bin")
  mkdirSync(bin)
  must(["ln", "-s", binary, join(bin, "aman")])
  const home = join(folder, "home")
  mkdirSync(home)
  const env = {
    HOME: home,
    AMAN_DATA_DIR: join(home, "data"),
    PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    OLLAMA_HOST: "127.0.0.1:9",
  }
  return async (command) => {
    let written = ""
    const decoder = new TextDecoder()
    const child = Bun.spawn(["sh", "-c", command], {
      cwd,
      env,
      terminal: {
        cols: COLUMNS,
        rows: ROWS,
        data: (_, data) => {
          written += decoder.decode(data, { stream: true })
        },
      },
    })
    const code = await child.exited
    child.terminal?.close()
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${written}`)
    return written
  }
}

function must([command, ...args]: readonly string[]): void {
  const { status, stderr } = spawnSync(command!, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`)
}
