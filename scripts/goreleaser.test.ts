import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { formula } from "./formula.ts"
import { flatSchema } from "./release/flat-schema.ts"
import { schemaCheck } from "./release/json-schema.ts"
import { project } from "./release/product.ts"
import { billOfMaterials } from "./sbom.ts"
import { TARGETS } from "./targets.ts"

const text = readFileSync(join(project, ".goreleaser.yaml"), "utf8")
const config = parse(text, { merge: true })
const schema = process.env["GORELEASER_SCHEMA"]

describe(".goreleaser.yaml", () => {
  test("builds every target once, with the build script", () => {
    const targets: string[] = config.builds.flatMap((build: { targets: string[] }) => build.targets)
    expect(targets.sort()).toEqual(TARGETS.map(({ name }) => name).sort())
    for (const { command, flags, main, builder } of config.builds)
      expect({ command, script: flags[0], main, builder }).toEqual({
        command: "run",
        script: "scripts/compile.ts",
        main: "src/main.ts",
        builder: "bun",
      })
  })

  test("names archives as the install scripts expect", () => {
    const names = config.archives.map(({ name_template }: { name_template: string }) => name_template)
    expect(names).toEqual([
      "{{ .ProjectName }}_{{ .Os }}_{{ .Arch }}",
      "{{ .ProjectName }}_{{ .Os }}_{{ .Arch }}_musl",
    ])
    const script = readFileSync(join(project, "scripts", "install.sh"), "utf8")
    expect(script).toContain('printf \'aman_%s_%s%s.tar.gz\' "$os" "$arch" "$libc"')
    expect(readFileSync(join(project, "scripts", "install.ps1"), "utf8")).toContain(
      "'aman_windows_amd64.zip'",
    )
    expect(config.checksum.name_template).toBe("checksums.txt")
  })

  test("packs only existing files, or those made by scripts/packaging.ts", () => {
    const packaging = readFileSync(join(project, "scripts", "packaging.ts"), "utf8")
    const sources: string[] = [...config.archives, ...config.nfpms].flatMap(
      ({ files = [], contents = [] }: { files?: { src: string }[]; contents?: { src: string }[] }) =>
        [...files, ...contents].map(({ src }) => src),
    )
    expect(sources).toContain("THIRD_PARTY_NOTICES")
    for (const source of [...sources, config.notarize.macos[0].sign.entitlements]) {
      const [, made] = /^build\/packaging\/(?:\w+\/)?(.+)$/.exec(source) ?? []
      if (made === undefined) expect([source, existsSync(join(project, source))]).toEqual([source, true])
      else if (made !== "*") expect(packaging).toContain(made)
    }
  })

  test("uses nothing that GoReleaser calls deprecated", () => {
    for (const key of ["brews", "dockers", "docker_manifests"]) expect(config).not.toHaveProperty(key)
    for (const archive of config.archives)
      for (const key of ["format", "builds"]) expect(archive).not.toHaveProperty(key)
  })

  // The schema from https://goreleaser.com/static/schema.json, which is not copied into this repository.
  test.skipIf(schema === undefined)(
    "is valid by GoReleaser's own schema, and a wrong one is not (GORELEASER_SCHEMA)",
    () => {
      const check = schemaCheck(flatSchema(JSON.parse(readFileSync(schema!, "utf8"))))
      expect(check(config)).toEqual([])
      expect(check({ ...config, archive: [] })).toEqual([" must NOT have additional properties"])
      const [build, ...more] = config.builds
      expect(check({ ...config, builds: [{ ...build, builder: "make" }, ...more] })).not.toEqual([])
    },
  )

  test.skipIf(Bun.which("goreleaser") === null)("passes goreleaser check", () => {
    const { exitCode, stderr } = Bun.spawnSync(["goreleaser", "check"], { cwd: project })
    expect([exitCode, stderr.toString()]).toEqual([0, expect.any(String)])
  })
})

test("the formula contains every archive with its checksum, and is not written without one", () => {
  const lines = ["darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"].map(
    (system, index) => `${String(index).repeat(64)}  aman_${system}.tar.gz`,
  )
  const ruby = formula("1.2.3", `${lines.join("\n")}\n`)
  for (const line of lines) {
    const [sum, file] = line.split("  ")
    expect(ruby).toContain(`releases/download/v1.2.3/${file}"\n      sha256 "${sum}"`)
  }
  expect(ruby.match(/\bdo$/gm)).toHaveLength(7)
  expect(() => formula("1.2.3", lines.slice(1).join("\n"))).toThrow(
    "the checksums do not name aman_darwin_arm64.tar.gz",
  )
  if (Bun.which("ruby")) {
    const { exitCode } = Bun.spawnSync(["ruby", "-c"], { stdin: Buffer.from(ruby) })
    expect(exitCode).toBe(0)
  }
})

test("the bill of materials names Bun and the source of each package", async () => {
  const bill = (await billOfMaterials()) as { components: { name: string; purl: string }[] }
  const purls = bill.components.map(({ purl }) => purl)
  expect(purls[0]).toBe(`pkg:npm/bun@${Bun.version}`)
  expect(purls.find((purl) => purl.startsWith("pkg:npm/%40modelcontextprotocol/server@"))).toBeDefined()
  expect(new Set(purls).size).toBe(purls.length)
})
