import { type Language, spelling } from "../programs.ts"

const PACKAGE = `package §x

trait ‹+x.I1› {
  def ‹+x.I1.m1›(n: Int): Int
}

class ‹+x.T1›(var ‹+x.T1.p1›: Int) {
  def ‹+x.T1.m1›(n: Int): Int = {
    ‹x.T1.p1› + n
  }

  def ‹+x.T1.m2›(): ‹x.T1› = {
    this
  }

  def ‹+x.T1.m3/1›(n: Int): Int = {
    ‹x.T1.m3/2›(n, 2)
  }

  def ‹+x.T1.m3/2›(n: Int, k: Int): Int = {
    n + k
  }
}

class ‹+x.T2› extends ‹x.T1›(1) {
  override def ‹+x.T2.m1›(n: Int): Int = {
    super.‹x.T1.m1›(n)
  }
}

object ‹+x.T4› {
  val ‹+x.T4.c1› = 3

  def ‹+x.T4.f1›(n: Int): Int = {
    n + ‹x.T4.c1›
  }

  def ‹+x.T4.f2›(): ‹x.T1› = {
    new ‹x.T1›(1)
  }
}
`

export const scala: Language = {
  name: "scala",
  spell: spelling({ T: "pascal", I: "pascal", c: "pascal" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}.${name}`),
  package: ({ package: name }) => ({ [`${name}/Core.scala`]: PACKAGE }),
  forms: [
    {
      name: "import",
      head: (tops, { as }) => tops.map((slot) => `import §${as}.‹${as}.${slot}›\n`).join(""),
      isBare: true,
    },
    {
      name: "grouped import",
      head: (tops, { as }) => `import §${as}.{${tops.map((slot) => `‹${as}.${slot}›`).join(", ")}}\n`,
      isBare: true,
    },
    {
      name: "renamed",
      head: (tops, { as }) =>
        `import §${as}.{${tops.map((slot) => `‹${as}.${slot}› => ‹${as}.${slot}:R${slot}›`).join(", ")}}\n`,
      alias: (slot) => `R${slot}`,
    },
    { name: "wildcard", head: (_, { as }) => `import §${as}._\n`, isBare: true },
    { name: "qualified", head: () => "", prefix: ({ as }) => `_root_.§${as}.` },
    { name: "same package", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [
          `${place.package}/User${number}.scala`,
          `package §${place.as}\n\n${head}\nobject User${number} {\n${body}\n}\n`,
        ]
      : [
          `${["u", "a", "b"][(number + body.length) % 3]}/User${number}.scala`,
          `package §root.u\n\n${head}\nobject User${number} {\n${body}\n}\n`,
        ],
  pieces: [
    { name: "object function", code: `  def g§n(): Int = {\n    ‹x.T4›.‹x.T4.f1›(1)\n  }` },
    {
      name: "both packages",
      code: `  def g§n(): Int = {\n    val n = ‹x.T4›.‹x.T4.f1›(1)\n    n + ‹y.T4›.‹y.T4.f1›(2)\n  }`,
    },
    {
      name: "parameter",
      code: `  def g§n(⟦n: Int, ¦⟧‹-v2›: ‹x.T1›): Int = {\n    val k = ‹-v2›.‹x.T1.m1›(1)\n    k + ‹-v2›.‹x.T1.p1›\n  }`,
    },
    {
      name: "both types",
      code: `  def g§n(‹-v2›: ‹x.T1›,\n      ‹-v3›: ‹y.T1›): Int = {\n    val n = ‹-v2›.‹x.T1.m1›(1)\n    n + ‹-v3›.‹y.T1.m1›(1)\n  }`,
    },
    {
      name: "construction",
      code: `  def g§n(): Int = {\n    val ‹-v2› = new ‹x.T1›(1)\n    ‹-v2›.‹x.T1.m1›(1)\n  }`,
    },
    {
      name: "result",
      code: `  def g§n(): Int = {\n    val ‹-v2› = ‹x.T4›.‹x.T4.f2›()\n    ‹-v2›.‹x.T1.m1›(1)\n  }`,
    },
    {
      name: "override",
      code: `  def g§n(‹-v2›: ‹x.T2›): Int = {\n    ‹-v2›.‹x.T1.m2›()\n    ‹-v2›.‹x.T2.m1›(1)\n  }`,
    },
    {
      name: "overloads",
      code: `  def g§n(‹-v2›: ‹x.T1›): Int = {\n    val n = ‹-v2›.‹x.T1.m3/1›(1)\n    n + ‹-v2›.‹x.T1.m3/2›(1, 2)\n  }`,
    },
    {
      name: "subclass here",
      code: `  class S§n extends ‹x.T1›(1) {\n    def over(): Int = {\n      ⟦this.¦⟧‹x.T1.m1›(1)\n    }\n  }`,
    },
    {
      name: "parameter of a class",
      code: `  class H§n(inner: ‹x.T1›) {\n    def over(): Int = {\n      inner.‹x.T1.m1›(1)\n    }\n  }`,
    },
    { name: "trait", code: `  def g§n(‹-v2›: ‹x.I1›): Int = {\n    ‹-v2›.‹x.I1.m1›(1)\n  }` },
    {
      name: "caller of the same name",
      code: `  class C§n {\n    def ‹-f1›(n: Int): Int = {\n      ‹x.T4›.‹x.T4.f1›(n)\n    }\n  }`,
    },
    {
      name: "equal member of an own type",
      code: `  class E§n {\n    def ‹-m1›(n: Int): Int = {\n      n\n    }\n  }\n\n  def g§n(e: E§n): Int = {\n    e.‹-m1›(1)\n  }`,
    },
    { name: "local of the same name", code: `  def g§n(): Int = {\n    val ‹-f1› = 1\n    ‹-f1› + 1\n  }` },
    {
      name: "match",
      code: `  def g§n(given: Any): Int = {\n    given match {\n      case ‹-v2›: ‹x.T1› => ‹-v2›.‹x.T1.m1›(1)\n      case _ => 0\n    }\n  }`,
    },
    {
      name: "lambda parameter",
      code: `  def g§n(all: List[‹x.T1›]): List[Int] = {\n    all.map(‹-v2› => ‹-v2›.‹x.T1.m1›(1))\n  }`,
    },
  ],
}
