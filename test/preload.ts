import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// Tests neither see nor change what the person who runs them has set or indexed.
const home = mkdtempSync(join(tmpdir(), "aman-home-"))
process.env["XDG_DATA_HOME"] = join(home, "data")
process.env["XDG_CONFIG_HOME"] = join(home, "config")
for (const name of Object.keys(process.env)) {
  if (name.startsWith("AMAN_") && !/^AMAN_(?:BINARY|TEST_)/u.test(name)) delete process.env[name]
}
// Where nobody listens: an Ollama of this machine is not the tests'.
process.env["OLLAMA_HOST"] = "127.0.0.1:9"
delete process.env["OPENAI_API_KEY"]
// After those of all files; a test process fires no "exit".
afterAll(() => rmSync(home, { recursive: true, force: true }))
