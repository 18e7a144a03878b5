import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const FILES: Readonly<Record<string, string>> = {
  "js/package.json": '{"name":"shop","scripts":{"test":"vitest run"},"devDependencies":{"vitest":"1.0.0"}}\n',
  "js/src/cart.ts":
    "export function total(items: number[]): number {\n  return items.length\n}\nexport function checkout(items: number[]): number {\n  return total(items)\n}\n",
  "js/test/cart.test.ts":
    'import { describe, expect, it } from "vitest"\nimport { checkout, total } from "../src/cart"\n\nfunction helper() {\n  return checkout([1])\n}\n\ndescribe("the cart; $(touch pwned)", () => {\n  it("adds it\'s items", () => {\n    expect(total([1])).toBe(1)\n  })\n  it.each([\n    [1, 2],\n  ])("checks %i out", async () => {\n    helper()\n  })\n})\n\nfunction unused() {\n  return total([2])\n}\n',
  "js/test/total.unit.test.js":
    'import test from "node:test"\nimport { total } from "../src/cart"\ntest("counts", () => { total([]) })\n',
  "go/go.mod": "module example.com/shop\n",
  "go/cart/cart.go":
    "package cart\n\nfunc Total(items []int) int { return len(items) }\n\nfunc Checkout(items []int) int { return Total(items) }\n",
  "go/cart/cart_test.go":
    'package cart\n\nimport "testing"\n\nfunc helper() int { return Checkout(nil) }\n\nfunc TestTotal(t *testing.T) {\n\tif Total(nil) != 0 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestCheckout(t *testing.T) {\n\tt.Run("sub", func(t *testing.T) {\n\t\thelper()\n\t})\n}\n\nfunc Testable() int { return Total(nil) }\n',
  "py/pyproject.toml": '[project]\nname = "shop"\n[project.optional-dependencies]\ntest = ["pytest"]\n',
  "py/shop/__init__.py": "",
  "py/shop/cart.py":
    "def py_total(items):\n    return len(items)\n\n\ndef checkout(items):\n    return py_total(items)\n",
  "py/tests/test_cart.py":
    "from shop.cart import checkout, py_total\n\n\ndef helper():\n    return checkout([1])\n\n\ndef test_total():\n    assert py_total([1]) == 1\n\n\nclass TestCheckout:\n    def test_checkout(self):\n        assert helper() == 1\n",
  "java/pom.xml": "<project><modelVersion>4.0.0</modelVersion></project>\n",
  "java/src/main/java/shop/Cart.java":
    "package shop;\n\npublic class Cart {\n    public int sum() { return 0; }\n    public int checkout() { return sum(); }\n}\n",
  "java/src/test/java/shop/CartTest.java":
    "package shop;\n\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n    @Test\n    void totals() {\n        new Cart().sum();\n    }\n\n    @Test\n    void checksOut() {\n        helper();\n    }\n\n    private void helper() {\n        Cart cart = new Cart();\n        cart.checkout();\n    }\n}\n",
  "rs/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
  "rs/src/lib.rs": "pub mod cart;\n",
  "rs/src/cart.rs":
    "pub fn amount(items: &[u32]) -> usize {\n    items.len()\n}\n\npub fn settle(items: &[u32]) -> usize {\n    amount(items)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn counts() {\n        assert_eq!(amount(&[]), 0);\n    }\n}\n",
  "rs/tests/shop.rs":
    "use shop::cart::settle;\n\nfn helper() -> usize {\n    settle(&[])\n}\n\n#[test]\nfn settles() {\n    let n = helper();\n    assert_eq!(n, 0);\n}\n",
  "rb/Gemfile": 'source "https://rubygems.org"\ngem "rspec"\n',
  "rb/lib/cart.rb": "class Basket\n  def weight\n    0\n  end\n\n  def ship\n    weight\n  end\nend\n",
  "rb/spec/cart_spec.rb":
    'require_relative "../lib/cart"\n\nRSpec.describe Basket do\n  it "weighs" do\n    cart = Basket.new\n    cart.weight\n  end\n\n  context "shipping" do\n    it "ships" do\n      Basket.new.ship\n    end\n  end\nend\n',
  "cs/Shop/Cart.cs":
    "namespace Shop;\n\npublic class Order\n{\n    public int Price() { return 0; }\n    public int Pay() { return Price(); }\n}\n",
  "cs/Shop.Tests/Shop.Tests.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
  "cs/Shop.Tests/OrderTests.cs":
    "using Xunit;\nnamespace Shop.Tests;\n\npublic class OrderTests\n{\n    [Fact]\n    public void Prices()\n    {\n        var order = new Order();\n        order.Price();\n    }\n    [Fact]\n    public void Pays()\n    {\n        new Order().Pay();\n    }\n}\n",
  "php/composer.json": '{"name":"a/shop","require-dev":{"phpunit/phpunit":"^10"}}\n',
  "php/src/Till.php":
    "<?php\nnamespace Shop;\n\nclass Till\n{\n    public function change(): int { return 0; }\n    public function close(): int { return $this->change(); }\n}\n",
  "php/tests/TillTest.php":
    "<?php\nnamespace Shop\\Tests;\n\nuse PHPUnit\\Framework\\TestCase;\nuse Shop\\Till;\n\nclass TillTest extends TestCase\n{\n    public function testChange(): void\n    {\n        $till = new Till();\n        $till->change();\n    }\n    public function testClose(): void\n    {\n        $this->assertSame(0, (new Till())->close());\n    }\n}\n",
  "kt/gradlew": "#!/bin/sh\n",
  "kt/settings.gradle.kts": 'include("app")\n',
  "kt/app/src/main/kotlin/Stock.kt":
    "package shop\n\nclass Stock {\n    fun left(): Int = 0\n    fun sell(): Int = left()\n}\n",
  "kt/app/src/test/kotlin/StockTest.kt":
    "package shop\n\nimport kotlin.test.Test\n\nclass StockTest {\n    @Test\n    fun `is left`() {\n        val stock = Stock()\n        stock.left()\n    }\n}\n",
  "ex/mix.exs": "defmodule Shop.MixProject do\nend\n",
  "ex/lib/stamp.ex":
    "defmodule Shop.Stamp do\n  def press(items), do: length(items)\n  def seal(items), do: press(items)\nend\n",
  "ex/test/stamp_test.exs":
    'defmodule Shop.StampTest do\n  use ExUnit.Case\n  alias Shop.Stamp\n\n  test "presses" do\n    assert Stamp.press([]) == 0\n  end\n\n  describe "sealing" do\n    test "seals" do\n      assert Stamp.seal([]) == 0\n    end\n  end\nend\n',
  "free/free.py": "def freely():\n    return 1\n",
  "free/tests/test_free.py": "from free import freely\n\n\ndef test_freely():\n    assert freely()\n",
}

