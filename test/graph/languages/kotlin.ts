import { type Language, spelling } from "../programs.ts"

const PACKAGE = `const val ‹+x.c1› = 3

interface ‹+x.I1› {
    fun ‹+x.I1.m1›(n: Int): Int
}

open class ‹+x.T1›(var ‹+x.T1.p1›: Int = 1) {
    open fun ‹+x.T1.m1›(n: Int): Int {
        return ‹x.T1.p1› + n
    }

    fun ‹+x.T1.m2›(): ‹x.T1› {
        return this
    }

    fun ‹+x.T1.m3/1›(n: Int): Int {
        return ‹x.T1.m3/2›(n, 2)
    }

    fun ‹+x.T1.m3/2›(n: Int, k: Int): Int {
        return n + k
    }

    companion object {
        fun ‹+x.T1.m4›(n: Int): Int {
            return n
        }
    }
}

class ‹+x.T2› : ‹x.T1›() {
    override fun ‹+x.T2.m1›(n: Int): Int {
        return super.‹x.T1.m1›(n)
    }
}

class ‹+x.T3› : ‹x.I1› {
    val ‹+x.T3.p1› = 1

    override fun ‹+x.T3.m1›(n: Int): Int {
        return this.‹x.T3.p1› * n
    }
}

object ‹+x.T4› {
    fun ‹+x.T4.m6›(n: Int): Int {
        return n
    }
}

fun ‹+x.f1›(n: Int): Int {
    return n + ‹x.c1›
}

fun ‹+x.f2›(): ‹x.T1› {
    return ‹x.T1›(1)
}
`

