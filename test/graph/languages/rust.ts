import { type Language, spelling } from "../programs.ts"

const PACKAGE = `pub const ‹+x.c1›: i32 = 3;

pub trait ‹+x.I1› {
    fn ‹+x.I1.m1›(&self, n: i32) -> i32;
}

#[derive(Default)]
pub struct ‹+x.T1› {
    pub ‹+x.T1.p1›: i32,
}

impl ‹x.T1› {
    pub fn ‹+x.T1.m4›(n: i32) -> Self {
        ‹x.T1› { ‹x.T1.p1›: n }
    }

    pub fn ‹+x.T1.m2›(&self) -> &‹x.T1› {
        self
    }

    pub fn ‹+x.T1.m3›(&self, n: i32) -> i32 {
        self.‹x.T1.p1› + n + ‹x.c1›
    }
}

pub struct ‹+x.T2› {
    pub ‹+x.T2.p1›: ‹x.T1›,
}

impl ‹x.I1› for ‹x.T2› {
    fn ‹+x.T2.m1›(&self, n: i32) -> i32 {
        self.‹x.T2.p1›.‹x.T1.m3›(n)
    }
}

impl ‹x.T2› {
    pub fn ‹+x.T2.m3›(&self, n: i32) -> i32 {
        self.‹x.T2.m1~x.I1.m1›(n)
    }
}

pub fn ‹+x.f1›(n: i32) -> i32 {
    n + ‹x.c1›
}

pub fn ‹+x.f2›() -> ‹x.T1› {
    ‹x.T1›::‹x.T1.m4›(1)
}
`

const named = (tops: readonly string[], as: string, by = (slot: string) => `‹${as}.${slot}›`) =>
  tops.map(by).join(", ")
const ALL = ["T1", "T2", "I1", "f1", "f2", "c1"]

