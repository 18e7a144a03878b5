import { type Language, spelling } from "../programs.ts"

const PACKAGE = `package §p

const ‹+x.c1› = 3

type ‹+x.I1› interface {
	‹+x.I1.m1›(n int) int
}

type ‹+x.T1› struct {
	‹+x.T1.p1› int
	‹+x.T1.p2› string
}

func (‹-v1› *‹x.T1›) ‹+x.T1.m1›(n int) int {
	return ‹-v1›.‹x.T1.p1› + n
}

func (‹-v1› *‹x.T1›) ‹+x.T1.m2›() *‹x.T1› {
	return ‹-v1›
}

type ‹+x.T2› struct {
	*‹x.T1›
	‹+x.T2.p3› int
}

func (‹-v1› ‹x.T2›) ‹+x.T2.m1›(n int) int {
	return ‹-v1›.‹?x.T1›.‹x.T1.m1›(n) + ‹-v1›.‹x.T2.p3›
}

type ‹+x.T3› struct {
	‹+x.T3.p1› int
}

func (‹-v1› ‹x.T3›) ‹+x.T3.m1›(n int) int {
	return n * ‹-v1›.‹x.T3.p1›
}

func ‹+x.f1›(n int) int {
	return n + ‹x.c1›
}

func ‹+x.f2›() *‹x.T1› {
	return &‹x.T1›{‹x.T1.p1›: 1}
}

func ‹+x.f3›(‹-v1› *‹x.T1›, n int) int {
	return ‹-v1›.‹x.T1.m2›().‹x.T1.m1›(n)
}
`