export const kotlin: Language = {
  name: "kotlin",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}.${name}`),
  package: ({ package: name }) => ({ [`${name}/Core.kt`]: `package §x\n\n${PACKAGE}` }),
  forms: [
    {
      name: "import",
      head: (tops, { as }) => tops.map((slot) => `import §${as}.‹${as}.${slot}›\n`).join(""),
      isBare: true,
    },
    {
      name: "renamed",
      head: (tops, { as }) =>
        tops.map((slot) => `import §${as}.‹${as}.${slot}› as ‹${as}.${slot}:R${slot}›\n`).join(""),
      alias: (slot) => `R${slot}`,
    },
    { name: "wildcard", head: (_, { as }) => `import §${as}.*\n`, isBare: true },
    { name: "qualified", head: () => "", prefix: ({ as }) => `§${as}.` },
    { name: "same package", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [`${place.package}/User${number}.kt`, `package §${place.as}\n\n${head}\n${body}`]
      : [
          `${["u", "a", "b"][(number + body.length) % 3]}/User${number}.kt`,
          `package §root.u\n\n${head}\n${body}`,
        ],
  pieces: [
    { name: "call", code: `fun g§n(): Int {\n    return ‹x.f1›(1)\n}` },
    { name: "both packages", code: `fun g§n(): Int {\n    val n = ‹x.f1›(1)\n    return n + ‹y.f1›(2)\n}` },
    { name: "constant", code: `val k§n = ‹x.c1› + 1` },
    { name: "object function", code: `fun g§n(): Int {\n    return ‹x.T4›.‹x.T4.m6›(1)\n}` },
    { name: "companion function", code: `fun g§n(): Int {\n    return ‹x.T1›.‹x.T1.m4›(1)\n}` },
    {
      name: "parameter",
      code: `fun g§n(⟦n: Int, ¦⟧‹-v2›: ‹x.T1›): Int {\n    val k = ‹-v2›.‹x.T1.m1›(1)\n    return k + ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "nullable parameter",
      code: `fun g§n(‹-v2›: ‹x.T1›?): Int? {\n    return ‹-v2›⟦?¦!!⟧.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "both types",
      code: `fun g§n(‹-v2›: ‹x.T1›,\n    ‹-v3›: ‹y.T1›): Int {\n    val n = ‹-v2›.‹x.T1.m1›(1)\n    return n + ‹-v3›.‹y.T1.m1›(1)\n}`,
    },
    {
      name: "construction",
      code: `fun g§n(): Int {\n    val ‹-v2› = ‹x.T1›(1)\n    return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    { name: "result", code: `fun g§n(): Int {\n    val ‹-v2› = ‹x.f2›()\n    return ‹-v2›.‹x.T1.m1›(1)\n}` },
    { name: "chain", code: `fun g§n(): Int {\n    return ‹x.f2›().‹x.T1.m2›().‹x.T1.m1›(1)\n}` },
    { name: "interface", code: `fun g§n(‹-v2›: ‹x.I1›): Int {\n    return ‹-v2›.‹x.I1.m1›(1)\n}` },
    {
      name: "override",
      code: `fun g§n(‹-v2›: ‹x.T2›): Int {\n    ‹-v2›.‹x.T1.m2›()\n    return ‹-v2›.‹x.T2.m1›(1)\n}`,
    },
    {
      name: "overloads",
      code: `fun g§n(‹-v2›: ‹x.T1›): Int {\n    val n = ‹-v2›.‹x.T1.m3/1›(1)\n    return n + ‹-v2›.‹x.T1.m3/2›(1, 2)\n}`,
    },
    {
      name: "subclass here",
      code: `class S§n : ‹x.T1›() {\n    fun over(): Int {\n        return ⟦this.¦⟧‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "override here",
      code: `class S§n : ‹x.T1›() {\n    override fun ‹-m1›(n: Int): Int {\n        return super.‹x.T1.m1›(n)\n    }\n\n    fun over(): Int {\n        return ⟦this.¦⟧‹-m1›(1)\n    }\n}`,
    },
    {
      name: "primary constructor property",
      code: `class H§n(⟦private val¦val¦private var⟧ inner: ‹x.T1›) {\n    fun over(): Int {\n        return inner.‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "property",
      code: `class H§n {\n    private val inner: ‹x.T1› = ‹x.f2›()\n\n    fun over(): Int {\n        return inner.‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "inferred property",
      code: `class H§n {\n    private val inner = ‹x.T1›(1)\n\n    fun over(): Int {\n        return inner.‹x.T1.m1›(1)\n    }\n}`,
    },
    { name: "expression body", code: `fun g§n(‹-v2›: ‹x.T1›) = ‹-v2›.‹x.T1.m1›(1)` },
    { name: "extension function", code: `fun ‹x.T1›.ext§n(): Int {\n    return ⟦this.¦⟧‹x.T1.m1›(1)\n}` },
    {
      name: "lambda parameter",
      code: `fun g§n(all: List<‹x.T1›>): List<Int> {\n    return all.map { ‹-v2› -> ‹-v2›.‹x.T1.m1›(1) }\n}`,
    },
    {
      name: "it",
      code: `fun g§n(all: List<‹x.T1›>): List<Int> {\n    return all.map { it.‹x.T1.m1›(1) }\n}`,
    },
    {
      name: "apply block",
      code: `fun g§n(): ‹x.T1› {\n    return ‹x.f2›().apply {\n        ‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "parameter shadows function",
      code: `fun g§n(‹-f1›: (Int) -> Int): Int {\n    return ‹-f1›(1)\n}`,
    },
    {
      name: "local shadows function",
      code: `fun g§n(): Int {\n    val ‹-f1› = { n: Int -> n }\n    return ‹-f1›(1)\n}`,
    },
    {
      name: "loop variable shadows function",
      code: `fun g§n(all: List<(Int) -> Int>) {\n    for (‹-f1› in all) {\n        ‹-f1›(1)\n    }\n}`,
    },
    {
      name: "nested function",
      code: `fun g§n(): Int {\n    fun ‹-f1›(n: Int): Int = n\n    return ‹-f1›(1)\n}`,
    },
    {
      name: "named argument",
      code: `fun h§n(‹-f1›: Int = 1): Int = 0\n\nfun g§n(): Int {\n    return h§n(‹-f1› = 2)\n}`,
    },
    {
      name: "caller of the same name",
      code: `class C§n {\n    fun ‹-m6›(n: Int): Int {\n        return ‹x.T4›.‹x.T4.m6›(n)\n    }\n}`,
    },
    {
      name: "equal member of an own type",
      code: `class E§n {\n    fun ‹-m1›(n: Int): Int = n\n}\n\nfun g§n(e: E§n): Int {\n    return e.‹-m1›(1)\n}`,
    },
    {
      name: "smart cast",
      code: `fun g§n(given: Any): Int {\n    if (given is ‹x.T1›) {\n        return given.‹x.T1.m1›(1)\n    }\n    return 0\n}`,
    },
    { name: "cast", code: `fun g§n(given: Any): Int {\n    return (given as ‹x.T1›).‹x.T1.m1›(1)\n}` },
    {
      name: "loop",
      code: `fun g§n(all: List<‹x.T1›>) {\n    for (‹-v2› in all) {\n        ‹-v2›.‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "type parameter",
      code: `fun <T : ‹x.I1›> g§n(‹-v2›: T): Int {\n    return ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
    {
      name: "type parameter of the same name",
      code: `fun <‹-T1›> g§n(given: ‹-T1›): ‹-T1› {\n    return given\n}`,
    },
    {
      name: "function reference",
      code:
        `val k§n = listOf(1).map(::‹-h›)`.replace("::‹-h›", "::ref§n") +
        `\n\nfun ref§n(n: Int): Int = ‹x.f1›(n)`,
    },
  ],
}
