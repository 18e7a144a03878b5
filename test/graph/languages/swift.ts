import { type Language, spelling } from "../programs.ts"

const PACKAGE = `public let ‹+x.c1› = 3

public protocol ‹+x.I1› {
    func ‹+x.I1.m1›(_ n: Int) -> Int
}

open class ‹+x.T1› {
    public var ‹+x.T1.p1›: Int = 1

    public init(n: Int = 0) {
        self.‹x.T1.p1› = n
    }

    open func ‹+x.T1.m1›(_ n: Int) -> Int {
        return ‹x.T1.p1› + n
    }

    public func ‹+x.T1.m2›() -> ‹x.T1› {
        return self
    }

    public static func ‹+x.T1.m4›(_ n: Int) -> Int {
        return n
    }
}

public class ‹+x.T2›: ‹x.T1› {
    override public func ‹+x.T2.m1›(_ n: Int) -> Int {
        return super.‹x.T1.m1›(n)
    }
}

public struct ‹+x.T3›: ‹x.I1› {
    public var ‹+x.T3.p1› = 1

    public func ‹+x.T3.m1›(_ n: Int) -> Int {
        return self.‹x.T3.p1› * n
    }
}

public func ‹+x.f1›(_ n: Int) -> Int {
    return n + ‹x.c1›
}

public func ‹+x.f2›() -> ‹x.T1› {
    return ‹x.T1›(n: 1)
}
`

export const swift: Language = {
  name: "swift",
  spell: spelling({ T: "pascal", I: "pascal" }),
  program: (root) => ({
    "Package.swift": `// swift-tools-version:5.9\nimport PackageDescription\n\nlet package = Package(\n    name: "${root}",\n    targets: [\n        .target(name: "${root}A"),\n        .target(name: "${root}B"),\n        .target(name: "${root}U1", dependencies: ["${root}A", "${root}B"]),\n        .target(name: "${root}U2", dependencies: ["${root}A", "${root}B"]),\n        .target(name: "${root}U3", dependencies: ["${root}A", "${root}B"]),\n    ]\n)\n`,
  }),
  module: ({ package: name, root }) => (name === "lib" ? "Lib" : `${root}${name.toUpperCase()}`),
  package: ({ package: name, root }) => ({
    [name === "lib" ? "lib/Core.swift" : `Sources/${root}${name.toUpperCase()}/Core.swift`]: PACKAGE,
  }),
  forms: [
    { name: "import", head: (_, { as }) => `import §${as}\n`, isBare: true },
    { name: "qualified", head: (_, { as }) => `import §${as}\n`, prefix: ({ as }) => `§${as}.` },
    { name: "same module", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [`Sources/${place.root}${place.package.toUpperCase()}/User${number}.swift`, `${head}\n${body}`]
      : [`Sources/${place.root}U${number}/User.swift`, `${head}\n${body}`],
  pieces: [
    { name: "call", code: `func g§n() -> Int {\n    return ‹x.f1›(1)\n}` },
    {
      name: "parameter",
      code: `func g§n(_ ‹-v2›: ‹x.T1›⟦, n: Int¦⟧) -> Int {\n    let k = ‹-v2›.‹x.T1.m1›(1)\n    return k + ‹-v2›.‹x.T1.p1›\n}`,
    },
    {
      name: "optional parameter",
      code: `func g§n(‹-v2›: ‹x.T1›?) -> Int? {\n    return ‹-v2›?.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "construction",
      code: `func g§n() -> Int {\n    let ‹-v2› = ‹x.T1›(n: 1)\n    return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    {
      name: "result",
      code: `func g§n() -> Int {\n    let ‹-v2› = ‹x.f2›()\n    return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    { name: "chain", code: `func g§n() -> Int {\n    return ‹x.f2›().‹x.T1.m2›().‹x.T1.m1›(1)\n}` },
    { name: "protocol", code: `func g§n(‹-v2›: any ‹x.I1›) -> Int {\n    return ‹-v2›.‹x.I1.m1›(1)\n}` },
    {
      name: "override",
      code: `func g§n(‹-v2›: ‹x.T2›) -> Int {\n    _ = ‹-v2›.‹x.T1.m2›()\n    return ‹-v2›.‹x.T2.m1›(1)\n}`,
    },
    { name: "static method", code: `func g§n() -> Int {\n    return ‹x.T1›.‹x.T1.m4›(1)\n}` },
    {
      name: "subclass here",
      code: `class S§n: ‹x.T1› {\n    func over() -> Int {\n        return ⟦self.¦⟧‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "override here",
      code: `class S§n: ‹x.T1› {\n    override func ‹-m1›(_ n: Int) -> Int {\n        return super.‹x.T1.m1›(n)\n    }\n\n    func over() -> Int {\n        return ⟦self.¦⟧‹-m1›(1)\n    }\n}`,
    },
    {
      name: "property",
      code: `class H§n {\n    private let inner: ‹x.T1›\n\n    init(inner: ‹x.T1›) {\n        self.inner = inner\n    }\n\n    func over() -> Int {\n        return inner.‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "extension",
      code: `extension ‹x.T1› {\n    func ext§n() -> Int {\n        return ⟦self.¦⟧‹x.T1.m1›(1)\n    }\n}`,
    },
    {
      name: "parameter shadows function",
      code: `func g§n(‹-f1›: (Int) -> Int) -> Int {\n    return ‹-f1›(1)\n}`,
    },
    {
      name: "local shadows function",
      code: `func g§n() -> Int {\n    let ‹-f1› = { (n: Int) in n }\n    return ‹-f1›(1)\n}`,
    },
    {
      name: "loop variable shadows function",
      code: `func g§n(all: [(Int) -> Int]) {\n    for ‹-f1› in all {\n        _ = ‹-f1›(1)\n    }\n}`,
    },
    {
      name: "guard let",
      code: `func g§n(given: ‹x.T1›?) -> Int {\n    guard let ‹-v2› = given else { return 0 }\n    return ‹-v2›.‹x.T1.m1›(1)\n}`,
    },
    { name: "cast", code: `func g§n(given: Any) -> Int {\n    return (given as! ‹x.T1›).‹x.T1.m1›(1)\n}` },
    {
      name: "equal member of an own type",
      code: `class E§n {\n    func ‹-m1›(_ n: Int) -> Int {\n        return n\n    }\n}\n\nfunc g§n(e: E§n) -> Int {\n    return e.‹-m1›(1)\n}`,
    },
    {
      name: "argument label",
      code: `func h§n(‹-f1›: Int) -> Int {\n    return 0\n}\n\nfunc g§n() -> Int {\n    return h§n(‹-f1›: 1)\n}`,
    },
    {
      name: "type parameter",
      code: `func g§n<V: ‹x.I1›>(‹-v2›: V) -> Int {\n    return ‹-v2›.‹x.I1.m1›(1)\n}`,
    },
    {
      name: "loop",
      code: `func g§n(all: [‹x.T1›]) {\n    for ‹-v2› in all {\n        _ = ‹-v2›.‹x.T1.m1›(1)\n    }\n}`,
    },
  ],
}
