// Prints what the TypeScript compiler knows about the names of a project, as the lines that facts.ts describes.
// Usage: node typescript.cjs MODULE ROOT, where MODULE is a TypeScript package that has the compiler's API (version 5).
const ts = require(process.argv[2])
const { join, relative, resolve } = require("node:path")
const { readFileSync, readdirSync } = require("node:fs")

const root = resolve(process.argv[3])
const SKIPPED = /(?:^|\/)(?:node_modules|\.git|dist|build|\.aman|\.next|coverage)(?:\/|$)/
const paths = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter(
    (each) => each.isFile() && /\.(?:[cm]?[jt]s|[jt]sx)$/.test(each.name) && !/\.min\.js$/.test(each.name),
  )
  .map((each) => relative(root, join(each.parentPath, each.name)))
  .filter((path) => !SKIPPED.test(path))
  .sort()
const aliases = ownPackages()
const program = ts.createProgram(
  paths.map((path) => join(root, path)),
  {
    ...{
      allowJs: true,
      checkJs: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    },
    ...{
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      jsx: ts.JsxEmit.Preserve,
      baseUrl: root,
    },
    ...{
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      customConditions: [],
      resolveJsonModule: true,
      paths: aliases,
    },
    ...{
      noImplicitAny: false,
      esModuleInterop: true,
      experimentalDecorators: true,
      maxNodeModuleJsDepth: 0,
      typeRoots: [join(root, "node_modules/@types")],
    },
  },
)
const checker = program.getTypeChecker()
const asked = new Set(paths)
const own = program.getSourceFiles().filter(({ fileName }) => asked.has(relative(root, fileName)))
const ids = new Map()
const supers = []
const printed = new Set()
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

for (const file of own) print({ file: relative(root, file.fileName) })
for (const file of own) define(file, file)
for (const file of own) use(file, file, false)
for (const [sub, base] of supers) inherit(sub, base)

/** The project's own packages and the aliases of its tsconfig files: folders by the name that imports give. */
function ownPackages() {
  const found = {}
  const add = (name, ...folders) => {
    found[name] = [...(found[name] ?? []), ...folders]
  }
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath
    if (SKIPPED.test(relative(root, folder))) continue
    if (/^tsconfig.*\.json$/.test(entry.name)) {
      const { config } = ts.readConfigFile(join(folder, entry.name), ts.sys.readFile)
      const base = join(folder, config?.compilerOptions?.baseUrl ?? ".")
      for (const [alias, targets] of Object.entries(config?.compilerOptions?.paths ?? {}))
        add(alias, ...targets.map((target) => resolve(base, target)))
    }
    if (entry.name !== "package.json") continue
    let name
    try {
      name = JSON.parse(readFileSync(join(folder, entry.name), "utf8")).name
    } catch {}
    if (!name) continue
    add(name, join(folder, "src/index"), join(folder, "src/js/index"), join(folder, "index"))
    add(
      `${name}/*`,
      join(folder, "src/*"),
      join(folder, "*/src/index"),
      join(folder, "src/*/index"),
      join(folder, "*"),
    )
  }
  return found
}

function lineOf(file, at) {
  return file.getLineAndCharacterOfPosition(at)
}

function define(node, file) {
  const symbol = node.symbol
  const name = symbol && nameOf(node)
  if (name && !ids.has(node)) {
    // Declarations that the compiler merges are one definition: overloads, an interface in parts.
    const first = symbol.declarations?.find((each) => ids.has(each))
    const id = first ? ids.get(first) : ids.size
    ids.set(node, id)
    const start = lineOf(file, name.getStart(file))
    print({
      ...{ def: id, path: relative(root, file.fileName), line: start.line + 1 },
      ...{ from: lineOf(file, node.getStart(file)).line + 1, to: lineOf(file, node.end).line + 1 },
      ...{ kind: kindOf(node), name: name.text, owner: ownerOf(node) },
    })
  }
  ts.forEachChild(node, (child) => define(child, file))
}

