import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { forwarderDll } from "./forwarder-dll.ts"

/** Where a binary is tried: a folder of its own, and how a process is started in it. */
export type Place = Disposable & {
  readonly name: string
  /** The folder as this process sees it; projects, home and all else lie below. */
  readonly folder: string
  /** The command that starts the binary below a folder of `folder`. */
  readonly command: (startIn: string) => readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Whether a process can be talked to through pipes, line by line. */
  readonly talks: boolean
}

/** This system, as it is. */
export function onThisSystem(binary: string): Place {
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  return {
    name: "this system",
    folder,
    command: () => [copy],
    env: homeIn(folder),
    talks: true,
    ...gone(folder),
  }
}

/**
 * A root folder with nothing in it but the binary, what it is linked with and /proc, which Bun reads its stack's
 * place from. Needs Linux and the right to make namespaces: null without.
 */
export function inBareRoot(binary: string): Place | null {
  const namespaces = ["-mpf", "-rmpf"].find((flags) => runs("unshare", [flags, "--mount-proc", "true"]))
  if (namespaces === undefined) return null
  const folder = newFolder()
  copyOf(binary, join(folder, "bin"))
  for (const library of librariesOf(binary)) {
    mkdirSync(join(folder, dirname(library)), { recursive: true })
    cpSync(realpathSync(library), join(folder, library))
  }
  for (const empty of ["proc", "tmp"]) mkdirSync(join(folder, empty))
  const inside = (path: string) => path.slice(folder.length) || "/"
  return {
    name: "a bare root folder",
    folder,
    command: (startIn) => [
      "unshare",
      namespaces,
      // What runs there would outlive a check that is over.
      "--kill-child",
      "--mount-proc",
      `--root=${folder}`,
      `--wd=${inside(startIn)}`,
      `/bin/${basename(binary)}`,
    ],
    env: { HOME: "/home", TMPDIR: "/tmp", PATH: "" },
    talks: true,
    ...gone(folder),
  }
}

/** Windows, as Wine has it; null where there is no Wine. */
export function inWine(binary: string): Place | null {
  const wine = ["wine64", "wine", "/usr/lib/wine/wine64"].find((name) => runs(name, ["--version"]))
  if (wine === undefined) return null
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  // Bun asks Windows for random numbers through a library that Wine has from version 9 on.
  writeFileSync(
    join(folder, "bin", "bcryptprimitives.dll"),
    forwarderDll("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"),
  )
  const env = { ...homeIn(folder), WINEPREFIX: join(folder, "wine"), WINEDEBUG: "-all" }
  // In Wine 8 Bun cannot read from a pipe (EBADF), only from a file.
  return { name: "Wine", folder, command: () => [wine, copy], env, talks: false, ...gone(folder) }
}

/** Linux on ARM, as QEMU translates it; null where there is none, or no libraries for it. */
export function inQemu(binary: string): Place | null {
  const libraries = "/usr/aarch64-linux-gnu"
  if (!runs("qemu-aarch64", ["--version"]) || !existsSync(libraries)) return null
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  const command = ["qemu-aarch64", "-L", libraries, copy]
  return { name: "QEMU", folder, command: () => command, env: homeIn(folder), talks: true, ...gone(folder) }
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "aman smoke ")))
}

function copyOf(binary: string, folder: string): string {
  mkdirSync(folder)
  const copy = join(folder, basename(binary))
  copyFileSync(binary, copy)
  return copy
}

function homeIn(folder: string): Record<string, string> {
  const home = join(folder, "home")
  return { HOME: home, USERPROFILE: home, TMPDIR: folder, PATH: process.env["PATH"] ?? "" }
}

/** The loader and the libraries, by absolute path. */
function librariesOf(binary: string): string[] {
  const { stdout } = spawnSync("ldd", [binary], { encoding: "utf8" })
  return [...stdout.matchAll(/(?:^|\s)(\/\S+)/gm)].map((match) => match[1]!)
}

function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0
}

function gone(folder: string): Disposable {
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