const space = indexedOnce(FILES)

type Test = {
  readonly path: string
  readonly start_line: number
  readonly name: string
  readonly through: readonly string[]
}

test.each<[language: string, name: string, tests: readonly string[], commands: readonly string[]]>([
  [
    "TypeScript",
    "js/src/cart.ts:1",
    [
      "js/test/cart.test.ts:9 the cart; $(touch pwned) > adds it's items",
      "js/test/total.unit.test.js:3 counts",
      "js/test/cart.test.ts:14 the cart; $(touch pwned) > checks %i out < helper < checkout",
    ],
    [
      "cd js && npx vitest run '--testNamePattern=the cart; \\$\\(touch pwned\\) adds it'\\''s items$|the cart; \\$\\(touch pwned\\) checks .* out$' test/cart.test.ts",
      "cd js && node --test '--test-name-pattern=counts$' test/total.unit.test.js",
    ],
  ],
  [
    "Go",
    "go/cart/cart.go:3",
    ["go/cart/cart_test.go:7 TestTotal", "go/cart/cart_test.go:13 TestCheckout < helper < Checkout"],
    ["cd go && go test ./cart -run '^(TestTotal|TestCheckout)$'"],
  ],
  [
    "Python",
    "py_total",
    [
      "py/tests/test_cart.py:8 test_total",
      "py/tests/test_cart.py:13 TestCheckout.test_checkout < helper < checkout",
    ],
    ["cd py && pytest tests/test_cart.py::test_total tests/test_cart.py::TestCheckout::test_checkout"],
  ],
  [
    "Java",
    "Cart.sum",
    [
      "java/src/test/java/shop/CartTest.java:6 CartTest.totals",
      "java/src/test/java/shop/CartTest.java:11 CartTest.checksOut < CartTest.helper < Cart.checkout",
    ],
    ["cd java && mvn test '-Dtest=CartTest#totals+checksOut'"],
  ],
  [
    "Rust",
    "amount",
    ["rs/src/cart.rs:14 tests.counts", "rs/tests/shop.rs:8 settles < helper < settle"],
    ["cd rs && cargo test -- --exact cart::tests::counts settles"],
  ],
  [
    "Ruby",
    "Basket.weight",
    [
      "rb/spec/cart_spec.rb:4 Basket > weighs",
      "rb/spec/cart_spec.rb:10 Basket > shipping > ships < Basket.ship",
    ],
    ["cd rb && bundle exec rspec spec/cart_spec.rb:4 spec/cart_spec.rb:10"],
  ],
  [
    "C#",
    "Order.Price",
    [
      "cs/Shop.Tests/OrderTests.cs:6 OrderTests.Prices",
      "cs/Shop.Tests/OrderTests.cs:12 OrderTests.Pays < Order.Pay",
    ],
    [
      "cd cs/Shop.Tests && dotnet test --filter 'FullyQualifiedName~OrderTests.Prices|FullyQualifiedName~OrderTests.Pays'",
    ],
  ],
  [
    "PHP",
    "Till.change",
    [
      "php/tests/TillTest.php:9 TillTest.testChange",
      "php/tests/TillTest.php:14 TillTest.testClose < Till.close",
    ],
    ["cd php && vendor/bin/phpunit '--filter=/(\\bTillTest::testChange\\b|\\bTillTest::testClose\\b)/'"],
  ],
  [
    "Kotlin",
    "Stock.left",
    ["kt/app/src/test/kotlin/StockTest.kt:6 StockTest.is left"],
    ["cd kt && ./gradlew :app:test --tests 'shop.StockTest.is left'"],
  ],
  [
    "Elixir",
    "Shop.Stamp.press",
    [
      "ex/test/stamp_test.exs:5 Shop.StampTest.presses",
      "ex/test/stamp_test.exs:10 Shop.StampTest.seals < Shop.Stamp.seal",
    ],
    ["cd ex && mix test test/stamp_test.exs:5 test/stamp_test.exs:10"],
  ],
])(
  "lists the tests of %s that reach a symbol, nearest first, and the command that runs them",
  async (_, name, tests, commands) => {
    const answer = await space().json(["symbol", name, "--tests"])
    const shown = answer.related.map(({ path, start_line, name, through }: Test) =>
      [`${path}:${start_line} ${name}`, ...through].join(" < "),
    )
    expect({ tests: shown, commands: answer.commands }).toEqual({
      tests: [...tests],
      commands: [...commands],
    })
  },
)

