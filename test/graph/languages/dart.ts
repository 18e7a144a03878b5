import { type Language, spelling } from "../programs.ts"

const PACKAGE = `const ‹+x.c1› = 3;

abstract class ‹+x.I1› {
  int ‹+x.I1.m1›(int n);
}

class ‹+x.T1› {
  int ‹+x.T1.p1› = 1;

  int ‹+x.T1.m1›(int n) {
    return ‹x.T1.p1› + n;
  }

  ‹x.T1› ‹+x.T1.m2›() {
    return this;
  }

  static int ‹+x.T1.m4›(int n) {
    return n;
  }
}

class ‹+x.T2› extends ‹x.T1› {
  @override
  int ‹+x.T2.m1›(int n) {
    return super.‹x.T1.m1›(n);
  }
}

int ‹+x.f1›(int n) {
  return n + ‹x.c1›;
}

‹x.T1› ‹+x.f2›() {
  return ‹x.T1›();
}
`

export const dart: Language = {
  name: "dart",
  spell: spelling({ T: "pascal", I: "pascal" }),
  program: (root) => ({ "pubspec.yaml": `name: ${root}\ndependencies:\n  outer: ^1.0.0\n` }),
  module: ({ package: name, root }) =>
    name === "lib" ? "package:outer/core.dart" : `package:${root}/${name}/core.dart`,
  package: ({ package: name }) =>
    name === "lib" ? { "lib/core.dart": PACKAGE } : { [`lib/${name}/core.dart`]: PACKAGE },
  forms: [
    { name: "import", head: (_, { as }) => `import '§${as}';\n`, isBare: true },
    {
      name: "show",
      head: (tops, { as }) => `import '§${as}' show ${tops.map((slot) => `‹${as}.${slot}›`).join(", ")};\n`,
      isBare: true,
    },
    { name: "prefix", head: (_, { as }) => `import '§${as}' as q${as};\n`, prefix: ({ as }) => `q${as}.` },
    {
      name: "relative",
      head: (_, { package: p }) => `import '../${p}/core.dart';\n`,
      isBare: true,
      isOwn: true,
    },
    {
      name: "export",
      head: (_, { package: p }) => `import '../pub_${p}.dart';\n`,
      isBare: true,
      isOwn: true,
      files: ({ package: p }) => ({ [`lib/pub_${p}.dart`]: `export '${p}/core.dart';\n` }),
    },
  ],
  user: ({ number, head, body }) => [
    `lib/${["u", "a", "b"][(number + body.length) % 3]}/user${number}.dart`,
    `${head}\n${body}`,
  ],
  pieces: [
    { name: "call", code: `int g§n() {\n  return ‹x.f1›(1);\n}` },
    { name: "both packages", code: `int g§n() {\n  final n = ‹x.f1›(1);\n  return n + ‹y.f1›(2);\n}` },
    {
      name: "parameter",
      code: `int g§n(⟦int n, ¦⟧‹x.T1› ‹-v2›) {\n  final k = ‹-v2›.‹x.T1.m1›(1);\n  return k + ‹-v2›.‹x.T1.p1›;\n}`,
    },
    {
      name: "both types",
      code: `int g§n(‹x.T1› ‹-v2›,\n    ‹y.T1› ‹-v3›) {\n  final n = ‹-v2›.‹x.T1.m1›(1);\n  return n + ‹-v3›.‹y.T1.m1›(1);\n}`,
    },
    { name: "construction", code: `int g§n() {\n  final ‹-v2› = ‹x.T1›();\n  return ‹-v2›.‹x.T1.m1›(1);\n}` },
    { name: "result", code: `int g§n() {\n  final ‹-v2› = ‹x.f2›();\n  return ‹-v2›.‹x.T1.m1›(1);\n}` },
    { name: "interface", code: `int g§n(‹x.I1› ‹-v2›) {\n  return ‹-v2›.‹x.I1.m1›(1);\n}` },
    {
      name: "override",
      code: `int g§n(‹x.T2› ‹-v2›) {\n  ‹-v2›.‹x.T1.m2›();\n  return ‹-v2›.‹x.T2.m1›(1);\n}`,
    },
    { name: "static method", code: `int g§n() {\n  return ‹x.T1›.‹x.T1.m4›(1);\n}` },
    {
      name: "subclass here",
      code: `class S§n extends ‹x.T1› {\n  int over() {\n    return ⟦this.¦⟧‹x.T1.m1›(1);\n  }\n}`,
    },
    {
      name: "field",
      code: `class H§n {\n  final ‹x.T1› inner;\n  H§n(this.inner);\n  int over() {\n    return inner.‹x.T1.m1›(1);\n  }\n}`,
    },
    { name: "parameter shadows function", code: `int g§n(int Function(int) ‹-f1›) {\n  return ‹-f1›(1);\n}` },
    {
      name: "local shadows function",
      code: `int g§n() {\n  final ‹-f1› = (int n) => n;\n  return ‹-f1›(1);\n}`,
    },
    {
      name: "named argument",
      code: `int h§n({int ‹-f1› = 0}) {\n  return 0;\n}\n\nint g§n() {\n  return h§n(‹-f1›: 1);\n}`,
    },
    { name: "dynamic value", code: `int g§n(dynamic given) {\n  return given.‹-m1›(1);\n}` },
    {
      name: "equal member of an own type",
      code: `class E§n {\n  int ‹-m1›(int n) {\n    return n;\n  }\n}\n\nint g§n(E§n e) {\n  return e.‹-m1›(1);\n}`,
    },
  ],
}
