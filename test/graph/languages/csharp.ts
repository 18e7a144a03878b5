import { type Language, spelling } from "../programs.ts"

const PACKAGE = `public interface ‹+x.I1›
{
    int ‹+x.I1.m1›(int n);
}

public class ‹+x.T1›
{
    public const int ‹+x.T1.c1› = 3;
    public int ‹+x.T1.p1› = 1;
    public string ‹+x.T1.p2› { get; set; } = "";

    public virtual int ‹+x.T1.m1›(int n)
    {
        return ‹x.T1.p1› + n;
    }

    public ‹x.T1› ‹+x.T1.m2›()
    {
        return this;
    }

    public int ‹+x.T1.m3/1›(int n)
    {
        return ‹x.T1.m3/2›(n, 2);
    }

    public int ‹+x.T1.m3/2›(int n, int k)
    {
        return n + k + ‹x.T1.c1›;
    }

    public static int ‹+x.T1.m4›(int n)
    {
        return n;
    }

    public static ‹x.T1› ‹+x.T1.m5›()
    {
        return new ‹x.T1›();
    }
}

public class ‹+x.T2› : ‹x.T1›
{
    public override int ‹+x.T2.m1›(int n)
    {
        return base.‹x.T1.m1›(n);
    }
}

public class ‹+x.T3› : ‹x.I1›
{
    public int ‹+x.T3.p1› = 1;

    public int ‹+x.T3.m1›(int n)
    {
        return this.‹x.T3.p1› * n;
    }
}

public static class ‹+x.T4›
{
    public static int ‹+x.T4.m6›(this ‹x.T1› ‹-v1›, int n)
    {
        return ‹-v1›.‹x.T1.m1›(n);
    }
}
`

