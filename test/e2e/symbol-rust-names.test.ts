import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** Rust code in which locals have the names of imported functions, and modules of tests import names. */
const space = indexedOnce({
  "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
  "src/lib.rs": "pub mod menu;\npub mod cart;\npub mod other;\npub use other::begin;\n",
  "src/event.rs":
    "pub enum Step { Wait { hold: u32 }, Go }\npub struct Brake;\nimpl Brake { pub fn hold(&self) {} }\npub fn waits(brake: &Brake) { brake.hold(); let _ = Step::Wait { hold: 1 }; }\n",
  "src/marks.rs": `pub trait Mark { type Err; fn mark_it(&self) -> u32; }
impl Mark for String { type Err = u8; fn mark_it(&self) -> u32 { 1 } }
pub struct Chalk;
impl Mark for Chalk { type Err = u8; fn mark_it(&self) -> u32 { 2 } }
impl Chalk { pub fn mark_it(&self) -> u32 { 3 } }
pub struct Board<T> where T: Mark { pub on: T }
pub struct Tick;
pub mod kinds {
    use super::Mark;
    pub struct Tick;
    impl Mark for Tick { type Err = u8; fn mark_it(&self) -> u32 { 4 } }
}
pub fn fails(all: &mut dyn Iterator<Item=u32>) -> Result<u32, u32> { Err(1) }
pub struct Limit;
impl Limit { pub const MAX: u32 = 1; }
pub fn top() -> usize { usize::MAX }
impl From<u8> for Limit { fn from(_: u8) -> Limit { Limit } }
impl From<u16> for Limit { fn from(_: u16) -> Limit { Limit } }
pub fn limit() -> Limit { Limit::from(1u8) }
`,
  "src/menu.rs":
    "pub fn strip(text: &str) -> String { text.to_string() }\npub fn label() -> String { String::new() }\npub fn state() -> u32 { 1 }\npub fn pick() -> u32 { 2 }\n",
  "src/cart.rs":
    'use crate::menu::{label, state, strip};\n\npub struct Options { pub name: bool, pub label: String, pub state: u32 }\n\npub fn run(options: &Options) {\n    let (plain, strip) = if options.name { (true, true) } else { (false, false) };\n    let other = strip;\n    if let Some(label) = find() {\n        println!("{}", label);\n    }\n    let Options { label, state, .. } = options;\n    println!("{}", state);\n    match find() {\n        Some(state) if state.len() > 1 => drop(state),\n        _ => {}\n    }\n    let f = |state: u32| state + 1;\n}\n\npub fn used() -> String {\n    let text = strip("y");\n    let s = state();\n    format!("{text}{s}{}", label())\n}\n\npub fn given(strip: bool, label: &str) -> bool { strip && label.len() > 1 }\n\nfn find() -> Option<String> { None }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use crate::menu::label;\n\n    #[test]\n    fn uses_label() {\n        assert_eq!(label(), "");\n    }\n\n    mod inner {\n        use super::super::used;\n\n        #[test]\n        fn uses_used() {\n            used();\n        }\n    }\n}\n',
  "src/other.rs":
    "pub fn pick() -> u32 { 1 }\nfn start() -> u32 { pick() }\npub fn begin() {}\n\n#[cfg(test)]\nmod tests {\n    use super::start;\n    use crate::menu::pick;\n    use crate::begin;\n\n    #[test]\n    fn picks() {\n        assert_eq!(pick(), start());\n    }\n}\n",
})

test.each<[name: string, path: string, places: string[]]>([
  ["strip", "src/menu.rs", ["src/cart.rs:1", "src/cart.rs:21"]],
  ["label", "src/menu.rs", ["src/cart.rs:1", "src/cart.rs:23", "src/cart.rs:33", "src/cart.rs:37"]],
  ["state", "src/menu.rs", ["src/cart.rs:1", "src/cart.rs:22"]],
  ["used", "src/cart.rs", ["src/cart.rs:41", "src/cart.rs:45"]],
  ["start", "src/other.rs", ["src/other.rs:13", "src/other.rs:7"]],
  ["begin", "src/other.rs", ["src/lib.rs:4", "src/other.rs:9"]],
  ["pick", "src/menu.rs", ["src/other.rs:13", "src/other.rs:8"]],
  ["pick", "src/other.rs", ["src/other.rs:2"]],
])("uses of %s of %s leave out locals and heed the module of an import", async (name, path, places) => {
  const { references } = await space().json(["symbol", name, "--references", "--path", path])
  expect(
    references.map(({ path: file, line }: { path: string; line: number }) => `${file}:${line}`).sort(),
  ).toEqual(places)
})

test("a member of a named owner is not answered with that of another one which the file uses", async () => {
  const { stderr } = await space().run(["symbol", "Wait.hold", "--references", "--path", "src/event.rs"])
  expect(stderr).toContain("the name is defined as Brake.hold")
})

test("implementations of a trait are its impls: for foreign types, in modules, and not bounds or inherent methods", async () => {
  const { related, references } = await space().json(["symbol", "Mark", "--implementations"])
  const placesOf = (rows: { start_line?: number; line?: number }[]) =>
    rows.map(({ start_line, line }) => start_line ?? line).toSorted()
  expect([placesOf(related), placesOf(references)]).toEqual([[10, 3], [2]])
  const { related: methods } = await space().json(["symbol", "Mark.mark_it", "--implementations"])
  expect(placesOf(methods)).toEqual([11, 2, 4])
})

test("an associated type is named through its owner only", async () => {
  const { stdout } = await space().run(["symbol", "src/marks.rs:4#Err", "--references", "--json"])
  expect(JSON.parse(stdout).references).toEqual([])
})

test("a place whose name could not be followed says so with its likely definitions", async () => {
  const { notices } = await space().json(["symbol", "src/marks.rs:16#MAX"])
  expect(notices.join()).toContain("could not be followed")
})

test("a call of a member that several traits give a type means one of them, possibly", async () => {
  const { references } = await space().json(["symbol", "src/marks.rs:18#from", "--references"])
  const { line, certainty } = references[0]
  expect([line, certainty]).toEqual([19, "possible"])
})
