const FAMILIES: Readonly<Record<string, string>> = {
  javascript: "js",
  typescript: "js",
  tsx: "js",
  vue: "js",
  svelte: "js",
  html: "js",
  c: "c",
  cpp: "c",
  "objective-c": "c",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
  groovy: "jvm",
  clojure: "jvm",
  "fsharp-signature": "fsharp",
}

/**
 * The family that a language belongs to. The code of all languages in one family can refer to each other's definitions.
 */
export function familyOf(language: string): string {
  return FAMILIES[language] ?? language
}

/** How the languages of a family find the definition of a name; families without a row have no rules. */
export type NameRules = {
  /**
   * A name is unique in its file, in its folder, in its declared package or namespace, or in the project. Null: no rule
   * of the family is known, so that names of other files are only compared.
   */
  readonly scope: "file" | "folder" | "package" | "project" | null
  /** Code must import a name of another file before it can use the name alone, without a module. */
  readonly importsNames?: true
  /** A name that is neither defined in its scope nor imported is not from the project. */
  readonly isStrict?: true
  /** A method can call another method of its object by the name alone, without `this`. */
  readonly implicitThis?: true
  /** A method is always called on its object or type, never by its name alone. */
  readonly namesOwners?: true
  /** Files of one folder see each other's names. */
  readonly sharesFolder?: true
  /** An import makes all names of a file known. */
  readonly importsFiles?: true
  /** Another file than that of a type can add bases to it: `impl Trait for Type`, `extension Type: Protocol`. */
  readonly extendsElsewhere?: true
}

const NO_RULES: NameRules = { scope: null }

const RULES: Readonly<Record<string, NameRules>> = {
  js: { scope: "file", importsNames: true, namesOwners: true },
  python: { scope: "file", importsNames: true, namesOwners: true },
  rust: { scope: "file", importsNames: true, namesOwners: true, extendsElsewhere: true },
  go: { scope: "folder", isStrict: true, namesOwners: true, sharesFolder: true },
  jvm: { scope: "package", isStrict: true, implicitThis: true, sharesFolder: true },
  csharp: { scope: "package", implicitThis: true, sharesFolder: true },
  php: { scope: "package", isStrict: true, namesOwners: true, sharesFolder: true },
  c: { scope: "file", implicitThis: true, importsFiles: true },
  ruby: { scope: "project", implicitThis: true, importsFiles: true },
  swift: { scope: "package", isStrict: true, implicitThis: true, sharesFolder: true, extendsElsewhere: true },
  dart: { scope: "file", implicitThis: true },
  elixir: { scope: "file", implicitThis: true },
  julia: { scope: null, implicitThis: true },
  solidity: { scope: "file", implicitThis: true, importsFiles: true },
  fsharp: { scope: null, implicitThis: true },
  verilog: { scope: null, implicitThis: true },
  lua: { scope: "file", namesOwners: true },
  zig: { scope: "file", namesOwners: true },
  terraform: { scope: "folder", sharesFolder: true },
}

export function nameRules(family: string): NameRules {
  return RULES[family] ?? NO_RULES
}

/** True if code must import a name of another file before it can use the name alone, without a module. */
export function importsNames(family: string): boolean {
  return nameRules(family).importsNames === true
}

/** True if a method can call another method of its object by the name alone, without `this`. */
export function hasImplicitThis(family: string): boolean {
  return nameRules(family).implicitThis === true
}
