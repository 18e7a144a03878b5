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

/** An environment in which a binary is tested: a folder of its own, and the way to start a process in it. */
export type Place = Disposable & {
  readonly name: string
  /** The folder as this process sees it; projects, home folder and everything else are below it. */
  readonly folder: string
  /** Command that starts the binary in a folder below `folder`. */
  readonly command: (startIn: string) => readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** True if a process can be asked and can answer line by line, through pipes. */
  readonly hasPipes: boolean
}

/** This system without any isolation. */
export function onThisSystem(binary: string): Place {
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  return {
    name: "this system",
    folder,
    command: () => [copy],
    env: homeIn(folder),
    hasPipes: true,
    ...gone(folder),
  }
}

/**
 * A root folder that contains nothing but the binary, its libraries and /proc, from which Bun reads the place
 * of its stack. Null without Linux or the right to create namespaces.
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
      // Otherwise a process in there would survive an aborted check.
      "--kill-child",
      "--mount-proc",
      `--root=${folder}`,
      `--wd=${inside(startIn)}`,
      `/bin/${basename(binary)}`,
    ],
    env: { HOME: "/home", TMPDIR: "/tmp", PATH: "" },
    hasPipes: true,
    ...gone(folder),
  }
}

/** Windows, as emulated by Wine; null without Wine. */
export function inWine(binary: string): Place | null {
  const wine = ["wine64", "wine", "/usr/lib/wine/wine64"].find((name) => runs(name, ["--version"]))
  if (wine === undefined) return null
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  // Bun gets random numbers from a library of Windows that Wine has only since version 9, so a substitute is
  // placed beside the binary.
  writeFileSync(
    join(folder, "bin", "bcryptprimitives.dll"),
    forwarderDll("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"),
  )
  const env = { ...homeIn(folder), WINEPREFIX: join(folder, "wine"), WINEDEBUG: "-all" }
  // In Wine 8, Bun cannot read from a pipe (EBADF), only from a file.
  return { name: "Wine", folder, command: () => [wine, copy], env, hasPipes: false, ...gone(folder) }
}

/** Linux on ARM, as emulated by QEMU; null without QEMU or without libraries for ARM. */
export function inQemu(binary: string): Place | null {
  const libraries = "/usr/aarch64-linux-gnu"
  if (!runs("qemu-aarch64", ["--version"]) || !existsSync(libraries)) return null
  const folder = newFolder()
  const copy = copyOf(binary, join(folder, "bin"))
  const command = ["qemu-aarch64", "-L", libraries, copy]
  return {
    name: "QEMU",
    folder,
    command: () => command,
    env: homeIn(folder),
    hasPipes: true,
    ...gone(folder),
  }
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

/** Absolute paths of the loader and the libraries of a binary. */
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
