import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** For each kind of template, a file that defines a name, and a template that uses the name on line 2. */
const KINDS: Readonly<
  Record<string, readonly [defining: string, text: string, template: string, name: string]>
> = {
  ERB: [
    "rb/erb.rb",
    "module A\n  def price_tag(x)\n  end\nend\n",
    "<p>\n<%= price_tag(item) %>\n</p>\n",
    "price_tag",
  ],
  Haml: ["rb/haml.rb", "module B\n  def badge_for(x)\n  end\nend\n", "%p\n  = badge_for item\n", "badge_for"],
  Slim: ["rb/slim.rb", "module C\n  def stamp_of(x)\n  end\nend\n", "p\n  = stamp_of item\n", "stamp_of"],
  EEx: [
    "ex/eex.ex",
    "defmodule A do\n  def total_of(x), do: x\nend\n",
    "<p>\n<%= total_of(@x) %>\n",
    "total_of",
  ],
  HEEx: [
    "ex/heex.ex",
    "defmodule B do\n  def order_row(x), do: x\nend\n",
    "<p>\n<.order_row x={@x} />\n",
    "order_row",
  ],
  Django: [
    "py/django.py",
    "class Order:\n    def net_price(self):\n        return 1\n",
    "{% load shop %}\n<p>{{ order.net_price|floatformat }}</p>\n",
    "net_price",
  ],
  Jinja: ["py/jinja.py", "def slugged(x):\n    return x\n", "<p>\n{{ slugged(title) }}\n", "slugged"],
  Twig: [
    "php/Twig.php",
    "<?php\nclass T {\n  function shortName() {}\n}\n",
    "<p>\n{{ user.shortName }}\n",
    "shortName",
  ],
  Blade: [
    "php/Blade.php",
    "<?php\nclass U {\n  function longName() {}\n}\n",
    "<p>\n{{ $user->longName() }}\n",
    "longName",
  ],
  Go: [
    "go/view.go",
    'package view\n\ntype V struct{}\n\nfunc (v V) Heading() string { return "" }\n',
    "<h1>\n{{ .Heading }}\n",
    "Heading",
  ],
  Razor: [
    "cs/View.cs",
    "class View {\n  public string Caption() { return null; }\n}\n",
    "<h1>\n@Model.Caption()\n",
    "Caption",
  ],
  JSP: [
    "java/Bean.java",
    "class Bean {\n  String subtitle() { return null; }\n}\n",
    "<h1>\n<%= bean.subtitle() %>\n",
    "subtitle",
  ],
  Astro: [
    "ts/format.ts",
    "export function pretty(x: string): string {\n  return x\n}\n",
    '---\nimport { pretty } from "../ts/format"\n---\n<p>{pretty(name)}</p>\n',
    "pretty",
  ],
  Angular: [
    "ts/cart.component.ts",
    "export class CartComponent {\n  checkOut(): void {}\n}\n",
    '<p>\n<button (click)="checkOut()">x</button>\n',
    "checkOut",
  ],
  EJS: [
    "js/ejs.js",
    "function upper(x) {\n  return x\n}\nmodule.exports = { upper }\n",
    "<p>\n<%= upper(title) %>\n",
    "upper",
  ],
  Blazor: [
    "cs/Cart.cs",
    "class Cart {\n  public string Owner() { return null; }\n}\n",
    '<h1>\n@cart.Owner()\n<button @onclick="Pay">x</button>\n',
    "Owner",
  ],
  FreeMarker: [
    "java/Free.java",
    "class Free {\n  String headline() { return null; }\n}\n",
    "<h1>\n<#if free.headline()?has_content>x</#if>\n",
    "headline",
  ],
  Velocity: [
    "java/Fast.java",
    "class Fast {\n  String velocityOf(int x) { return null; }\n}\n",
    "<h1>\n$!{fast.velocityOf(1)}\n",
    "velocityOf",
  ],
  Thymeleaf: [
    "java/Leaf.java",
    "class Leaf {\n  String getCaptionText() { return null; }\n}\n",
    '<h1>\n<b th:text="${leaf.captionText}">x</b>\n',
    "getCaptionText",
  ],
  Facelets: [
    "java/Face.java",
    "class Face {\n  boolean isOpenToday() { return true; }\n}\n",
    '<h:form>\n<h:outputText value="#{face.openToday}"/>\n',
    "isOpenToday",
  ],
  GSP: [
    "groovy/Stock.groovy",
    "class Stock {\n  String shelfName() { null }\n}\n",
    "<h1>\n${stock.shelfName()}\n",
    "shelfName",
  ],
  Twirl: [
    "scala/Lamp.scala",
    "class Lamp {\n  def glowing(): String = null\n}\n",
    "<h1>\n@lamp.glowing()\n",
    "glowing",
  ],
  Mako: ["py/mako.py", "def padded(x):\n    return x\n", "<h1>\n% for x in padded(rows):\n${x}\n", "padded"],
  Latte: [
    "php/Latte.php",
    "<?php\nclass L {\n  function milkFoam() {}\n}\n",
    "<h1>\n{$cup->milkFoam()}\n",
    "milkFoam",
  ],
}
const EXTENSIONS: Readonly<Record<string, string>> = {
  ERB: "html.erb",
  Haml: "haml",
  Slim: "slim",
  EEx: "html.eex",
  HEEx: "html.heex",
  Django: "html",
  Jinja: "j2",
  Twig: "html.twig",
  Blade: "blade.php",
  Go: "tmpl",
  Razor: "cshtml",
  JSP: "jsp",
  Astro: "astro",
  Angular: "html",
  EJS: "ejs",
  Blazor: "razor",
  FreeMarker: "ftlh",
  Velocity: "vm",
  Thymeleaf: "html",
  Facelets: "xhtml",
  GSP: "gsp",
  Twirl: "scala.html",
  Mako: "mako",
  Latte: "latte",
}
const templateOf = (kind: string) => `views/${kind.toLowerCase()}.${EXTENSIONS[kind]}`

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(KINDS).flatMap(([kind, [path, text, template]]) => [
      [path, text],
      [templateOf(kind), template],
    ]),
  ),
  "ts/inline.component.ts":
    '@Component({\n  selector: "x",\n  template: `<b (click)="inlined()">{{ x }}</b>`,\n})\nexport class InlineComponent {\n  inlined(): void {}\n}\n',
  "java/Quiet.java": "class Quiet {\n  void hush() {}\n}\n",
  "c/halt.c": "void halt_all(void) {\n}\n",
  "c/boot.s": "boot:\n  call halt_all\n",
  "rb/broken.rb": `${")]}>".repeat(400)}\nhidden_name\n`,
  "rb/hidden.rb": "def hidden_name\nend\n\ndef shown_name\nend\n",
  "py/silent.py": "def quiet():\n    pass\n",
  "views/silent.html": '<p>quiet</p><!-- {{ nothing }} -->\n<a title="quiet">quiet</a>\n',
}

