import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { bunPath, targetNamed } from "../targets.ts"
import { signAdHoc } from "./ad-hoc-signature.ts"
import { signatureProblems } from "./code-signature.ts"
import { smallMachO } from "./small-macho.ts"

test("an ad hoc signature is valid, and signing again gives the same bytes", () => {
  for (const bytes of [4096, 5000, 20_000]) {
    const signed = signAdHoc(smallMachO(bytes), "aman")
    expect(signatureProblems(signed)).toEqual([])
    expect(signAdHoc(signed, "aman").equals(signed)).toBe(true)
  }
})

test("detects any changed byte before the signature", () => {
  const signed = signAdHoc(smallMachO(9000), "aman")
  fc.assert(
    fc.property(fc.nat(8999), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(signed)
      changed[at]! ^= change
      expect(signatureProblems(changed)).not.toEqual([])
    }),
  )
})

describe("reports", () => {
  const signed = () => signAdHoc(smallMachO(9000), "aman")
  test("a changed page", () => {
    const changed = signed()
    changed[5000]! ^= 1
    expect(signatureProblems(changed)).toEqual(["1 of 3 pages have another hash, first 1"])
  })
  test("a signature that covers too little", () => {
    const file = signed()
    const at = 9008 + 20
    file.writeUInt32BE(8192, at + 32)
    expect(signatureProblems(file)[0]).toBe("signed are 8192 bytes of the 9008 before the signature")
  })
  test("a file that is no program, unsigned, cut short or followed by more bytes", () => {
    expect(signatureProblems(Buffer.from("#!/bin/sh\n"))).toEqual(["no 64-bit Mach-O file"])
    expect(signatureProblems(Buffer.alloc(0))).toEqual(["no 64-bit Mach-O file"])
    expect(signatureProblems(smallMachO(9000))).not.toEqual([])
    expect(signatureProblems(signed().subarray(0, 9100))).not.toEqual([])
    expect(signatureProblems(Buffer.concat([signed(), Buffer.from("more")]))[0]).toMatch(
      /^the signature ends at/,
    )
  })
})

describe.each(["darwin-x64", "darwin-arm64"])("Bun's output for %s, if it was built,", (name) => {
  const target = targetNamed(name)
  // Bun for this target, if a build has downloaded it; a test downloads nothing.
  const runtime = bunPath(target)
  const folder = mkdtempSync(join(tmpdir(), "aman-macho-"))
  const outfile = join(folder, "program")
  beforeAll(async () => {
    if (!existsSync(runtime)) return
    writeFileSync(join(folder, "main.ts"), `console.log("${"one ".repeat(5000)}")\n`)
    const compile = { outfile, target: target.bun, executablePath: runtime }
    await Bun.build({ entrypoints: [join(folder, "main.ts")], compile })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.skipIf(!existsSync(runtime))("is valid after signing, and not with one bit flipped", () => {
    const compiled = readFileSync(outfile)
    if (name === "darwin-x64") expect(signatureProblems(compiled)).not.toEqual([])
    else expect(signatureProblems(compiled)).toEqual([])
    const signed = signAdHoc(compiled, "aman")
    expect(signatureProblems(signed)).toEqual([])
    signed[Math.floor(signed.length / 2)]! ^= 1
    expect(signatureProblems(signed)).toHaveLength(1)
  })
  test.skipIf(!existsSync(runtime))(
    "is based on a program whose own signature and entitlements are valid",
    () => {
      expect(signatureProblems(readFileSync(runtime))).toEqual([])
    },
  )
})
