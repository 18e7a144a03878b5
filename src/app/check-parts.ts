import { commit, version } from "../base/version.ts"
import { loadNative } from "../vector/native.ts"
import type { Check } from "./doctor.ts"

/** What the binary is made of. */
export function checkParts(): Check[] {
  const platform = `${process.platform}-${process.arch}`
  return [
    {
      name: "version",
      state: "ok",
      message: `aman ${version} (${commit}), ${platform}, Bun ${Bun.version}`,
      next: null,
    },
    loadNative() === null
      ? {
          name: "vectors",
          state: "warning",
          message: `no native vector index for ${platform}: vectors are scanned one by one, which is slower`,
          next: "use an aman built for glibc, macOS or Windows x64 where you can",
        }
      : { name: "vectors", state: "ok", message: "native index loads", next: null },
  ]
}
