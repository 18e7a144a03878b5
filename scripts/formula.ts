/**
 * Writes the Homebrew formula of a release from its checksums.
 *
 *   bun scripts/formula.ts --version 1.2.3 --checksums dist/checksums.txt > Formula/aman.rb
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { PRODUCT, repository } from "./release/product.ts"

export function formula(version: string, checksums: string): string {
  const sums = new Map(
    checksums.split("\n").map((line) => line.split(/ +\*?/, 2).reverse() as [string, string]),
  )
  const place = (system: string, processor: string) => {
    const file = `aman_${system}_${processor}.tar.gz`
    const sum = sums.get(file)
    if (!/^[0-9a-f]{64}$/.test(sum ?? "")) throw new Error(`the checksums do not name ${file}`)
    return `      url "https://github.com/${repository()}/releases/download/v${version}/${file}"\n      sha256 "${sum}"`
  }
  const system = (name: string, goos: string) => `  on_${name} do
    on_arm do
${place(goos, "arm64")}
    end
    on_intel do
${place(goos, "amd64")}
    end
  end`
  return `class Aman < Formula
  desc "${PRODUCT.description.replace(/\\.$/, "")}"
  homepage "https://github.com/${repository()}"
  version "${version}"
  license "${PRODUCT.license}"

${system("macos", "darwin")}
${system("linux", "linux")}

  def install
    bin.install "aman"
    man1.install "man/aman.1"
    bash_completion.install "completions/aman.bash" => "aman"
    zsh_completion.install "completions/_aman"
    fish_completion.install "completions/aman.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/aman version")
  end
end
`
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { version: { type: "string" }, checksums: { type: "string" } } })
  if (!values.version || !values.checksums)
    throw new Error("usage: bun scripts/formula.ts --version V --checksums FILE")
  process.stdout.write(formula(values.version, readFileSync(values.checksums, "utf8")))
}
