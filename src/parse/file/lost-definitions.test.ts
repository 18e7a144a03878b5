import { expect, test } from "bun:test"
import { GRAMMAR_ERRORS, parseFile } from "../index.ts"
import { DEFAULT_PARSE_OPTIONS } from "./parse.ts"

async function parsed(path: string, text: string) {
  const { chunks, degraded } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  const names = chunks.flatMap(({ symbols }) =>
    symbols.map(({ name, owner, startLine }) => `${startLine} ${owner ? `${owner}.` : ""}${name}`),
  )
  return { names, degraded }
}

const ONE_LINE_TYPES = `interface Reader { fun next(): Int }
interface Writer { fun put(x: Int) }
class Pump {
  fun run() = 1
}
`

test("lists the types after two Kotlin types with a body on one line, and marks the file", async () => {
  const { names, degraded } = await parsed("a.kt", ONE_LINE_TYPES)
  expect(names).toContain("1 Reader")
  expect(names).toContain("1 Reader.next")
  expect(names).toContain("2 Writer")
  expect(names).toContain("3 Pump")
  expect(names).toContain("4 Pump.run")
  expect(degraded).toBe(GRAMMAR_ERRORS)
})

test("lists annotated Kotlin types with a modifier that is no reserved word", async () => {
  const text =
    "package a\n\n@Target(CLASS)\nannotation class Marker\n\n@OptIn(Unsafe::class)\nactual class Crc {\n  fun go() {}\n}\n"
  expect((await parsed("a.kt", text)).names).toEqual(["3 Marker", "6 Crc", "8 Crc.go"])
})

const CLASS = "NAME Panel : public Base {\npublic:\n  void paint();\n};\n"

test.each([
  "EXPORT",
  "LLVM_ABI",
  "CV_EXPORTS_W",
  "Export",
  "DLL(core)",
  "GTEST_API_ [[nodiscard]]",
  "[[nodiscard]] EMPTY_BASE",
  "A_API B_ABI",
])("lists a C++ class behind %s, and its members", async (macros) => {
  const { names, degraded } = await parsed("a.cpp", `class ${CLASS.replace("NAME", macros)}`)
  expect(names).toEqual(["1 Panel", "3 Panel.paint"])
  expect(degraded).toBeNull()
})

test.each([
  ["class Panel final : public Base {\n  int a;\n};\n", ["1 Panel", "2 Panel.a"]],
  ["struct Point make(int a) {\n  return {};\n}\n", ["1 make"]],
  ["enum class Color : int { red };\n", ["1 Color", "1 Color.red"]],
  ["void f() {\n  for (struct A b : c) {\n  }\n}\n", ["1 f"]],
])("takes no name of C++ for a macro: %j", async (text, expected) => {
  expect((await parsed("a.cpp", text)).names).toEqual(expected)
})

test.each([
  ["static int __init boot_setup(void) {\n  return 0;\n}\n", "1 boot_setup"],
  ["extern __printf(2, 3) int print_to(char *b, const char *format, ...);\n", "1 print_to"],
  ["void printflike(3, 4) add_format(struct item *, const char *, ...);\n", "1 add_format"],
  ["GIT_EXTERN(int) git_branch_create(void);\n", "1 git_branch_create"],
  ["SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)\n{\n  return 0;\n}\n", "1 kill"],
  ["PHP_FUNCTION(strlen)\n{\n  int a;\n}\n", "1 strlen"],
  ["typedef int(on_event_t)(void *data);\n", "1 on_event_t"],
  ["typedef BOOL (WINAPI * open_event_t)(\n  void *data);\n", "1 open_event_t"],
  ["static my_inline status_t flow_control(int a);\n", "1 flow_control"],
  ["static void my_cdecl free_all(void *data);\n", "1 free_all"],
  ["MY_EXPORTED status_t open_all(void);\n", "1 open_all"],
  ["MY_EXPORTED\nsize_t close_all(void);\n", "2 close_all"],
])("lists the function of C behind a macro: %j", async (text, expected) => {
  const { names } = await parsed("a.c", `int before(void);\n\n${text}int after(void) { return 1; }\n`)
  const [line, name] = expected.split(" ")
  expect(names).toEqual(["1 before", `${Number(line) + 2} ${name}`, `${text.split("\n").length + 2} after`])
})

test("lists a declaration of C++ behind an attribute and a macro", async () => {
  const text =
    "[[nodiscard]] SHOP_SHARED std::vector<Row> rowsOf(int page);\nBOOL CALLBACK onRow(int row) {\n}\nSHOP_INL shop::Sink<T>::Sink() {\n}\n"
  expect((await parsed("a.hpp", text)).names).toEqual(["1 rowsOf", "2 onRow", "4 Sink.Sink"])
})

test("lists the types that C++ defines by pointers and references", async () => {
  const text = "typedef Row* (*read_t)(int a);\ntypedef Row &row_t;\ntypedef char (&pair_t)[2];\n"
  expect((await parsed("a.cpp", text)).names).toEqual(["1 read_t", "2 row_t", "3 pair_t"])
})

test("lists a function of C++ whose macro stands between its type and its qualified name", async () => {
  const text = "void SHOP_INL shop::Sink<T>::log(int row) {\n}\nSHOP_NODISCARD\nint\ncount() {\n}\n"
  expect((await parsed("a.cpp", text)).names).toEqual(["1 Sink.log", "4 count"])
})

test("lists a method of C++ behind three or more namespaces", async () => {
  const text =
    "bool a::b::C::isOn() {\n}\nint *a::b::C::at() {\n}\ntemplate <class T> a::b::C<T>::~C() {\n}\n"
  expect((await parsed("a.cpp", text)).names).toEqual(["1 C.isOn", "3 C.at", "5 C.~C"])
})

test("names the tests of GoogleTest and the modules of pybind11 by their arguments", async () => {
  const text =
    "TEST(Suite, Name) {\n  int x = 1;\n}\nTEST_F(Suite, Other)\n{\n}\nPYBIND11_MODULE(example, m) {\n}\n"
  expect((await parsed("a.cpp", text)).names).toEqual(["1 Suite.Name", "4 Suite.Other", "7 example"])
})

test("takes neither text nor the body of a macro for a lost definition", async () => {
  const text =
    '#define HEAD(name) \\\nstruct name { \\\n  int a; \\\n}\n/*\nclass Words {\n*/\nconst char *s = R"(\nclass Text {\n)";\n}}\n'
  const { names } = await parsed("a.cpp", text)
  expect(names.filter((each) => /name|Words|Text/.test(each))).toEqual([])
})
