import { type Language, spelling } from "../programs.ts"

const PACKAGE = `from typing import Protocol

‹+x.c1› = 3


class ‹+x.I1›(Protocol):
    def ‹+x.I1.m1›(self, n: int) -> int: ...


class ‹+x.T1›:
    ‹+x.T1.p2› = "text"

    def __init__(self, n: int = 0) -> None:
        self.‹+x.T1.p1› = n

    def ‹+x.T1.m1›(self, n: int) -> int:
        return self.‹x.T1.p1› + n

    def ‹+x.T1.m2›(self) -> "‹x.T1›":
        return self

    @staticmethod
    def ‹+x.T1.m4›(n: int) -> int:
        return n


class ‹+x.T2›(‹x.T1›):
    def ‹+x.T2.m1›(self, n: int) -> int:
        return super().‹x.T1.m1›(n)


class ‹+x.T3›:
    def __init__(self) -> None:
        self.‹+x.T3.p1› = 1

    def ‹+x.T3.m1›(self, n: int) -> int:
        return self.‹x.T3.p1› * n


def ‹+x.f1›(n: int) -> int:
    return n + ‹x.c1›


def ‹+x.f2›() -> ‹x.T1›:
    return ‹x.T1›(1)


def ‹+x.f3›(‹-v1›: ‹x.T1›, n: int) -> int:
    return ‹-v1›.‹x.T1.m2›().‹x.T1.m1›(n)
`

const named = (tops: readonly string[], as: string, by = (slot: string) => `‹${as}.${slot}›`) =>
  tops.map(by).join(", ")

