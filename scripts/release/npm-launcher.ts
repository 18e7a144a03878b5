/**
 * Text of bin/aman.cjs in the npm package: it starts the program for this system, with Node 18 or later. It
 * neither unpacks nor downloads anything.
 */
export function launcher(scope: string): string {
  return `#!/usr/bin/env node
"use strict"
const { spawn } = require("node:child_process")
const { dirname, join } = require("node:path")

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]
const system = process.platform === "win32" ? "windows" : process.platform
const name = \`${scope}/aman-\${system}-\${process.arch}\${isMusl() ? "-musl" : ""}\`

start(find())

function find() {
  try {
    const folder = dirname(require.resolve(\`\${name}/package.json\`))
    return join(folder, "bin", process.platform === "win32" ? "aman.exe" : "aman")
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies)
    if (known.includes(name)) {
      fail(\`the program for this system is not installed (\${name})\`,
        "npm leaves it out with --omit=optional, and where node_modules came from another system: run npm install again, here")
    }
    fail(\`there is no aman for \${process.platform} on \${process.arch}\`, \`there is \${known.join(", ")}\`)
  }
}

function start(program) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" })
  // A signal to the launcher is meant for the program.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => fail(\`\${program} does not start: \${error.message}\`, "install it again"))
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code)
    for (const each of SIGNALS) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}

function isMusl() {
  if (process.platform !== "linux") return false
  // A report on musl names no version of glibc.
  process.report.excludeNetwork = true
  return !process.report.getReport().header.glibcVersionRuntime
}

function fail(message, hint) {
  process.stderr.write(\`aman: \${message}\\nhint: \${hint}\\n\`)
  process.exit(3)
}
`
}