export const rust: Language = {
  name: "rust",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper", default: "snake" }),
  program: (root) => ({
    "Cargo.toml": `[package]\nname = "${root}"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nlib = "1"\n`,
  }),
  module: ({ package: name }) => (name === "lib" ? "lib" : `crate::${name}`),
  package: ({ package: name }) =>
    name === "lib" ? { "lib.rs": PACKAGE } : { [`src/${name}/mod.rs`]: PACKAGE },
  finish: (files, root) => {
    const parts = (below: string) =>
      [...files.keys()].flatMap(
        (path) => new RegExp(`^${below}(\\w+)(?:\\.rs|/mod\\.rs)$`).exec(path)?.[1] ?? [],
      )
    const modules = (below: string) =>
      parts(below)
        .filter((part) => part !== "mod")
        .map((part) => `pub mod ${part};\n`)
        .join("")
    for (const name of ["a", "b"])
      files.set(
        `${root}/src/${name}/mod.rs`,
        files.get(`${root}/src/${name}/mod.rs`)! + modules(`${root}/src/${name}/`),
      )
    files.set(`${root}/src/lib.rs`, modules(`${root}/src/`))
  },
  forms: [
    {
      name: "use",
      head: (tops, { as }) => `use §${as}::⟦{${named(tops, as)}}¦{${named(tops, as)},}⟧;\n`,
      isBare: true,
    },
    {
      name: "use self",
      head: (_, { package: p }) => (p === "lib" ? "use lib;\n" : `use crate::${p};\n`),
      prefix: ({ package: p }) => `${p}::`,
    },
    {
      name: "renamed",
      head: (tops, { as }) =>
        `use §${as}::{${named(tops, as, (slot) => `‹${as}.${slot}› as ‹${as}.${slot}:${slot.startsWith("f") ? "r_" : slot.startsWith("c") ? "R_" : "R"}${slot}›`)}};\n`,
      alias: (slot) => `${slot.startsWith("f") ? "r_" : slot.startsWith("c") ? "R_" : "R"}${slot}`,
    },
    {
      name: "renamed module",
      head: (_, { as }) => `use §${as} as q${as};\n`,
      prefix: ({ as }) => `q${as}::`,
    },
    { name: "glob", head: (_, { as }) => `use §${as}::*;\n`, isBare: true },
    { name: "full path", head: () => "", prefix: ({ as }) => `§${as}::` },
    {
      name: "super",
      head: (tops, { as }) => `use super::{${named(tops, as)}};\n`,
      isBare: true,
      isInside: true,
    },
    {
      name: "barrel",
      head: (tops, { as, package: p }) => `use crate::pub_${p}::{${named(tops, as)}};\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p, as }) => ({ [`src/pub_${p}.rs`]: `pub use crate::${p}::{${named(ALL, as)}};\n` }),
    },
  ],
  user: ({ number, form, place, head, body }) => [
    form.isInside ? `src/${place.package}/user${number}.rs` : `src/user${number}.rs`,
    `${head}\n${body}`,
  ],
  pieces: [
    { name: "call", code: `pub fn g§n() -> i32 {\n    ‹x.f1›(1)\n}` },
    { name: "both packages", code: `pub fn g§n() -> i32 {\n    let n = ‹x.f1›(1);\n    n + ‹y.f1›(2)\n}` },
    { name: "constant", code: `pub const K§n: i32 = ‹x.c1› + 1;` },
    {
      name: "parameter",
      code: `pub fn g§n(‹-v2›: ⟦&‹x.T1›¦‹x.T1›¦&mut ‹x.T1›¦Box<‹x.T1›>⟧⟦, _n: i32¦⟧) -> i32 {\n    let n = ‹-v2›.‹x.T1.m3›(1);\n    n + ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "both types",
      code: `pub fn g§n(‹-v2›: &‹x.T1›,\n    ‹-v3›: &‹y.T1›) -> i32 {\n    let n = ‹-v2›.‹x.T1.m3›(1);\n    n + ‹-v3›.‹y.T1.m3›(1)\n}`,
    },
    {
      name: "associated function",
      code: `pub fn g§n() -> i32 {\n    let ‹-v2› = ‹x.T1›::‹x.T1.m4›(1);\n    ‹-v2›.‹x.T1.m3›(1)\n}`,
    },
    {
      name: "literal",
      code: `pub fn g§n() -> i32 {\n    let ‹-v2› = ‹x.T1› { ‹x.T1.p1›: 1 };\n    ‹-v2›.‹x.T1.m3›(1)\n}`,
    },
    { name: "result", code: `pub fn g§n() -> i32 {\n    let ‹-v2› = ‹x.f2›();\n    ‹-v2›.‹x.T1.m3›(1)\n}` },
    { name: "chain", code: `pub fn g§n() -> i32 {\n    ‹x.f2›().‹x.T1.m2›().‹x.T1.m3›(1)\n}` },
    {
      name: "trait object",
      code: `pub fn g§n(‹-v2›: ⟦&dyn ‹x.I1›¦impl ‹x.I1›¦Box<dyn ‹x.I1›>⟧) -> i32 {\n    ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
    { name: "generic bound", code: `pub fn g§n<T: ‹x.I1›>(‹-v2›: &T) -> i32 {\n    ‹-v2›.‹x.I1.m1›(1)\n}` },
    {
      name: "where bound",
      code: `pub fn g§n<T>(‹-v2›: &T) -> i32\nwhere\n    T: ‹x.I1›,\n{\n    ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
    {
      name: "trait method of a type",
      code: `pub fn g§n(‹-v2›: ‹x.T2›) -> i32 {\n    use §x::‹?x.I1:I1› as _;\n    ‹-v2›.‹x.T2.m1~x.I1.m1›(1)\n}`,
      not: ["super", "barrel"],
    },
    {
      name: "implements here",
      code: `pub struct S§n;\nimpl ‹x.I1› for S§n {\n    fn ‹-m1›(&self, n: i32) -> i32 {\n        n\n    }\n}`,
    },
    {
      name: "method of the other type",
      code: `pub fn g§n(‹-v2›: &‹x.T2›) -> i32 {\n    ‹-v2›.‹x.T2.m3›(1) +\n        ‹-v2›.‹x.T2.p1›.‹x.T1.m3›(2)\n}`,
    },
    {
      name: "field",
      code: `pub struct H§n {\n    inner: ⟦‹x.T1›¦Box<‹x.T1›>¦std::sync::Arc<‹x.T1›>⟧,\n}\nimpl H§n {\n    pub fn get(&self) -> i32 {\n        self.inner.‹x.T1.m3›(1)\n    }\n}`,
    },
    {
      name: "tuple field",
      code: `pub struct H§n(‹x.T1›);\nimpl H§n {\n    pub fn get(&self) -> i32 {\n        self.0.‹x.T1.m3›(1)\n    }\n}`,
    },
    {
      name: "option",
      code: `pub fn g§n(‹-v2›: Option<&‹x.T1›>) -> i32 {\n    if let Some(‹-v3›) = ‹-v2› {\n        return ‹-v3›.‹x.T1.m3›(1);\n    }\n    ‹-v2›.unwrap().‹x.T1.m3›(2)\n}`,
    },
    {
      name: "loop",
      code: `pub fn g§n(all: &[‹x.T1›]) {\n    for ‹-v2› in all {\n        ‹-v2›.‹x.T1.m3›(1);\n    }\n}`,
    },
    {
      name: "closure parameter",
      code: `pub fn g§n(all: &[‹x.T1›]) -> i32 {\n    all.iter().map(|‹-v2›| ‹-v2›.‹x.T1.m3›(1)).sum()\n}`,
    },
    {
      name: "parameter shadows function",
      code: `pub fn g§n(‹-f1›: fn(i32) -> i32) -> i32 {\n    ‹-f1›(1)\n}`,
    },
    {
      name: "local shadows function",
      code: `pub fn g§n() -> i32 {\n    let ‹-f1› = |n: i32| n;\n    ‹-f1›(1)\n}`,
    },
    {
      name: "later local",
      code: `pub fn g§n() -> i32 {\n    let n = ‹x.f1›(1);\n    let ‹-f1› = n;\n    ‹-f1› + 1\n}`,
    },
    {
      name: "nested function",
      code: `pub fn g§n() -> i32 {\n    fn ‹-f1›(n: i32) -> i32 {\n        n\n    }\n    ‹-f1›(1)\n}`,
    },
    {
      name: "pattern binding",
      code: `pub fn g§n(given: Option<fn(i32) -> i32>) -> i32 {\n    match given {\n        Some(‹-f1›) => ‹-f1›(1),\n        None => 0,\n    }\n}`,
    },
    {
      name: "caller of the same name",
      code: `pub struct C§n;\nimpl C§n {\n    pub fn ‹-f1›(&self, n: i32) -> i32 {\n        ‹x.f1›(n)\n    }\n}`,
    },
    {
      name: "equal member of an own type",
      code: `pub struct E§n;\nimpl E§n {\n    pub fn ‹-m3›(&self, n: i32) -> i32 {\n        n\n    }\n}\npub fn g§n(e: &E§n) -> i32 {\n    e.‹-m3›(1)\n}`,
    },
    {
      name: "type parameter of the same name",
      code: `pub fn g§n<‹-T1›>(given: ‹-T1›) -> ‹-T1› {\n    given\n}`,
    },
    {
      name: "inner module",
      code: `pub mod inner§n {\n    pub struct ‹-T1›;\n    impl ‹-T1› {\n        pub fn ‹-m3›(&self, n: i32) -> i32 {\n            n\n        }\n    }\n    pub fn get(‹-v2›: &‹-T1›) -> i32 {\n        ‹-v2›.‹-m3›(1)\n    }\n}`,
    },
    {
      name: "type alias",
      code: `type A§n = ‹x.T1›;\npub fn g§n(‹-v2›: &A§n) -> i32 {\n    ‹-v2›.‹x.T1.m3›(1)\n}`,
    },
    { name: "function as value", code: `pub fn g§n() -> fn(i32) -> i32 {\n    ‹x.f1›\n}` },
    { name: "macro argument", code: `pub fn g§n() {\n    println!("{}", ‹x.f1›(1));\n}` },
  ],
}
