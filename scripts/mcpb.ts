/**
 * Packs the binaries of `npm run build -- --all` as bundles for desktop clients: dist/aman-<target>.mcpb.
 *
 *   bun scripts/mcpb.ts [--from dist] [--version 1.2.3] [target...]
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { manifests } from "./manifests.ts"
import { PRODUCT, project } from "./release/product.ts"
import { TARGETS, type Target, targetNamed } from "./targets.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string", default: join(project, "dist") },
    version: { type: "string", default: PRODUCT.version },
  },
})
const folder = resolve(values.from)
for (const target of positionals.length > 0 ? positionals.map(targetNamed) : TARGETS) pack(target)

function pack(target: Target): void {
  const extension = target.os === "windows" ? ".exe" : ""
  const binary = join(folder, `aman-${target.name}${extension}`)
  if (!existsSync(binary)) throw new Error(`${binary} is missing: npm run build -- --target ${target.name}`)
  const staging = mkdtempSync(join(tmpdir(), "aman-mcpb-"))
  try {
    mkdirSync(join(staging, "server"))
    copyFileSync(binary, join(staging, "server", `aman${extension}`))
    for (const paper of ["LICENSE", "THIRD_PARTY_NOTICES"])
      copyFileSync(join(project, paper), join(staging, paper))
    writeFileSync(join(staging, "manifest.json"), JSON.stringify(manifestFor(target, extension), null, 2))
    const bundle = join(folder, `aman-${target.name}.mcpb`)
    const packer = join(project, "node_modules", ".bin", "mcpb")
    const { status, stdout, stderr } = spawnSync(packer, ["pack", staging, bundle], { encoding: "utf8" })
    if (status !== 0) throw new Error(`mcpb pack failed: ${stdout}${stderr}`)
    console.log(bundle)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function manifestFor({ os }: Target, extension: string): object {
  const manifest = JSON.parse(manifests().get("packaging/mcpb/manifest.json")!)
  manifest.version = values.version
  manifest.server.entry_point += extension
  manifest.compatibility.platforms = [os === "windows" ? "win32" : os]
  return manifest
}
