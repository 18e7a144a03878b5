"""Prints the definitions and the names of the Python files below a folder, one JSON object a line."""

import ast
import json
import os
import sys

root = sys.argv[1]


def column(text, offset):
    """Columns of ast are bytes; those of a language server are units of UTF-16."""
    return len(text.encode()[:offset].decode(errors="replace").encode("utf-16-le")) // 2


class Reader(ast.NodeVisitor):
    def __init__(self, path, source):
        self.path, self.lines = path, source.split("\n")
        self.owners, self.depth, self.called = [], 0, set()

    def out(self, **fields):
        print(json.dumps({"path": self.path, **fields}, ensure_ascii=False))

    def at(self, line, offset):
        return {"line": line, "col": column(self.lines[line - 1], offset)}

    def word(self, node, name, line=None):
        """The place of a name that the tree has without a position, at or after the start of its node."""
        line, offset = (line or node.lineno), node.col_offset
        for number in range(line, min(line + 40, node.end_lineno + 1)):
            text = self.lines[number - 1].encode()
            start = offset if number == node.lineno else 0
            while (found := text.find(name.encode(), start)) >= 0:
                before, after = text[:found].decode()[-1:], text[found + len(name.encode()) :].decode()[:1]
                if not (before.isidentifier() or before.isdigit()) and not (after.isidentifier() or after.isdigit()):
                    return self.at(number, found)
                start = found + 1
        return None

    def define(self, node, name, kind, place, owner=None):
        if place is None:
            return
        owner = self.owners[-1] if owner is None and self.owners else owner or ""
        start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        kind = "local" if self.depth > 0 and kind != "attribute" else kind
        self.out(kind=kind, name=name, owner=owner, to=node.end_lineno, **{"from": start}, **place)

    def use(self, name, place, **more):
        if place is not None:
            self.out(use=name, **place, **more)

    def visit_ClassDef(self, node):
        name = self.word(node, node.name)
        self.define(node, node.name, "class", name, owner="" if not self.owners else None)
        for base in node.bases:
            last = base.value if isinstance(base, ast.Subscript) else base
            if isinstance(last, (ast.Name, ast.Attribute)) and name:
                self.out(base=self.place_of(last), sub=name)
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(each)
        depth, self.depth = self.depth, self.depth
        self.owners.append(node.name)
        for each in node.body:
            self.visit(each)
        self.owners.pop()
        self.depth = depth

    def visit_FunctionDef(self, node):
        kind = "method" if self.owners and self.depth == 0 else "function"
        self.define(node, node.name, kind, self.word(node, node.name))
        for each in [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]:
            self.visit(each)
        self.depth += 1
        for each in node.body:
            self.visit(each)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def place_of(self, node):
        if isinstance(node, ast.Name):
            return self.at(node.lineno, node.col_offset)
        text = self.lines[node.end_lineno - 1].encode()[: node.end_col_offset]
        return self.at(node.end_lineno, len(text) - len(node.attr.encode()))

    def visit_Call(self, node):
        self.called.add(node.func)
        self.generic_visit(node)

    def visit_Name(self, node):
        place = self.at(node.lineno, node.col_offset)
        if isinstance(node.ctx, ast.Store) and self.depth == 0:
            self.define(node, node.id, "field" if self.owners else "value", place)
        else:
            self.use(node.id, place, **({"call": True} if node in self.called else {}))

    def visit_Attribute(self, node):
        place = self.place_of(node)
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self" and self.owners
        if isinstance(node.ctx, ast.Store) and is_own:
            self.define(node, node.attr, "attribute", place, owner=self.owners[-1])
        # A further assignment is a use; the first one is left out by its place.
        self.use(node.attr, place, **({"call": True} if node in self.called else {}))
        self.visit(node.value)

    def visit_keyword(self, node):
        if node.arg is not None:
            self.use(node.arg, self.at(node.lineno, node.col_offset))
        self.visit(node.value)

    def visit_Import(self, node):
        for each in node.names:
            last = each.name.split(".")[-1]
            self.use(last, self.word(each, last))

    def visit_ImportFrom(self, node):
        for each in node.names:
            self.use(each.name, self.at(each.lineno, each.col_offset))


for folder, folders, files in os.walk(root):
    folders[:] = sorted(each for each in folders if each not in ("node_modules", ".git", ".venv"))
    for file in sorted(files):
        if not file.endswith(".py"):
            continue
        path = os.path.relpath(os.path.join(folder, file), root)
        try:
            with open(os.path.join(root, path), encoding="utf-8", newline="") as opened:
                source = opened.read().replace("\r\n", "\n")
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        print(json.dumps({"file": path}))
        Reader(path, source).visit(tree)