function nameOf(node) {
  const name = ts.getNameOfDeclaration(node)
  if (!name || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name)))
    return null
  if (ts.isImportClause(node) || ts.isImportSpecifier(node) || ts.isNamespaceImport(node)) return null
  if (ts.isJsxAttribute(node) || ts.isJsxAttributes(node)) return null
  if (
    ts.isExportSpecifier(node) ||
    (ts.isParameter(node) && !ts.isParameterPropertyDeclaration(node, node.parent))
  )
    return null
  if (
    ts.isTypeParameterDeclaration(node) ||
    ts.isSourceFile(node) ||
    (ts.isBinaryExpression(node) && !isExpando(node))
  )
    return null
  if (
    ts.isCallExpression(node) ||
    ts.isExportAssignment(node) ||
    (ts.isPropertyAccessExpression(node) && !node.symbol)
  )
    return null
  if (name.getSourceFile() === undefined || node.flags & ts.NodeFlags.JSDoc) return null
  return name
}

function isExpando(node) {
  return ts.isPropertyAccessExpression(node.left)
}

/** "local" for what a function declares inside and for members of object literals: no questions are asked about it. */
function kindOf(node) {
  for (let each = node.parent; each; each = each.parent) {
    if (
      ts.isFunctionLike(each) &&
      !(ts.isConstructorDeclaration(each) && ts.isParameter(node)) &&
      !ts.isMethodSignature(each)
    )
      return "local"
    if (ts.isObjectLiteralExpression(each) || ts.isBindingPattern?.(each)) return "local"
    if (ts.isBlock(each) && !ts.isModuleBlock(each)) return "local"
  }
  if (ts.isFunctionDeclaration(node)) return "function"
  if (ts.isClassLike(node)) return "class"
  if (ts.isInterfaceDeclaration(node)) return "interface"
  if (ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) return "type"
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return "method"
  if (
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isAccessor(node) ||
    ts.isParameter(node)
  )
    return isOfNamed(node) ? "field" : "local"
  if (ts.isVariableDeclaration(node))
    return node.initializer &&
      (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))
      ? "function"
      : "value"
  return "local"
}

function isOfNamed(node) {
  return (
    ownerOf(node) !== "" &&
    (ts.isClassLike(node.parent) ||
      ts.isInterfaceDeclaration(node.parent) ||
      (ts.isTypeLiteralNode(node.parent) && ts.isTypeAliasDeclaration(node.parent.parent)) ||
      ts.isParameter(node))
  )
}

function ownerOf(node) {
  for (let each = node.parent; each; each = each.parent)
    if (
      ts.isClassLike(each) ||
      ts.isInterfaceDeclaration(each) ||
      ts.isTypeAliasDeclaration(each) ||
      ts.isEnumDeclaration(each)
    )
      return each.name?.text ?? ""
  return ""
}

function use(node, file, isDoc) {
  if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || isKey(node)) && node.text) {
    const { line, character } = lineOf(file, node.getStart(file))
    const place = { use: node.text, path: relative(root, file.fileName), line: line + 1, col: character + 1 }
    const isDefinition = ids.has(node.parent) && nameOf(node.parent) === node
    const defs = isDoc && !/\.[cm]?jsx?$/.test(file.fileName) ? null : targetsOf(node)
    if (!isDefinition || isPattern(node))
      print({ ...place, ...(defs && { defs }), ...(isCalled(node) && { call: true }) })
    else if (defs?.length && isLiteralKey(node)) print({ ...place, defs })
  }
  if (ts.isHeritageClause(node)) for (const type of node.types) supers.push([node.parent, type])
  for (const doc of node.jsDoc ?? []) use(doc, file, true)
  ts.forEachChild(node, (child) => use(child, file, isDoc))
}

