import { type Language, spelling } from "../programs.ts"

const PACKAGE = `export const ‹+x.c1› = 3

export interface ‹+x.I1› {
  ‹+x.I1.m1›(n: number): number
}

export class ‹+x.T1› {
  ‹+x.T1.p1›: number = 1
  constructor(n: number = 0) {
    this.‹x.T1.p1› = n
  }
  ‹+x.T1.m1›(n: number): number {
    return this.‹x.T1.p1› + n
  }
  ‹+x.T1.m2›(): ‹x.T1› {
    return this
  }
  static ‹+x.T1.m4›(n: number): number {
    return n
  }
}

export class ‹+x.T2› extends ‹x.T1› {
  override ‹+x.T2.m1›(n: number): number {
    return super.‹x.T1.m1›(n)
  }
}

export class ‹+x.T3› {
  ‹+x.T3.p1› = 1
  ‹+x.T3.m1›(n: number): number {
    return this.‹x.T3.p1› * n
  }
}

export function ‹+x.f1›(n: number): number {
  return n + ‹x.c1›
}

export function ‹+x.f2›(): ‹x.T1› {
  return new ‹x.T1›(1)
}

export const ‹+x.f3› = (‹-v1›: ‹x.T1›, n: number): number =>
  ‹-v1›.‹x.T1.m2›().‹x.T1.m1›(n)
`

const named = (tops: readonly string[], as: string, by = (slot: string) => `‹${as}.${slot}›`) =>
  tops.map(by).join(", ")
const ALL = ["T1", "T2", "T3", "I1", "f1", "f2", "f3", "c1"]

