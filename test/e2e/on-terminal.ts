import { binary, type Workspace } from "./harness.ts"

export const COLUMNS = 72

/** Runs the binary on a terminal of its own and returns what it writes. */
export async function onTerminal(
  space: Workspace,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /**
   * Answers in the order in which they are given: `typed` is entered when the text `to` appears after the text for
   * which the previous answer waited.
   */
  ...answers: readonly { readonly to: string; readonly typed: string }[]
) {
  let written = ""
  let from = 0
  const open = [...answers]
  const decoder = new TextDecoder()
  const child = Bun.spawn([binary, ...args], {
    cwd: space.project,
    env: { ...space.env, TERM: "xterm-256color", ...env },
    terminal: {
      cols: COLUMNS,
      rows: 40,
      data: (_, data) => {
        written += decoder.decode(data, { stream: true })
        const at = open.length === 0 ? -1 : written.indexOf(open[0]!.to, from)
        if (at < 0) return
        from = at + open[0]!.to.length
        child.terminal?.write(open.shift()!.typed)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  // What was cleared is not seen any more: on a busy machine, progress is shown before the answer.
  const lines = written.split("\r\n").map((line) => Bun.stripANSI(line.split("\x1b[2K").at(-1)!))
  return { code, written, lines }
}