export const python: Language = {
  name: "python",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper", default: "snake" }),
  program: () => ({ "__init__.py": "" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}.${name}`),
  package: ({ package: name }) =>
    name === "lib" ? { "lib.py": PACKAGE } : { [`${name}/__init__.py`]: "", [`${name}/core.py`]: PACKAGE },
  forms: [
    {
      name: "named",
      head: (tops, { as, package: p }) =>
        `from §${as}${p === "lib" ? "" : ".core"} import ${named(tops, as)}\n`,
      isBare: true,
    },
    {
      name: "relative",
      head: (tops, { as, package: p }) => `from ..${p}.core import ${named(tops, as)}\n`,
      isBare: true,
      isOwn: true,
    },
    {
      name: "renamed",
      head: (tops, { as, package: p }) =>
        `from §${as}${p === "lib" ? "" : ".core"} import ${named(tops, as, (slot) => `‹${as}.${slot}› as ‹${as}.${slot}:r_${slot}›`)}\n`,
      alias: (slot) => `r_${slot}`,
    },
    {
      name: "module",
      head: (_, { as, package: p }) =>
        p === "lib" ? `import §${as}\n` : `from §${as} import core as ${p}_core\n`,
      prefix: ({ package: p }) => (p === "lib" ? "lib." : `${p}_core.`),
    },
    {
      name: "dotted module",
      head: (_, { as }) => `import §${as}.core\n`,
      prefix: ({ as }) => `§${as}.core.`,
      isOwn: true,
    },
    {
      name: "module renamed",
      head: (_, { as, package: p }) => `import §${as}${p === "lib" ? "" : ".core"} as q${as}\n`,
      prefix: ({ as }) => `q${as}.`,
    },
    {
      name: "wildcard",
      head: (_, { as, package: p }) => `from §${as}${p === "lib" ? "" : ".core"} import *\n`,
      isBare: true,
    },
    {
      name: "barrel",
      head: (tops, { as, package: p }) => `from §root.pub_${p} import ${named(tops, as)}\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p, as }) => ({
        [`pub_${p}.py`]: `from .${p}.core import ${["T1", "T2", "T3", "I1", "f1", "f2", "f3", "c1"].map((slot) => `‹${as}.${slot}›`).join(", ")}\n`,
      }),
    },
    {
      name: "beside",
      head: (tops, { as }) => `from .core import ${named(tops, as)}\n`,
      isBare: true,
      isInside: true,
    },
    {
      name: "in a function",
      head: (tops, { as, package: p }) =>
        `if True:\n    from §${as}${p === "lib" ? "" : ".core"} import ${named(tops, as)}\n`,
      isBare: true,
    },
  ],
  user: ({ number, form, place, head, body }) => [
    form.isInside ? `${place.package}/user${number}.py` : `u/user${number}.py`,
    `from __future__ import annotations\nfrom typing import Annotated, Optional, Union\n${head}\n\n${body}`,
  ],
  pieces: [
    { name: "call", code: `def g§n():\n    return ‹x.f1›(1)` },
    { name: "both packages", code: `def g§n():\n    n = ‹x.f1›(1)\n    return n + ‹y.f1›(2)` },
    { name: "constant", code: `def g§n():\n    return ‹x.c1› + 1` },
    {
      name: "typed parameter",
      code: `def g§n(⟦n: int, ¦⟧‹-v2›: ⟦‹x.T1›¦"‹x.T1›"⟧⟦, *rest¦, k=1¦⟧):\n    ‹-v2›.‹x.T1.m1›(1)\n    return ‹-v2›.‹x.T1.p1›`,
    },
    {
      name: "optional parameter",
      code: `def g§n(‹-v2›: ⟦Optional[‹x.T1›]¦‹x.T1› | None¦None | ‹x.T1›¦"Optional[‹x.T1›]"¦Union[‹x.T1›, None]⟧⟦ = None¦⟧):\n    if ‹-v2›:\n        return ‹-v2›.‹x.T1.m1›(1)`,
    },
    {
      name: "annotated parameter",
      code: `def depends(given=None):\n    return given\n\n\ndef g§n(‹-v2›: Annotated[‹x.T1›, depends()]):\n    return ‹-v2›.‹x.T1.m1›(1)`,
    },
    {
      name: "both types",
      code: `def g§n(‹-v2›: ‹x.T1›,\n        ‹-v3›: ‹y.T1›):\n    ‹-v2›.‹x.T1.m1›(1)\n    ‹-v3›.‹y.T1.m1›(1)`,
    },
    {
      name: "construction",
      code: `def g§n():\n    ‹-v2› = ‹x.T1›(1)\n    ‹-v2›.‹x.T1.m1›(1)\n    return ‹-v2›.‹x.T1.p1›`,
    },
    {
      name: "annotated local",
      code: `def g§n(given):\n    ‹-v2›: ‹x.T1› = given\n    return ‹-v2›.‹x.T1.m1›(1)`,
    },
    { name: "result", code: `def g§n():\n    ‹-v2› = ‹x.f2›()\n    return ‹-v2›.‹x.T1.m1›(1)` },
    { name: "chain", code: `def g§n():\n    return ‹x.f2›().‹x.T1.m2›().‹x.T1.m1›(1)` },
    { name: "protocol", code: `def g§n(‹-v2›: ‹x.I1›):\n    return ‹-v2›.‹x.I1.m1›(1)` },
    {
      name: "override",
      code: `def g§n(‹-v2›: ‹x.T2›):\n    ‹-v2›.‹x.T2.m1›(1)\n    return ‹-v2›.‹x.T1.m2›()`,
    },
    {
      name: "subclass here",
      code: `class S§n(‹x.T1›):\n    def get(self):\n        self.‹x.T1.m1›(1)\n        return self.‹x.T1.p1›`,
    },
    {
      name: "override here",
      code: `class S§n(‹x.T1›):\n    def ‹-m1›(self, n):\n        return super().‹x.T1.m1›(n)\n\n    def get(self):\n        return self.‹-m1›(1)`,
    },
    {
      name: "attribute",
      code: `class H§n:\n    def __init__(self, inner: ‹x.T1›):\n        self.inner = inner\n\n    def get(self):\n        return self.inner.‹x.T1.m1›(1)`,
    },
    {
      name: "annotated attribute",
      code: `class H§n:\n    inner: ‹x.T1›\n\n    def get(self):\n        return self.inner.‹x.T1.m1›(1)`,
    },
    { name: "static method", code: `def g§n():\n    return ‹x.T1›.‹x.T1.m4›(1)` },
    { name: "parameter shadows function", code: `def g§n(‹-f1›):\n    return ‹-f1›(1)` },
    { name: "local shadows function", code: `def g§n():\n    ‹-f1› = str\n    return ‹-f1›(1)` },
    { name: "later local", code: `def g§n():\n    ‹-f1›(1)\n    ‹-f1› = str\n    return ‹-f1›` },
    {
      name: "loop variable shadows function",
      code: `def g§n(every):\n    for ‹-f1› in every:\n        ‹-f1›(1)`,
    },
    { name: "comprehension variable", code: `def g§n(every):\n    return [‹-f1›(1) for ‹-f1› in every]` },
    {
      name: "nested function",
      code: `def g§n():\n    def ‹-f1›(n):\n        return n\n    return ‹-f1›(1)`,
    },
    {
      name: "local of a nested function",
      code: `def g§n():\n    def inner():\n        ‹-f1› = 1\n        return ‹-f1›\n    return ‹x.f1›(inner())`,
    },
    { name: "lambda parameter", code: `g§n = lambda ‹-f1›: ‹-f1›(1)` },
    {
      name: "caller of the same name",
      code: `class C§n:\n    def ‹-f1›(self, n):\n        return ‹x.f1›(n)`,
    },
    {
      name: "equal member of an own type",
      code: `class E§n:\n    def ‹-m1›(self, n):\n        return n\n\n\ndef g§n(e: E§n):\n    return e.‹-m1›(1)`,
    },
    { name: "untyped value", code: `def g§n(given):\n    return given.‹-m1›(1)` },
    {
      name: "variable named like the type",
      code: `def g§n(‹-T1:the_T1›):\n    return ‹-T1:the_T1›.‹-m1›(1)`,
    },
    { name: "key of a dict", code: `def g§n():\n    return dict(‹-f1›=1, ‹-p1›=2)` },
    {
      name: "keyword argument",
      code: `def h§n(‹-f1›=0):\n    return 0\n\n\ndef g§n():\n    return h§n(‹-f1›=1)`,
    },
    {
      name: "loop over values",
      code: `def g§n(every: list[‹x.T1›]):\n    for ‹-v2› in every:\n        ‹-v2›.‹x.T1.m1›(1)`,
    },
    {
      name: "isinstance",
      code: `def g§n(given):\n    if isinstance(given, ‹x.T1›):\n        return given.‹x.T1.m1›(1)`,
    },
    { name: "with", code: `def g§n():\n    with open("f") as ‹-f1›:\n        return ‹-f1›.read()` },
    {
      name: "except",
      code: `def g§n():\n    try:\n        return 1\n    except ValueError as ‹-f1›:\n        return str(‹-f1›)`,
    },
    { name: "walrus", code: `def g§n():\n    if (‹-v2› := ‹x.f2›()):\n        return ‹-v2›.‹x.T1.m1›(1)` },
    { name: "decorator", code: `@‹x.f1›\ndef g§n():\n    return 1` },
    { name: "function as value", code: `def g§n():\n    return map(‹x.f1›, [1])` },
  ],
}
