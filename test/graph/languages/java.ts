import { type Language, spelling } from "../programs.ts"

const PACKAGE: Readonly<Record<string, string>> = {
  I1: `public interface ‹+x.I1› {
    int ‹+x.I1.m1›(int n);
}
`,
  T1: `public class ‹+x.T1› {
    public static final int ‹+x.T1.c1› = 3;
    public int ‹+x.T1.p1› = 1;

    public ‹?x.T1›() {}

    public ‹?x.T1›(int n) {
        this.‹x.T1.p1› = n;
    }

    public int ‹+x.T1.m1›(int n) {
        return ‹x.T1.p1› + n;
    }

    public ‹x.T1› ‹+x.T1.m2›() {
        return this;
    }

    public int ‹+x.T1.m3/1›(int n) {
        return ‹x.T1.m3/2›(n, 2);
    }

    public int ‹+x.T1.m3/2›(int n, int k) {
        return n + k + ‹x.T1.c1›;
    }

    public static int ‹+x.T1.m4›(int n) {
        return n;
    }

    public static ‹x.T1› ‹+x.T1.m5›() {
        return new ‹x.T1›(1);
    }
}
`,
  T2: `public class ‹+x.T2› extends ‹x.T1› {
    @Override
    public int ‹+x.T2.m1›(int n) {
        return super.‹x.T1.m1›(n);
    }
}
`,
  T3: `public class ‹+x.T3› {
    public int ‹+x.T3.p1› = 1;

    public int ‹+x.T3.m1›(int n) {
        return this.‹x.T3.p1› * n;
    }
}
`,
}