const space = indexedOnce(FILES)

test.each(Object.keys(KINDS))("%s: a name in the code of a template is a use", async (kind) => {
  const [, , template, name] = KINDS[kind]!
  // A template may write `leaf.captionText` for the getter `getCaptionText`.
  const property = name.replace(/^(?:get|is)([A-Z])/, (_, letter: string) => letter.toLowerCase())
  const line = template.split("\n").findLastIndex((text) => text.includes(property)) + 1
  const { references, unresolved } = await space().json(["symbol", name, "--references"])
  expect([...references, ...unresolved.places]).toContainEqual(
    expect.objectContaining({ path: templateOf(kind), line }),
  )
  const { related } = await space().json(["symbol", "--unused", "--all"])
  expect(related.map((each: { name: string }) => each.name.replace(/^.*\./, ""))).not.toContain(name)
})

test("a name in a template inside an Angular component is a use", async () => {
  const { references } = await space().json(["symbol", "inlined", "--references"])
  expect(references).toMatchObject([{ path: "ts/inline.component.ts", line: 3, kind: "call" }])
})

test("the text of a page is no code", async () => {
  const { stdout } = await space().run(["symbol", "quiet", "--references", "--json"])
  expect(JSON.parse(stdout)).toMatchObject({ total: 0, unresolved: { total: 0 } })
})

test("an answer without callers names the files whose uses are not read", async () => {
  const { stderr } = await space().run(["symbol", "halt_all", "--callers"])
  expect(stderr).toContain("files whose uses are not read may use it: 1 in assembly (c/boot.s)")
})

test("a file that could not be parsed is named only if it contains the name", async () => {
  const noticesOf = async (name: string) => {
    const { stdout } = await space().run(["symbol", name, "--references", "--json"])
    return JSON.parse(stdout).notices.join()
  }
  expect(await noticesOf("hidden_name")).toContain(
    "could not be parsed, so uses there are not known: rb/broken.rb",
  )
  expect(await noticesOf("shown_name")).not.toContain("broken.rb")
})
