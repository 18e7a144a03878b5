"use strict"
const { spawn } = require("node:child_process")
const { dirname, join } = require("node:path")

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]

/**
 * Starts a program that npm installed as a package for this system, with Node.js 18 or later. Neither unpacks nor
 * downloads anything.
 *
 * @param {{ program: string, prefix: string, arch: string, packages: readonly string[] }} of `prefix` is how the name of
 *   each package begins, `arch` is this machine in these names, and `packages` are the names for all systems.
 */
exports.launch = function launch({ program, prefix, arch, packages }) {
  const system = process.platform === "win32" ? "windows" : process.platform
  const name = `${prefix}${system}-${arch}${isMusl() ? "-musl" : ""}`
  start(find())

  function find() {
    try {
      const folder = dirname(require.resolve(`${name}/package.json`))
      return join(folder, "bin", process.platform === "win32" ? `${program}.exe` : program)
    } catch {
      if (packages.includes(name)) {
        fail(
          `the program for this system is not installed (${name})`,
          "npm leaves it out with --omit=optional, and where node_modules came from another system: run npm install again, here",
        )
      }
      fail(
        `there is no ${program} for ${process.platform} on ${process.arch}`,
        `there is ${packages.join(", ")}`,
      )
    }
  }

  function start(path) {
    const child = spawn(path, process.argv.slice(2), { stdio: "inherit" })
    // A signal to the launcher is meant for the program.
    for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
    child.on("error", (error) => fail(`${path} does not start: ${error.message}`, "install it again"))
    child.on("exit", (code, signal) => {
      if (signal === null) process.exit(code)
      for (const each of SIGNALS) process.removeAllListeners(each)
      process.kill(process.pid, signal)
    })
  }

  function fail(message, hint) {
    process.stderr.write(`${program}: ${message}\nhint: ${hint}\n`)
    process.exit(3)
  }
}

function isMusl() {
  if (process.platform !== "linux") return false
  // A report on musl names no version of glibc.
  process.report.excludeNetwork = true
  return !process.report.getReport().header.glibcVersionRuntime
}