export const java: Language = {
  name: "java",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}.${name}`),
  package: ({ package: name }) =>
    Object.fromEntries(
      Object.entries(PACKAGE).map(([slot, text]) => [`${name}/‹-${slot}›.java`, `package §x;\n\n${text}`]),
    ),
  forms: [
    {
      name: "import",
      head: (tops, { as }) => tops.map((slot) => `import §${as}.‹${as}.${slot}›;\n`).join(""),
      isBare: true,
    },
    { name: "wildcard", head: (_, { as }) => `import §${as}.*;\n`, isBare: true },
    { name: "qualified", head: () => "", prefix: ({ as }) => `§${as}.` },
    { name: "same package", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) => {
    const [folder, name] = form.isInside ? [place.package, `§${place.as}`] : ["u", "§root.u"]
    return [
      `${folder}/User${number}.java`,
      `package ${name};\n\n${head}\nclass User${number} {\n${body}\n}\n`,
    ]
  },
  pieces: [
    { name: "static call", code: `    int g§n() {\n        return ‹x.T1›.‹x.T1.m4›(1);\n    }` },
    {
      name: "both packages",
      code: `    int g§n() {\n        int n = ‹x.T1›.‹x.T1.m4›(1);\n        return n + ‹y.T1›.‹y.T1.m4›(2);\n    }`,
    },
    { name: "constant", code: `    int k§n = ‹x.T1›.‹x.T1.c1›;` },
    {
      name: "parameter",
      code: `    int g§n(‹x.T1› ‹-v2›⟦, int n¦⟧) {\n        int k = ‹-v2›.‹x.T1.m1›(1);\n        return k + ‹-v2›.‹x.T1.p1›;\n    }`,
    },
    {
      name: "both types",
      code: `    int g§n(‹x.T1› ‹-v2›,\n            ‹y.T1› ‹-v3›) {\n        int n = ‹-v2›.‹x.T1.m1›(1);\n        return n + ‹-v3›.‹y.T1.m1›(1);\n    }`,
    },
    {
      name: "construction",
      code: `    int g§n() {\n        ⟦‹x.T1›¦var⟧ ‹-v2› = new ‹x.T1›(1);\n        return ‹-v2›.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "result",
      code: `    int g§n() {\n        var ‹-v2› = ‹x.T1›.‹x.T1.m5›();\n        return ‹-v2›.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "chain",
      code: `    int g§n(‹x.T1› ‹-v2›) {\n        return ‹-v2›.‹x.T1.m2›().‹x.T1.m1›(1);\n    }`,
    },
    { name: "interface", code: `    int g§n(‹x.I1› ‹-v2›) {\n        return ‹-v2›.‹x.I1.m1›(1);\n    }` },
    {
      name: "override",
      code: `    int g§n(‹x.T2› ‹-v2›) {\n        ‹-v2›.‹x.T1.m2›();\n        return ‹-v2›.‹x.T2.m1›(1);\n    }`,
    },
    {
      name: "overloads",
      code: `    int g§n(‹x.T1› ‹-v2›) {\n        int n = ‹-v2›.‹x.T1.m3/1›(1);\n        return n + ‹-v2›.‹x.T1.m3/2›(1, 2);\n    }`,
    },
    {
      name: "subclass here",
      code: `    static class S§n extends ‹x.T1› {\n        int over() {\n            return ⟦this.¦⟧‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "override here",
      code: `    static class S§n extends ‹x.T1› {\n        public int ‹-m1›(int n) {\n            return super.‹x.T1.m1›(n);\n        }\n\n        int over() {\n            return ⟦this.¦⟧‹-m1›(1);\n        }\n    }`,
    },
    {
      name: "implements here",
      code: `    static class S§n implements ‹x.I1› {\n        public int ‹-m1›(int n) {\n            return n;\n        }\n\n        int over() {\n            return ‹-m1›(1);\n        }\n    }`,
    },
    {
      name: "field",
      code: `    private ‹x.T1› inner§n;\n\n    int g§n() {\n        return ⟦this.¦⟧inner§n.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "constructor field",
      code: `    static class H§n {\n        private final ‹x.T1› inner;\n\n        H§n(‹x.T1› inner) {\n            this.inner = inner;\n        }\n\n        int over() {\n            return inner.‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "record",
      code: `    record R§n(‹x.T1› inner) {\n        int over() {\n            return inner.‹x.T1.m1›(1) +\n                inner().‹x.T1.m1›(2);\n        }\n    }`,
    },
    {
      name: "field and method of one name",
      code: `    private ‹x.T1› ‹-v2›§n;\n\n    int ‹-v2›§n() {\n        return ‹-v2›§n.‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "local shadows field",
      code: `    static class L§n {\n        ‹y.T1› ‹-v2›;\n\n        int over(‹x.T1› ‹-v2›) {\n            return ‹-v2›.‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "local named like a member",
      code: `    static class S§n extends ‹x.T1› {\n        int over(int ‹-p1›) {\n            return ‹-p1› + 1;\n        }\n    }`,
    },
    {
      name: "lambda parameter",
      code: `    java.util.function.Function<‹x.T1›, Integer> k§n =\n        ‹-v2› -> ‹-v2›.‹x.T1.m1›(1);`,
    },
    {
      name: "method reference",
      code: `    java.util.function.Function<Integer, Integer> k§n =\n        ‹x.T1›::‹x.T1.m4›;`,
    },
    {
      name: "loop",
      code: `    void g§n(java.util.List<‹x.T1›> all) {\n        for (⟦‹x.T1›¦var⟧ ‹-v2› : all) {\n            ‹-v2›.‹x.T1.m1›(1);\n        }\n    }`,
    },
    {
      name: "instanceof pattern",
      code: `    int g§n(Object given) {\n        if (given instanceof ‹x.T1› ‹-v2›) {\n            return ‹-v2›.‹x.T1.m1›(1);\n        }\n        return 0;\n    }`,
    },
    {
      name: "cast",
      code: `    int g§n(Object given) {\n        return ((‹x.T1›) given).‹x.T1.m1›(1);\n    }`,
    },
    {
      name: "caller of the same name",
      code: `    static class C§n {\n        int ‹-m4›(int n) {\n            return ‹x.T1›.‹x.T1.m4›(n);\n        }\n    }`,
    },
    {
      name: "equal member of an own type",
      code: `    static class E§n {\n        int ‹-m1›(int n) {\n            return n;\n        }\n    }\n\n    int g§n(E§n e) {\n        return e.‹-m1›(1);\n    }`,
    },
    {
      name: "nested type of the same name",
      code: `    static class N§n {\n        static class ‹-T1› {\n            int ‹-m1›(int n) {\n                return n;\n            }\n        }\n\n        int over(‹-T1› ‹-v2›) {\n            return ‹-v2›.‹-m1›(1);\n        }\n    }`,
    },
    {
      name: "type parameter",
      code: `    <T extends ‹x.I1›> int g§n(T ‹-v2›) {\n        return ‹-v2›.‹x.I1.m1›(1);\n    }`,
    },
    {
      name: "type parameter of the same name",
      code: `    <‹-T1›> ‹-T1› g§n(‹-T1› given) {\n        return given;\n    }`,
    },
    {
      name: "anonymous class",
      code: `    ‹x.I1› k§n = new ‹x.I1›() {\n        public int ‹-m1›(int n) {\n            return n;\n        }\n    };`,
    },
    {
      name: "optional value",
      code: `    int g§n(java.util.Optional<‹x.T1›> given) {\n        return given.get().‹x.T1.m1›(1);\n    }`,
    },
  ],
}