export const csharp: Language = {
  name: "csharp",
  spell: spelling({ T: "pascal", I: "pascal", c: "pascal", m: "pascal", p: "pascal", f: "pascal" }),
  module: ({ package: name, root }) =>
    name === "lib" ? "Lib" : `${root.toUpperCase()}.${name.toUpperCase()}`,
  package: ({ package: name }) => ({
    [`${name}/Core.cs`]: `namespace §x\n{\n${PACKAGE.trimEnd().replace(/^(?=.)/gm, "    ")}\n}\n`,
  }),
  forms: [
    { name: "using", head: (_, { as }) => `using §${as};\n`, isBare: true },
    {
      name: "alias",
      head: (tops, { as }) =>
        tops.map((slot) => `using ‹${as}.${slot}:R${slot}› = §${as}.‹${as}.${slot}›;\n`).join(""),
      alias: (slot) => `R${slot}`,
    },
    {
      name: "namespace alias",
      head: (_, { as }) => `using Q${as} = §${as};\n`,
      prefix: ({ as }) => `Q${as}.`,
    },
    { name: "qualified", head: () => "", prefix: ({ as }) => `§${as}.` },
    { name: "same namespace", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) => {
    const name = form.isInside ? `§${place.as}` : "U.§root"
    const path = form.isInside
      ? `${place.package}/User${number}.cs`
      : `${["u", "a", "b"][(number + head.length) % 3]}/User${number}.cs`
    return [path, `${head}\nnamespace ${name}\n{\npublic class User${number}\n{\n${body}\n}\n}\n`]
  },
  pieces: [
    { name: "static call", code: `    int G§n() {\n        return ‹x.T1›.‹x.T1.m4›(1);\n    }` },
    {
      name: "both packages",
      code: `    int G§n() {\n        int n = ‹x.T1›.‹x.T1.m4›(1);\n        return n + ‹y.T1›.‹y.T1.m4›(2);\n    }`,
    },
    { name: "constant", code: `    int k§n = ‹x.T1›.‹x.T1.c1›;` },
    {
      name: "parameter",
      code: `    int G§n(⟦int n, ¦⟧‹x.T1› ‹-v2›) {\n        int k = ‹-v2›.‹x.T1.m1›(1);\n        return k + ‹-v2›.‹x.T1.p1›;\n    }`,
    },
    { name: "property", code: `    string G§n(‹x.T1› ‹-v2›) {\n        return ‹-v2›.‹x.T1.p2›;\n    }` },
    {
      name: "both types",
      code: `    int G§n(‹x.T1› ‹-v2›,\n        ‹y.T1› ‹-v3›) {\n        int n = ‹-v2›.‹x.T1.m1›(1);\n        return n + ‹-v3›.‹y.T1.m1›(1);\n    }`,
    },
    {
      name: "construction",
      code: `    int G§n() {\n        ⟦var¦‹x.T1›⟧ ‹-v2› = new ‹x.T1›();\n        return ‹-v2›.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "initializer",
      code: `    int G§n() {\n        var ‹-v2› = new ‹x.T1› { ‹x.T1.p1› = 2 };\n        return ‹-v2›.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "result",
      code: `    int G§n() {\n        var ‹-v2› = ‹x.T1›.‹x.T1.m5›();\n        return ‹-v2›.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "chain",
      code: `    int G§n(‹x.T1› ‹-v2›) {\n        return ‹-v2›.‹x.T1.m2›().‹x.T1.m1›(1);\n    }`,
    },
    { name: "interface", code: `    int G§n(‹x.I1› ‹-v2›) {\n        return ‹-v2›.‹x.I1.m1›(1);\n    }` },
    {
      name: "override",
      code: `    int G§n(‹x.T2› ‹-v2›) {\n        ‹-v2›.‹x.T1.m2›();\n        return ‹-v2›.‹x.T2.m1›(1);\n    }`,
    },
    {
      name: "overloads",
      code: `    int G§n(‹x.T1› ‹-v2›) {\n        int n = ‹-v2›.‹x.T1.m3/1›(1);\n        return n + ‹-v2›.‹x.T1.m3/2›(1, 2);\n    }`,
    },
    {
      name: "subclass here",
      code: `    class S§n : ‹x.T1› {\n        int Over() {\n            return ⟦this.¦⟧‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "override here",
      code: `    class S§n : ‹x.T1› {\n        public override int ‹-m1›(int n) {\n            return base.‹x.T1.m1›(n);\n        }\n        int Over() {\n            return ⟦this.¦⟧‹-m1›(1);\n        }\n    }`,
    },
    {
      name: "field",
      code: `    private ‹x.T1› inner§n;\n    int G§n() {\n        return ⟦this.¦⟧inner§n.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "constructor field",
      code: `    class H§n {\n        private readonly ‹x.T1› _inner;\n        public H§n(‹x.T1› inner) {\n            _inner = inner;\n        }\n        int Over() {\n            return _inner.‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "primary constructor",
      code: `    class H§n(‹x.T1› inner) {\n        int Over() {\n            return inner.‹x.T1.m1›(1);\n        }\n    }`,
      not: ["uncompiled"],
    },
    { name: "expression body", code: `    int G§n(‹x.T1› ‹-v2›) => ‹-v2›.‹x.T1.m1›(1);` },
    {
      name: "property named like its type",
      code: `    class N§n {\n        public ‹x.T3› ‹-T3› { get; set; }\n        int Over() {\n            return ‹-T3›.‹x.T3.m1›(1);\n        }\n    }`,
      not: ["alias", "namespace alias", "qualified"],
    },
    {
      name: "local named like a member",
      code: `    class S§n : ‹x.T1› {\n        int Over(int ‹-p1›) {\n            return ‹-p1› + 1;\n        }\n    }`,
    },
    {
      name: "lambda parameter",
      code: `    System.Func<‹x.T1›, int> k§n =\n        ‹-v2› => ‹-v2›.‹x.T1.m1›(1);`,
    },
    { name: "method as value", code: `    System.Func<int, int> k§n =\n        ‹x.T1›.‹x.T1.m4›;` },
    {
      name: "loop",
      code: `    void G§n(System.Collections.Generic.List<‹x.T1›> all) {\n        foreach (⟦var¦‹x.T1›⟧ ‹-v2› in all) {\n            ‹-v2›.‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "pattern",
      code: `    int G§n(object given) {\n        if (given is ‹x.T1› ‹-v2›) {\n            return ‹-v2›.‹x.T1.m1›(1);\n        }\n        return 0;\n    }`,
    },
    {
      name: "cast",
      code: `    int G§n(object given) {\n        return ⟦((‹x.T1›)given)¦(given as ‹x.T1›)⟧.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "caller of the same name",
      code: `    class C§n {\n        int ‹-m4›(int n) {\n            return ‹x.T1›.‹x.T1.m4›(n);\n        }\n    }`,
    },
    {
      name: "equal member of an own type",
      code: `    class E§n {\n        public int ‹-m1›(int n) {\n            return n;\n        }\n    }\n    int G§n(E§n e) {\n        return e.‹-m1›(1);\n    }`,
    },
    { name: "dynamic value", code: `    int G§n(dynamic given) {\n        return given.‹-m1›(1);\n    }` },
    {
      name: "type parameter",
      code: `    int G§n<T>(T ‹-v2›) where T : ‹x.I1› {\n        return ‹-v2›.‹x.I1.m1›(1);\n    }`,
    },
    {
      name: "type parameter of the same name",
      code: `    ‹-T1› G§n<‹-T1›>(‹-T1› given) {\n        return given;\n    }`,
    },
    { name: "nameof", code: `    string k§n = nameof(‹x.T1›);` },
  ],
}
