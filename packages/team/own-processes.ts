import { isCompiled } from "../../src/base/index.ts"

/** A process of this program that ends when this one is gone. */
export type OwnProcess = Bun.Subprocess<"ignore", "pipe", "inherit">

/** Starts this program again with these arguments of `aman team`. */
export function startOwn(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): OwnProcess {
  // A development run is that of its first file.
  const command = isCompiled() ? [process.execPath] : [process.execPath, Bun.main]
  return Bun.spawn([...command, "team", ...args], {
    // In a session of its own, a process gets no Ctrl-C from the terminal, only the signal from here.
    ...{ env, stdin: "ignore", stdout: "pipe", stderr: "inherit", detached: true },
    // A process whose channel closes ends itself.
    ipc: () => {},
  })
}

/** Ends the processes: by SIGTERM, after `graceMs` milliseconds by SIGKILL. */
export async function endOwn(processes: readonly OwnProcess[], graceMs: number): Promise<void> {
  for (const child of processes) child.kill("SIGTERM")
  const ended = Promise.all(processes.map((child) => child.exited))
  await Promise.race([ended, Bun.sleep(graceMs)])
  for (const child of processes) child.kill("SIGKILL")
  await ended
}

/** Calls `onLine` for each line that a process prints. */
export async function eachLine({ stdout }: OwnProcess, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const part of stdout) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop()!
    for (const line of lines) onLine(line)
  }
}
