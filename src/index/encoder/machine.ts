import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { openSystemLibrary } from "../../base/index.ts"

/**
 * True if work that can wait should not run now: the machine runs on battery, or more programs are ready to run than it
 * has processors, counting the caller. Windows reports no load.
 */
export function isMachineBusy(): boolean {
  return loadavg()[0]! > availableParallelism() || isOnBattery()
}

function isOnBattery(): boolean {
  try {
    if (process.platform === "linux") return hasDischargingBattery("/sys/class/power_supply")
    if (process.platform === "darwin")
      return Bun.spawnSync(["/usr/bin/pmset", "-g", "batt"]).stdout.toString().includes("'Battery Power'")
    if (process.platform === "win32") return windowsOnBattery()
  } catch {
    // A machine that does not say so has no battery.
  }
  return false
}

/** By the kernel's interface (Documentation/ABI/testing/sysfs-class-power); batteries of devices do not count. */
function hasDischargingBattery(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const read = (property: string) => readFileSync(`${folder}/${name}/${property}`, "utf8").trim()
    try {
      return read("type") === "Battery" && read("status") === "Discharging" && read("present") === "1"
    } catch {
      return false
    }
  })
}

/** By GetSystemPowerStatus, whose first byte is 0 on battery. */
function windowsOnBattery(): boolean {
  const status = new Uint8Array(12)
  const library = openSystemLibrary({ GetSystemPowerStatus: { args: ["ptr"], returns: "i32" } }, [
    "kernel32.dll",
  ])
  return library !== null && library.GetSystemPowerStatus(status) !== 0 && status[0] === 0
}
