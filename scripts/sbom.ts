/**
 * Writes the list of all packages in the binary, as CycloneDX 1.6.
 *
 *   bun scripts/sbom.ts aman.cdx.json
 */
import { writeFileSync } from "node:fs"
import { embeddedPackages, packageFacts } from "./release/embedded-packages.ts"
import { PRODUCT } from "./release/product.ts"

export async function billOfMaterials(): Promise<object> {
  const packages = (await embeddedPackages()).map(packageFacts)
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", PRODUCT.name, PRODUCT.version, PRODUCT.license) },
    components: [
      { ...component("platform", "bun", Bun.version, "MIT"), purl: `pkg:npm/bun@${Bun.version}` },
      ...packages.map(({ name, version, license }) => ({
        ...component("library", name, version, license),
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      })),
    ],
  }
}

function component(type: string, name: string, version: string, license: string): object {
  return { type, name, version, licenses: [{ license: { id: license } }] }
}

if (import.meta.main) {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new Error("usage: bun scripts/sbom.ts FILE")
  writeFileSync(file, `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)
}
