// Prints what the Go compiler's type checker knows about the names of the modules below a folder, as the lines that
// facts.ts describes.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

type definition struct {
	Def   int    `json:"def"`
	Path  string `json:"path"`
	Line  int    `json:"line"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Owner string `json:"owner"`
}

type use struct {
	Use  string `json:"use"`
	Path string `json:"path"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
	// Absent: the compiler does not know. Empty: a local or a name of another project.
	Defs *[]int `json:"defs,omitempty"`
	Call bool   `json:"call,omitempty"`
}

type dumper struct {
	root    string
	fset    *token.FileSet
	ids     map[string]int
	defs    []*definition
	uses    map[string]*use
	covered map[string]bool
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	check(err)
	d := &dumper{root: root, ids: map[string]int{}, uses: map[string]*use{}, covered: map[string]bool{}}
	overrides := map[[2]int]bool{}
	for _, module := range modulesBelow(root) {
		d.fset = token.NewFileSet()
		mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedImports | packages.NeedDeps | packages.NeedCompiledGoFiles
		found, err := packages.Load(&packages.Config{Mode: mode, Dir: module, Fset: d.fset, Tests: true}, "./...")
		check(err)
		for _, each := range found {
			for _, file := range each.Syntax {
				d.defineIn(file, each.TypesInfo)
			}
		}
		for _, each := range found {
			for _, file := range each.Syntax {
				d.usesIn(file, each.TypesInfo)
			}
		}
		d.overridesIn(found, overrides)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for path := range d.covered {
		check(out.Encode(map[string]string{"file": path}))
	}
	for _, each := range d.defs {
		check(out.Encode(each))
	}
	for _, each := range d.uses {
		check(out.Encode(each))
	}
	for pair := range overrides {
		check(out.Encode(map[string]int{"sub": pair[0], "super": pair[1]}))
	}
}

func modulesBelow(root string) []string {
	var modules []string
	check(filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "vendor" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if err == nil && entry.Name() == "go.mod" {
			modules = append(modules, filepath.Dir(path))
		}
		return err
	}))
	return modules
}

// The path below the root; empty for files of other projects and generated test mains.
func (d *dumper) place(pos token.Pos) (path string, line, col int) {
	at := d.fset.PositionFor(pos, false)
	if !strings.HasPrefix(at.Filename, d.root+"/") || !strings.HasSuffix(at.Filename, ".go") {
		return "", 0, 0
	}
	return at.Filename[len(d.root)+1:], at.Line, at.Column
}

func (d *dumper) define(ident *ast.Ident, around ast.Node, kind, owner string) {
	path, line, col := d.place(ident.Pos())
	if path == "" || ident.Name == "_" {
		return
	}
	key := fmt.Sprintf("%s:%d:%d", path, line, col)
	if _, known := d.ids[key]; known {
		return
	}
	_, from, _ := d.place(around.Pos())
	_, to, _ := d.place(around.End())
	d.ids[key] = len(d.defs)
	d.defs = append(d.defs, &definition{len(d.defs), path, line, from, to, kind, ident.Name, owner})
}

// The id of an object's definition; -1 for locals and for names of other projects.
func (d *dumper) idOf(object types.Object) int {
	switch each := object.(type) {
	case *types.Func:
		object = each.Origin()
	case *types.Var:
		object = each.Origin()
	}
	path, line, col := d.place(object.Pos())
	if id, known := d.ids[fmt.Sprintf("%s:%d:%d", path, line, col)]; known && path != "" {
		return id
	}
	return -1
}

func (d *dumper) defineIn(file *ast.File, info *types.Info) {
	path, _, _ := d.place(file.Package)
	if path == "" {
		return
	}
	d.covered[path] = true
	for _, each := range file.Decls {
		switch declaration := each.(type) {
		case *ast.FuncDecl:
			if declaration.Recv != nil && len(declaration.Recv.List) > 0 {
				d.define(declaration.Name, declaration, "method", receiverName(declaration.Recv.List[0].Type))
			} else if declaration.Name.Name != "init" {
				d.define(declaration.Name, declaration, "function", "")
			}
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				switch own := spec.(type) {
				case *ast.TypeSpec:
					kind := "type"
					switch own.Type.(type) {
					case *ast.InterfaceType:
						kind = "interface"
					case *ast.StructType:
						kind = "class"
					}
					d.define(own.Name, own, kind, "")
					d.defineMembers(own.Type, own.Name.Name)
				case *ast.ValueSpec:
					for _, name := range own.Names {
						d.define(name, own, "value", "")
					}
				}
			}
		}
	}
}

