/**
 * Checks a built binary: version, index, search, watching, memory, some messages of the protocol, a hostile folder.
 *
 *   bun scripts/smoke.ts dist/aman                          on this system
 *   bun scripts/smoke.ts --bare-root dist/aman              in a root folder with nothing else (Linux)
 *   bun scripts/smoke.ts --wine dist/aman-windows-x64.exe   in Wine
 *   bun scripts/smoke.ts --qemu dist/aman-linux-arm64       in QEMU
 *
 * Exits with 1 if a check fails, with 3 if this machine lacks Wine, QEMU or what a bare root needs.
 */
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { inBareRoot, inQemu, inWine, onThisSystem, type Place } from "./release/places.ts"
import { CHECKS } from "./release/smoke-checks.ts"

const NO_SUCH_PLACE = 3

const PLACES = [
  { flag: "bare-root", make: inBareRoot, lacking: "no namespaces here: not Linux, or not allowed" },
  { flag: "wine", make: inWine, lacking: "no Wine here" },
  { flag: "qemu", make: inQemu, lacking: "no qemu-aarch64 here, or no /usr/aarch64-linux-gnu" },
] as const

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "bare-root": { type: "boolean" }, wine: { type: "boolean" }, qemu: { type: "boolean" } },
  })
  if (positionals.length !== 1)
    throw new Error("usage: bun scripts/smoke.ts [--bare-root | --wine | --qemu] BINARY")
  const binary = resolve(positionals[0]!)
  const asked = PLACES.filter(({ flag }) => values[flag])
  const make = asked[0]?.make ?? onThisSystem
  using place = make(binary)
  if (place) return (await check(place)) ? 0 : 1
  console.error(asked[0]?.lacking)
  return NO_SUCH_PLACE
}

async function check(place: Place): Promise<boolean> {
  console.log(`${place.name}:`)
  let isWell = true
  for (const [name, run] of CHECKS) {
    try {
      console.log(`ok    ${name}: ${await run(place)}`)
    } catch (error) {
      isWell = false
      console.log(`WRONG ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return isWell
}
