import { expect, test } from "bun:test"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { arityOf } from "./arity.ts"
import { packUses, StoredUses } from "./use-code.ts"

test.each<[string, string, string, [number, number] | null]>([
  [
    "java",
    "open",
    "public static <T extends Map<K, V>> Row<T> open(Map<String, T> a, int... rest)",
    [1, Infinity],
  ],
  ["java", "open", "void open()", [0, 0]],
  [
    "kotlin",
    "run",
    "fun <T> List<T>.run(a: Map<Int, T>, b: (Int, Int) -> T = { x, y -> x }, vararg c: Int): Int",
    [1, Infinity],
  ],
  ["kotlin", "Shop", "class Shop(private val store: Store, size: Int = 1)", [1, 2]],
  [
    "csharp",
    "Run",
    "public static int Run(this Shop shop, string a, int b = 1, params int[] rest)",
    [1, Infinity],
  ],
  ["cpp", "run", "void Shop::run(const std::map<int, int> &a, int b = 2)", [1, 2]],
  ["cpp", "run", "int run(void)", [0, 0]],
  ["swift", "run", "func run(_ a: Int, with b: [Int: Int] = [:], rest: Int...) -> Int", [1, Infinity]],
  ["scala", "run", "def run[A, B](a: A => B, b: Int = 1)(implicit c: C): Int", [1, 2]],
  ["elixir", "run", "def run(a, %{b: c, d: e}, opts \\\\ [])", [2, 3]],
  ["elixir", "run", "def run", [0, 0]],
  ["erlang", "run", "run({A, B}, [C | D])", [2, 2]],
  ["java", "open", "void open(int a, int b, int…", null],
  ["python", "run", "def run(a)", null],
])("%s: the numbers of arguments that %s accepts: %s", (language, name, signature, wanted) => {
  const arity = arityOf(name, signature, language)
  expect(arity === null ? null : [arity.min, arity.max]).toEqual(wanted)
})

test.each<[string, string, Record<string, number | undefined>]>([
  [
    "a.java",
    'class A { void a() { one(b); none(); two(f(1, 2), "a, b"); new Three(1, x -> x, 2); wide(new Map<A, B>(), 1); } }',
    { one: 1, none: 0, two: 2, Three: 3, wide: undefined },
  ],
  [
    "a.kt",
    "fun a() { two(1) { it }; one(1,); spread(*all); val b = three(1, 2, 3) }",
    { two: 2, one: 1, spread: undefined, three: 3 },
  ],
  ["a.cs", "class A { void B() { Two(1, out var x); new One(a) { B = 1 }; } }", { Two: 2, One: 1 }],
  [
    "a.cpp",
    "void a() { two(f(1), {1, 2}); packed(args...); none(); }",
    { two: 2, packed: undefined, none: 0 },
  ],
  [
    "a.ex",
    "defmodule A do\n  def a(x) do\n    x |> two(1)\n    three(1, 2) do\n      1\n    end\n    Enum.map(x, &one/1)\n  end\nend\n",
    { two: 2, three: 3, one: 1 },
  ],
  [
    "a.erl",
    "-module(a).\n-export([one/1]).\none(A) -> two(A, 1), fun three/3.\n",
    { one: 1, two: 2, three: 3 },
  ],
])("%s: calls have the number of their arguments, in the index as well", async (path, text, wanted) => {
  const file = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  const stored = new StoredUses(packUses(file.uses!()).places)
  stored.check()
  for (const [name, args] of Object.entries(wanted))
    expect([name, stored.of(name)[0]?.args]).toEqual([name, args])
})
