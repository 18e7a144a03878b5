import { expect, test } from "bun:test"
import { readmeAbout } from "./manifests.ts"

test.each<[string, string, string | null]>([
  [
    "a heading, then the description",
    "# Shop\n\nShop is a small store.\nIt sells things.\n\nMore.",
    "Shop is a small store. It sells things.",
  ],
  [
    "badges, links to translations and a picture before the description",
    "[![build](https://x/b.svg)](https://x) ![logo](l.png)\n\n[English readme](a.md)\n • [Deutsche readme](b.md)\n • [Lengua española readme](c.md)\n\nRich is a library for _rich_ text and **beautiful** [formatting](https://x) in a terminal.\n",
    "Rich is a library for rich text and beautiful formatting in a terminal.",
  ],
  [
    "tags around it",
    '<p align="center">\n\t<a href="https://x"><img src="l.png"></a>\n\t<br>\n\t<h3 align="center">A project</h3>\n</p>\n<p align="center">Caddy is an extensible server platform.</p>\n<p align="center">\n\t<a href="https://x/r">Releases</a> ·\n\t<a href="https://x/d">Documentation</a>\n</p>\n',
    "Caddy is an extensible server platform.",
  ],
  [
    "links to sponsors that contain HTML blocks, before the description",
    '<div align="center">\n<sup>Special thanks to:</sup>\n<br>\n<a href="https://x">\n  <div>\n    <img src="w.png">\n  </div>\n  <b>Weaver, the intelligent loom for you</b>\n  <br>\n  <b>For all systems there are</b>\n</a>\n<hr>\n</div>\n\nA simple shop in the terminal.\n',
    "A simple shop in the terminal.",
  ],
  [
    "a notice, an address and a list are no description",
    "As of 2023 Shop is deprecated and there will be no releases.\n\nhttps://example.com/some/long/address\n\n- one thing that it can do\n- another thing\n\nA store that fits a small town well.\n",
    "A store that fits a small town well.",
  ],
  [
    "the paragraph that defines the name is preferred to an earlier one",
    "Get it from the releases of this page and run it at once.\n\nThe Shop library is an open store.\n",
    "The Shop library is an open store.",
  ],
  [
    "reStructuredText",
    "Shop Server\n===========\n\n.. image:: logo.png\n   :alt: logo\n\n`Shop <http://shop.example>`_ is a web store, made at `Mall <http://m>`__.\n",
    "Shop is a web store, made at Mall.",
  ],
  [
    "sections about sponsors, installation and support before the description",
    "|build| |license|\n\nDonations\n=========\n\nPatrons\n-------\n\nMall makes it all possible for us.\n\nFor enterprise\n==============\n\nAvailable as part of the Mall Subscription.\n\nWhat it does\n============\n\nA store that fits a small town well.\n",
    "A store that fits a small town well.",
  ],
  [
    "a pointer to the documentation",
    "# Shop\n\nPlease check our documentation [here](https://x).\n\n## Security\n\nWrite to us by letter.\n",
    null,
  ],
  [
    "code and comments",
    "<!-- Shop is a secret of ours -->\n```sh\nshop is a command here\n```\n# Install\n",
    null,
  ],
  ["nothing", "", null],
])("%s", (_, text, about) => expect(readmeAbout(text, `${nameIn(text)}.js`)).toBe(about))

function nameIn(text: string): string {
  return /\b(?:shop|rich|caddy)\b/i.exec(text)?.[0] ?? "shop"
}

const words = "Shop is a small store. ".repeat(1_000)

test.each<[string, string, RegExp | null]>([
  ["a paragraph without end", words, /^Shop is a small store\./],
  ["only opening brackets", "[".repeat(20_000), null],
  ["only opening brackets, after words", `Shop is a small store ${"[".repeat(20_000)}`, /^Shop is a small/],
  ["a fence without end", `${"`".repeat(10_000)}${"\n".repeat(10_000)}`, null],
  ["only beginnings of comments", "<!--".repeat(5_000), null],
  ["only beginnings of pictures", "![](".repeat(5_000), null],
  ["only beginnings of links", "<a>".repeat(7_000), null],
  ["a name and then blanks", `\`a${" ".repeat(20_000)}`, null],
])("returns at most 2,000 characters for a hostile README: %s", (_, text, about) => {
  const found = readmeAbout(text, "shop")
  expect(found?.length ?? 0).toBeLessThanOrEqual(2_000)
  if (about === null) expect(found).toBeNull()
  else expect(found).toMatch(about)
})