function isKey(node) {
  return (
    ts.isStringLiteral(node) &&
    ((ts.isElementAccessExpression(node.parent) && node.parent.argumentExpression === node) ||
      (ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
      (ts.isLiteralTypeNode(node.parent) && ts.isIndexedAccessTypeNode(node.parent.parent)))
  )
}

function isPattern(node) {
  return (
    ts.isBindingElement(node.parent) &&
    !node.parent.propertyName &&
    ts.isObjectBindingPattern(node.parent.parent)
  )
}

function isLiteralKey(node) {
  return ts.isObjectLiteralExpression(node.parent.parent)
}

function isCalled(node) {
  let at = node
  if (ts.isPropertyAccessExpression(at.parent) && at.parent.name === at) at = at.parent
  while (ts.isParenthesizedExpression(at.parent) || ts.isNonNullExpression(at.parent)) at = at.parent
  const { parent } = at
  if (ts.isCallOrNewExpression(parent)) return parent.expression === at
  return (
    (ts.isTaggedTemplateExpression(parent) && parent.tag === at) ||
    ts.isDecorator(parent) ||
    (ts.isJsxOpeningLikeElement(parent) && parent.tagName === at)
  )
}

/** Ids of the definitions that a name means; empty: a local or a name of another project; null: not known. */
function targetsOf(node) {
  const symbols = symbolsOf(node)
  if (symbols === null || (symbols.length === 0 && !isPropertyName(node))) return null
  const found = new Set()
  for (const each of symbols) {
    const symbol = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each
    if (checker.isUnknownSymbol?.(symbol) || (symbol.escapedName === "unknown" && !symbol.declarations)) {
      if (isFromPackage(each)) continue
      return null
    }
    for (const declaration of symbol.declarations ?? [])
      if (ids.has(declaration)) found.add(ids.get(declaration))
  }
  return [...found]
}

function isPropertyName({ parent }) {
  return (
    (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) &&
    ts.isObjectLiteralExpression(parent.parent)
  )
}

function isFromPackage(alias) {
  for (let each = alias.declarations?.[0]; each; each = each.parent)
    if (ts.isImportDeclaration(each)) {
      const { text } = each.moduleSpecifier
      return (
        !/^[.#~@/]/.test(text) ||
        (/^@[\w-]+\//.test(text) &&
          !text.startsWith("@/") &&
          !(text.split("/").slice(0, 2).join("/") in aliases))
      )
    }
  return false
}

function symbolsOf(node) {
  const { parent } = node
  if (ts.isExportSpecifier(parent)) {
    const target = parent.parent.parent.moduleSpecifier
      ? checker.getSymbolAtLocation(node)
      : checker.getExportSpecifierLocalTargetSymbol(parent)
    return target ? [target] : []
  }
  if (ts.isShorthandPropertyAssignment(parent)) {
    const value = checker.getShorthandAssignmentValueSymbol(parent)
    const expected = contextual(parent)
    return expected === null ? null : [...(value ? [value] : []), ...expected]
  }
  if (isPattern(node) || (ts.isBindingElement(parent) && parent.propertyName === node)) {
    const of = checker.getTypeAtLocation(parent.parent)
    const property = checker.getPropertyOfType(of, node.text)
    return property
      ? [property]
      : of.flags & ts.TypeFlags.Any
        ? []
        : [checker.getSymbolAtLocation(node)].filter(Boolean)
  }
  if (
    (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node &&
    ts.isObjectLiteralExpression(parent.parent)
  )
    return contextual(parent)
  if (ts.isJsxAttribute(parent) && parent.name === node) {
    const type = checker.getContextualType(parent.parent)
    const property = type && checker.getPropertyOfType(type, node.text)
    return property ? [property] : []
  }
  const symbol = checker.getSymbolAtLocation(node)
  return symbol ? [symbol] : []
}

/** The properties of the expected type that a key of an object literal stands for; null: the type is not known. */
function contextual(property) {
  const type = checker.getContextualType(property.parent)
  if (!type) return []
  if (type.flags & ts.TypeFlags.Any) return null
  const types = type.isUnion() ? type.types : [type]
  return types.flatMap((each) => checker.getPropertyOfType(each, property.name.text) ?? [])
}

/** Pairs of a type and a type that it extends or implements, and of their members. */
function inherit(sub, base) {
  const from = ids.get(sub)
  const type = checker.getTypeAtLocation(base)
  const superDeclarations = type.symbol?.declarations ?? []
  for (const each of superDeclarations) if (from !== undefined && ids.has(each)) pair(from, ids.get(each))
  for (const member of sub.members ?? []) {
    const name = member.name && ts.isIdentifier(member.name) ? member.name.text : null
    const property = name && checker.getPropertyOfType(type, name)
    for (const each of property?.declarations ?? [])
      if (ids.has(each) && ids.has(member)) pair(ids.get(member), ids.get(each))
  }
}

function pair(sub, base) {
  const key = `${sub} ${base}`
  if (sub === base || printed.has(key)) return
  printed.add(key)
  print({ sub, super: base })
}