export const go: Language = {
  name: "go",
  spell: spelling({ T: "pascal", I: "pascal", f: "pascal", m: "pascal", p: "pascal", c: "pascal" }),
  tree: { "go.mod": "module m\n\ngo 1.22\n\nrequire lib.example/lib v1.0.0\n" },
  module: ({ package: name, root }) => (name === "lib" ? "lib.example/lib" : `m/${root}/${name}`),
  package: ({ package: name }) => ({ [`${name}/${name}.go`]: PACKAGE.replace("§p", name) }),
  forms: [
    { name: "plain", head: (_, { as }) => `import "§${as}"\n`, prefix: ({ package: name }) => `${name}.` },
    { name: "renamed", head: (_, { as }) => `import q${as} "§${as}"\n`, prefix: ({ as }) => `q${as}.` },
    { name: "dot", head: (_, { as }) => `import . "§${as}"\n`, isBare: true },
    { name: "same package", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [`${place.package}/user${number}.go`, `package ${place.package}\n${head}\n${body}`]
      : [`u${number}/user.go`, `package u${number}\n\n${head}\n${body}`],
  pieces: [
    { name: "call", code: `func g§n() int {\n\treturn ‹x.f1›(1)\n}` },
    { name: "both packages", code: `func g§n() int {\n\treturn ‹x.f1›(1) +\n\t\t‹y.f1›(2)\n}` },
    { name: "constant", code: `func g§n() int {\n\treturn ‹x.c1› + 1\n}` },
    {
      name: "pointer parameter",
      code: `func g§n(‹-v2› *‹x.T1›⟦, n int¦¦, s string, n int⟧) int {\n\treturn ‹-v2›.‹x.T1.m1›(1) +\n\t\t‹-v2›.‹x.T1.p1›\n}`,
    },
    { name: "value parameter", code: `func g§n(n int, ‹-v2› ‹x.T3›) int {\n\treturn ‹-v2›.‹x.T3.m1›(n)\n}` },
    {
      name: "both types",
      code: `func g§n(‹-v2› *‹x.T1›,\n\t‹-v3› *‹y.T1›) int {\n\tn := ‹-v2›.‹x.T1.m1›(1)\n\treturn n + ‹-v3›.‹y.T1.m1›(1)\n}`,
    },
    {
      name: "literal",
      code: `func g§n() int {\n\t‹-v2› := ⟦&¦⟧‹x.T1›{‹x.T1.p1›: 2}\n\treturn ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    { name: "result", code: `func g§n() int {\n\t‹-v2› := ‹x.f2›()\n\treturn ‹-v2›.‹x.T1.m1›(1)\n}` },
    { name: "chain", code: `func g§n() int {\n\treturn ‹x.f2›().‹x.T1.m2›().‹x.T1.m1›(1)\n}` },
    { name: "interface", code: `func g§n(‹-v2› ‹x.I1›) int {\n\treturn ‹-v2›.‹x.I1.m1›(1)\n}` },
    {
      name: "embedded override",
      code: `func g§n(‹-v2› ‹x.T2›) int {\n\tn := ‹-v2›.‹x.T2.m1›(1)\n\t_ = ‹-v2›.‹x.T1.m2›()\n\treturn n + ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "embedding here",
      code: `type w§n struct {\n\t‹x.T3›\n\tn int\n}\n\nfunc (w *w§n) get() int {\n\treturn w.‹x.T3.m1›(1) +\n\t\tw.‹?x.T3:T3›.‹x.T3.p1›\n}`,
    },
    {
      name: "field of a type",
      code: `type h§n struct {\n\tinner *‹x.T1›\n\tother map[string]‹x.T3›\n}\n\nfunc (h *h§n) get() int {\n\tn := h.inner.‹x.T1.m1›(1)\n\treturn n + h.other["k"].‹x.T3.m1›(1)\n}`,
    },
    {
      name: "parameter shadows function",
      code: `func g§n(‹-f1› func(int) int) int {\n\treturn ‹-f1›(1)\n}`,
      not: [],
    },
    {
      name: "local shadows function",
      code: `func g§n() int {\n\t‹-f1› := func(n int) int { return n }\n\treturn ‹-f1›(1)\n}`,
    },
    {
      name: "loop variable shadows function",
      code: `func g§n(all []func(int) int) int {\n\tn := 0\n\tfor _, ‹-f1› := range all {\n\t\tn += ‹-f1›(1)\n\t}\n\treturn n\n}`,
    },
    {
      name: "later local",
      code: `func g§n() int {\n\tn := ‹x.f1›(1)\n\t{\n\t\t‹-f1› := func(n int) int { return n }\n\t\tn += ‹-f1›(1)\n\t}\n\treturn n\n}`,
    },
    {
      name: "local called like a type",
      code: `type other§n struct{}\n\nfunc (o other§n) ‹-m1›(n int) int { return n }\n\nfunc g§n(all []other§n) int {\n\tn := 0\n\tfor _, ‹-T1› := range all {\n\t\tn += ‹-T1›.‹-m1›(1)\n\t}\n\treturn n\n}`,
    },
    {
      name: "loop over values",
      code: `func g§n(all []⟦*¦⟧‹x.T1›) int {\n\tn := 0\n\tfor _, ‹-v2› := range all {\n\t\tn += ‹-v2›.‹x.T1.m1›(1)\n\t}\n\treturn n\n}`,
    },
    {
      name: "caller of the same name",
      code: `type c§n struct{}\n\nfunc (c c§n) ‹-f1›(n int) int {\n\treturn ‹x.f1›(n)\n}`,
    },
    {
      name: "map key constant",
      code: `var k§n = map[int]string{\n\t‹x.c1›: "c",\n}`,
    },
    {
      name: "equal member of an own type",
      code: `type e§n struct{ ‹-p1› int }\n\nfunc (e *e§n) ‹-m1›(n int) int { return e.‹-p1› + n }\n\nfunc g§n(e *e§n, n int) int {\n\treturn e.‹-m1›(n)\n}`,
    },
    {
      name: "closure",
      code: `func g§n(‹-v2› *‹x.T1›) func() int {\n\treturn func() int {\n\t\treturn ‹-v2›.‹x.T1.m1›(2)\n\t}\n}`,
    },
    { name: "method value", code: `func g§n(‹-v2› *‹x.T1›) func(int) int {\n\treturn ‹-v2›.‹x.T1.m1›\n}` },
    {
      name: "type switch",
      code: `func g§n(any interface{}) int {\n\tswitch ‹-v2› := any.(type) {\n\tcase *‹x.T1›:\n\t\treturn ‹-v2›.‹x.T1.m1›(1)\n\tcase ‹y.T3›:\n\t\treturn ‹-v2›.‹y.T3.m1›(1)\n\t}\n\treturn 0\n}`,
    },
    {
      name: "type assertion",
      code: `func g§n(any interface{}) int {\n\tif ‹-v2›, ok := any.(*‹x.T1›); ok {\n\t\treturn ‹-v2›.‹x.T1.m1›(1)\n\t}\n\treturn any.(‹x.T3›).‹x.T3.m1›(1)\n}`,
    },
    {
      name: "untyped value of another type",
      code: `func g§n(any interface{ ‹-m1›(n int) int }) int {\n\treturn any.‹-m1›(1)\n}`,
    },
    {
      name: "generic",
      code: `func g§n[T ‹x.I1›](‹-v2› T) int {\n\treturn ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
  ],
}