func (d *dumper) defineMembers(of ast.Expr, owner string) {
	switch each := of.(type) {
	case *ast.StructType:
		for _, field := range each.Fields.List {
			for _, name := range field.Names {
				d.define(name, field, "field", owner)
			}
		}
	case *ast.InterfaceType:
		for _, method := range each.Methods.List {
			for _, name := range method.Names {
				d.define(name, method, "method", owner)
			}
		}
	}
}

func receiverName(expr ast.Expr) string {
	switch each := expr.(type) {
	case *ast.StarExpr:
		return receiverName(each.X)
	case *ast.IndexExpr:
		return receiverName(each.X)
	case *ast.IndexListExpr:
		return receiverName(each.X)
	case *ast.ParenExpr:
		return receiverName(each.X)
	case *ast.Ident:
		return each.Name
	}
	return ""
}

func (d *dumper) usesIn(file *ast.File, info *types.Info) {
	if path, _, _ := d.place(file.Package); path == "" {
		return
	}
	called := map[*ast.Ident]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if call, isCall := node.(*ast.CallExpr); isCall {
			if name := calledName(call.Fun); name != nil {
				called[name] = true
			}
		}
		ident, isIdent := node.(*ast.Ident)
		if !isIdent || ident.Name == "_" {
			return true
		}
		path, line, col := d.place(ident.Pos())
		at := fmt.Sprintf("%s:%d:%d", path, line, col)
		if _, isDefinition := d.ids[at]; isDefinition || d.uses[at] != nil && d.uses[at].Defs != nil {
			return true
		}
		each := &use{Use: ident.Name, Path: path, Line: line, Col: col, Call: called[ident]}
		if object := info.ObjectOf(ident); object != nil {
			defs := []int{}
			if id := d.idOf(object); id >= 0 {
				defs = append(defs, id)
			}
			each.Defs = &defs
		}
		d.uses[at] = each
		return true
	})
}

func calledName(fun ast.Expr) *ast.Ident {
	switch each := fun.(type) {
	case *ast.Ident:
		return each
	case *ast.SelectorExpr:
		return each.Sel
	case *ast.ParenExpr:
		return calledName(each.X)
	case *ast.IndexExpr:
		return calledName(each.X)
	case *ast.IndexListExpr:
		return calledName(each.X)
	}
	return nil
}

// Pairs of a type and an interface that it implements, and of their methods.
func (d *dumper) overridesIn(found []*packages.Package, pairs map[[2]int]bool) {
	var named []*types.TypeName
	var interfaces []*types.TypeName
	for _, each := range found {
		for _, name := range each.Types.Scope().Names() {
			object, isType := each.Types.Scope().Lookup(name).(*types.TypeName)
			if !isType || object.IsAlias() || d.idOf(object) < 0 {
				continue
			}
			if generic, isNamed := object.Type().(*types.Named); isNamed && generic.TypeParams().Len() > 0 {
				continue
			}
			named = append(named, object)
			if of, isInterface := object.Type().Underlying().(*types.Interface); isInterface && of.NumMethods() > 0 {
				interfaces = append(interfaces, object)
			}
		}
	}
	for _, super := range interfaces {
		of := super.Type().Underlying().(*types.Interface)
		for _, sub := range named {
			if sub == super || d.idOf(sub) == d.idOf(super) {
				continue
			}
			receiver := types.Type(types.NewPointer(sub.Type()))
			if types.IsInterface(sub.Type()) {
				receiver = sub.Type()
			}
			if !types.Implements(receiver, of) {
				continue
			}
			pairs[[2]int{d.idOf(sub), d.idOf(super)}] = true
			for i := range of.NumMethods() {
				method := of.Method(i)
				own, _, _ := types.LookupFieldOrMethod(receiver, true, method.Pkg(), method.Name())
				if own == nil {
					continue
				}
				from, to := d.idOf(own), d.idOf(method)
				if from >= 0 && to >= 0 && from != to {
					pairs[[2]int{from, to}] = true
				}
			}
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