test("says which helpers of tests no known test uses, and which tests the project does not show how to run", async () => {
  const cart = await space().json(["symbol", "js/src/cart.ts:1", "--tests"])
  expect(cart.notices).toContain(
    "unused (js/test/cart.test.ts:19) in test code reaches it, and no test that uses it is known",
  )
  const free = await space().json(["symbol", "freely", "--tests"])
  expect(free).toMatchObject({ total: 1, commands: [] })
  expect(free.notices).toContain("the project does not show how to run free/tests/test_free.py")
})

test("prints tests and commands for people, and exits with 1 if no test reaches the symbol", async () => {
  const { stdout } = await space().run(["symbol", "py_total", "--tests"])
  expect(stdout).toContain("tests that reach it\npy/tests/test_cart.py:8  function test_total at 9")
  expect(stdout).toContain("through helper > checkout")
  expect(stdout).toContain("to run them\ncd py && pytest")
  const none = await space().run(["symbol", "unused", "--tests"])
  expect(none).toMatchObject({ code: 1 })
  expect(none.stdout).toContain("no tests")
})

test("names the tests, and the command that runs them, in the context of a task", async () => {
  const { stdout } = await space().run(["context", "py_total"])
  expect(stdout).toContain("py/tests/test_cart.py:13 TestCheckout.test_checkout through helper > checkout")
  expect(stdout).toContain("run: cd py && pytest tests/test_cart.py::test_total")
})