export const typescript: Language = {
  name: "typescript",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper" }),
  tree: {
    "tsconfig.json":
      '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "preserve", "paths": { "~/*": ["./*"] } } }\n',
  },
  module: ({ package: name }) => (name === "lib" ? "lib" : `../${name}/core`),
  package: ({ package: name }) => (name === "lib" ? { "lib.ts": PACKAGE } : { [`${name}/core.ts`]: PACKAGE }),
  forms: [
    { name: "named", head: (tops, { as }) => `import { ${named(tops, as)} } from "§${as}"\n`, isBare: true },
    {
      name: "named with extension",
      head: (tops, { as }) => `import { ${named(tops, as)} } from "§${as}.ts"\n`,
      isBare: true,
      isOwn: true,
    },
    {
      name: "path alias",
      head: (tops, { as, package: p }) => `import { ${named(tops, as)} } from "~/§root/${p}/core"\n`,
      isBare: true,
      isOwn: true,
    },
    {
      name: "renamed",
      head: (tops, { as }) =>
        `import { ${named(tops, as, (slot) => `‹${as}.${slot}› as ‹${as}.${slot}:R${slot}›`)} } from "§${as}"\n`,
      alias: (slot) => `R${slot}`,
    },
    {
      name: "namespace",
      head: (_, { as }) => `import * as q${as} from "§${as}"\n`,
      prefix: ({ as }) => `q${as}.`,
    },
    {
      name: "beside",
      head: (tops, { as }) => `import { ${named(tops, as)} } from "./core"\n`,
      isBare: true,
      isInside: true,
    },
    {
      name: "barrel",
      head: (tops, { as, package: p }) => `import { ${named(tops, as)} } from "../pub_${p}"\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p, as }) => ({
        [`pub_${p}.ts`]: `export { ${named(ALL, as)} } from "./${p}/core"\n`,
      }),
    },
    {
      name: "star barrel",
      head: (tops, { as, package: p }) => `import { ${named(tops, as)} } from "../star_${p}"\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p }) => ({ [`star_${p}.ts`]: `export * from "./${p}/core"\n` }),
    },
    {
      name: "namespace barrel",
      head: (_, { package: p }) => `import { ns${p} } from "../ns_${p}"\n`,
      prefix: ({ package: p }) => `ns${p}.`,
      isOwn: true,
      files: ({ package: p }) => ({ [`ns_${p}.ts`]: `export * as ns${p} from "./${p}/core"\n` }),
    },
    {
      name: "renaming barrel",
      head: (tops, { as, package: p }) =>
        `import { ${named(tops, as, (slot) => `‹${as}.${slot}:B${slot}›`)} } from "../ren_${p}"\n`,
      alias: (slot) => `B${slot}`,
      isOwn: true,
      files: ({ package: p, as }) => ({
        [`ren_${p}.ts`]: `export { ${named(ALL, as, (slot) => `‹${as}.${slot}› as ‹${as}.${slot}:B${slot}›`)} } from "./${p}/core"\n`,
      }),
    },
    {
      name: "import and export barrel",
      head: (tops, { as, package: p }) => `import { ${named(tops, as)} } from "../two_${p}"\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p, as }) => ({
        [`two_${p}.ts`]: `import { ${named(ALL, as)} } from "./${p}/core"\nexport { ${named(ALL, as)} }\n`,
      }),
    },
  ],
  user: ({ number, form, place, head, body }) => [
    form.isInside ? `${place.package}/user${number}.ts` : `u/user${number}.ts`,
    `${head}\n${body}`,
  ],
  pieces: [
    { name: "call", code: `export function g§n() {\n  return ‹x.f1›(1)\n}` },
    {
      name: "both packages",
      code: `export function g§n() {\n  const n = ‹x.f1›(1)\n  return n + ‹y.f1›(2)\n}`,
    },
    { name: "constant", code: `export const g§n = ‹x.c1› + 1` },
    { name: "arrow function", code: `export const g§n = () => ‹x.f3›(‹x.f2›(), 1)` },
    {
      name: "typed parameter",
      code: `export function g§n(‹-v2›: ‹x.T1›⟦¦, n: number¦, ...n: number[]⟧) {\n  ‹-v2›.‹x.T1.m1›(1)\n  return ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "optional parameter",
      code: `export function g§n(‹-v2›⟦?: ‹x.T1›¦: ‹x.T1› | undefined¦: null | ‹x.T1›⟧) {\n  return ‹-v2›?.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "both types",
      code: `export function g§n(‹-v2›: ‹x.T1›,\n  ‹-v3›: ‹y.T1›) {\n  ‹-v2›.‹x.T1.m1›(1)\n  return ‹-v3›.‹y.T1.m1›(1)\n}`,
    },
    {
      name: "construction",
      code: `export function g§n() {\n  const ‹-v2› = new ‹x.T1›(1)\n  ‹-v2›.‹x.T1.m1›(1)\n  return ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "annotated local",
      code: `export function g§n(given: any) {\n  const ‹-v2›: ‹x.T1› = given\n  return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "cast",
      code: `export function g§n(given: unknown) {\n  return (given as ‹x.T1›).‹x.T1.m1›(1)\n}`,
    },
    {
      name: "result",
      code: `export function g§n() {\n  const ‹-v2› = ‹x.f2›()\n  return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "awaited",
      code: `async function h§n(): Promise<‹x.T1›> {\n  return ‹x.f2›()\n}\nexport async function g§n() {\n  const ‹-v2› = await h§n()\n  return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    { name: "chain", code: `export function g§n() {\n  return ‹x.f2›().‹x.T1.m2›().‹x.T1.m1›(1)\n}` },
    { name: "interface", code: `export function g§n(‹-v2›: ‹x.I1›) {\n  return ‹-v2›.‹x.I1.m1›(1)\n}` },
    {
      name: "implements here",
      code: `export class W§n implements ‹x.I1› {\n  ‹-m1›(n: number) {\n    return n\n  }\n  get() {\n    return this.‹-m1›(1)\n  }\n}`,
    },
    {
      name: "override",
      code: `export function g§n(‹-v2›: ‹x.T2›) {\n  ‹-v2›.‹x.T2.m1›(1)\n  return ‹-v2›.‹x.T1.m2›()\n}`,
    },
    {
      name: "subclass here",
      code: `export class S§n extends ‹x.T1› {\n  over() {\n    this.‹x.T1.m1›(1)\n    return this.‹x.T1.p1›\n  }\n}`,
    },
    {
      name: "override here",
      code: `export class S§n extends ‹x.T1› {\n  override ‹-m1›(n: number) {\n    return super.‹x.T1.m1›(n)\n  }\n  over() {\n    return this.‹-m1›(1)\n  }\n}`,
    },
    {
      name: "constructor property",
      code: `export class H§n {\n  constructor(⟦private readonly¦public¦readonly⟧ inner: ‹x.T1›) {}\n  over() {\n    return this.inner.‹x.T1.m1›(1)\n  }\n}`,
    },
    {
      name: "declared field",
      code: `export class H§n {\n  ⟦private¦#¦⟧inner: ‹x.T1› = ‹x.f2›()\n}`.replace("⟦private¦#¦⟧", ""),
    },
    {
      name: "field assigned in the constructor",
      code: `export class H§n {\n  private inner: ‹x.T1›\n  constructor(inner: ‹x.T1›) {\n    this.inner = inner\n  }\n  over() {\n    return this.inner.‹x.T1.m1›(1)\n  }\n}`,
    },
    {
      name: "injected field",
      code: `declare function inject<T>(type: new (...args: any[]) => T): T\nexport class H§n {\n  private inner = inject(‹x.T1›)\n  over() {\n    return this.inner.‹x.T1.m1›(1)\n  }\n}`
        .replace("declare function inject<T>", "declare function inject§n<T>")
        .replace("= inject(", "= inject§n("),
    },
    { name: "static method", code: `export function g§n() {\n  return ‹x.T1›.‹x.T1.m4›(1)\n}` },
    {
      name: "parameter shadows function",
      code: `export function g§n(‹-f1›: (n: number) => number) {\n  return ‹-f1›(1)\n}`,
    },
    {
      name: "destructured parameter",
      code: `export function g§n({ ‹-f1› }: { ‹-f1›: (n: number) => number }) {\n  return ‹-f1›(1)\n}`,
    },
    {
      name: "local shadows function",
      code: `export function g§n() {\n  ⟦const¦let⟧ ‹-f1› = (n: number) => n\n  return ‹-f1›(1)\n}`,
    },
    {
      name: "later local in a block",
      code: `export function g§n(b: boolean) {\n  if (b) {\n    const ‹-f1› = (n: number) => n\n    return ‹-f1›(1)\n  }\n  return ‹x.f1›(1)\n}`,
    },
    {
      name: "loop variable shadows function",
      code: `export function g§n(all: ((n: number) => number)[]) {\n  for (const ‹-f1› of all) {\n    ‹-f1›(1)\n  }\n}`,
    },
    {
      name: "catch variable",
      code: `export function g§n() {\n  try {\n    return 1\n  } catch (‹-f1›) {\n    return String(‹-f1›)\n  }\n}`,
    },
    {
      name: "nested function",
      code: `export function g§n() {\n  function ‹-f1›(n: number) {\n    return n\n  }\n  return ‹-f1›(1)\n}`,
    },
    {
      name: "local of a nested function",
      code: `export function g§n() {\n  const inner = () => {\n    const ‹-f1› = 1\n    return ‹-f1›\n  }\n  return ‹x.f1›(inner())\n}`,
    },
    { name: "type parameter", code: `export function g§n<‹-T1›>(given: ‹-T1›): ‹-T1› {\n  return given\n}` },
    {
      name: "caller of the same name",
      code: `export class C§n {\n  ‹-f1›(n: number) {\n    return ‹x.f1›(n)\n  }\n}`,
    },
    {
      name: "equal member of an own type",
      code: `class E§n {\n  ‹-m1›(n: number) {\n    return n\n  }\n}\nexport function g§n(e: E§n) {\n  return e.‹-m1›(1)\n}`,
    },
    { name: "untyped value", code: `export function g§n(given: any) {\n  return given.‹-m1›(1)\n}` },
    {
      name: "variable named like the type",
      code: `export function g§n(‹-T1:theT1›: any) {\n  return ‹-T1:theT1›.‹-m1›(1)\n}`,
    },
    { name: "key of a literal", code: `export const k§n = {\n  ‹-f1›: 1,\n  ‹-m1›: 2,\n}` },
    {
      name: "shorthand key",
      code: `export const k§n = {\n  ‹x.f1›,\n}`,
      not: ["namespace", "renamed", "namespace barrel", "renaming barrel"],
    },
    {
      name: "method of a literal",
      code: `export const k§n = {\n  ‹-f1›(n: number) {\n    return ‹x.f1›(n)\n  },\n}`,
    },
    {
      name: "loop over values",
      code: `export function g§n(all: ⟦‹x.T1›[]¦readonly ‹x.T1›[]¦Set<‹x.T1›>⟧) {\n  for (const ‹-v2› of all) {\n    ‹-v2›.‹x.T1.m1›(1)\n  }\n}`,
    },
    {
      name: "callback parameter",
      code: `export function g§n(all: ‹x.T1›[]) {\n  return all.map((‹-v2›) => ‹-v2›.‹x.T1.m1›(1))\n}`,
    },
    {
      name: "instanceof",
      code: `export function g§n(given: unknown) {\n  if (given instanceof ‹x.T1›) return given.‹x.T1.m1›(1)\n  return 0\n}`,
    },
    {
      name: "type alias",
      code: `type A§n = ‹x.T1›\nexport function g§n(‹-v2›: A§n) {\n  return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "generic bound",
      code: `export function g§n<T extends ‹x.I1›>(‹-v2›: T) {\n  return ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
    { name: "function as value", code: `export const g§n = [1].map(‹x.f1›)` },
    {
      name: "destructured member",
      code: `export function g§n(given: ‹x.T1›) {\n  const { ‹x.T1.p1› } = given\n  return 1\n}`,
    },
    {
      name: "renamed destructuring",
      code: `export function g§n(given: ‹x.T1›) {\n  const { ‹x.T1.p1›: ‹-f1› } = given\n  return ‹-f1›\n}`,
    },
    { name: "typeof", code: `export type Y§n = typeof ‹x.f1›` },
  ],
}
