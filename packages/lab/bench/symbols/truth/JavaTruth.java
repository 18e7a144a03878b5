import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Prints what the Java compiler knows about the names of a project, as the lines that facts.ts describes.
 * Usage: java JavaTruth.java ROOT [CLASSPATH]
 */
public class JavaTruth {
    private final Path root;
    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private final Map<Element, Integer> ids = new HashMap<>();
    private final Set<String> pairs = new HashSet<>();
    private JavacTask task;
    private Trees trees;
    private SourcePositions positions;

    JavaTruth(Path root) {
        this.root = root;
    }

    public static void main(String[] args) throws IOException {
        new JavaTruth(Path.of(args[0]).toRealPath()).run(args.length > 1 ? args[1] : "");
    }

    private void run(String classpath) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<Path> sources;
        try (Stream<Path> all = Files.walk(root)) {
            sources = all.filter(path -> path.toString().endsWith(".java"))
                .filter(path -> !path.endsWith("module-info.java") && !path.endsWith("package-info.java"))
                .filter(path -> !root.relativize(path).toString().matches("(?:.*/)?(?:target|build|node_modules)/.*"))
                .sorted().collect(Collectors.toList());
        }
        List<String> options = List.of("-proc:none", "-implicit:none", "-XDshould-stop.ifError=FLOW", "-nowarn", "-cp", classpath);
        task = (JavacTask) compiler.getTask(new StringWriter(), files, new DiagnosticCollector<>(), options, null, files.getJavaFileObjectsFromPaths(sources));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        trees = Trees.instance(task);
        positions = trees.getSourcePositions();
        for (CompilationUnitTree unit : units) print("\"file\":%s", quoted(pathOf(unit)));
        for (CompilationUnitTree unit : units) new Definitions(unit).scan(unit, null);
        for (CompilationUnitTree unit : units) new Uses(unit).scan(unit, null);
        for (Element each : List.copyOf(ids.keySet())) inherit(each);
        out.flush();
    }

    private String pathOf(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    }

    private void print(String form, Object... values) {
        out.print("{" + String.format(form, values) + "}\n");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private long lineOf(CompilationUnitTree unit, long offset) {
        return offset < 0 ? 0 : unit.getLineMap().getLineNumber(offset);
    }

    /** Offset of a word in a tree, from a place where it may begin; -1 if it is not there. */
    private long wordIn(CompilationUnitTree unit, String word, long from, long to) {
        CharSequence text = textOf(unit);
        for (int at = (int) from; at >= 0 && at + word.length() <= text.length() && at < to; at++) {
            if (!word.contentEquals(text.subSequence(at, at + word.length()))) continue;
            boolean begins = at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1));
            int end = at + word.length();
            if (begins && (end == text.length() || !Character.isJavaIdentifierPart(text.charAt(end)))) return at;
        }
        return -1;
    }

    private final Map<CompilationUnitTree, CharSequence> texts = new HashMap<>();

    private CharSequence textOf(CompilationUnitTree unit) {
        return texts.computeIfAbsent(unit, each -> {
            try {
                return each.getSourceFile().getCharContent(true);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        });
    }

    private class Definitions extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;

        Definitions(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            if (!tree.getSimpleName().isEmpty()) {
                long from = endOf(tree.getModifiers(), tree);
                define(tree, tree.getSimpleName().toString(), tree.getKind() == Tree.Kind.INTERFACE ? "interface" : "class", from);
            }
            return super.visitClass(tree, unused);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            boolean isConstructor = tree.getName().contentEquals("<init>");
            String name = isConstructor ? ownerName(trees.getElement(getCurrentPath())) : tree.getName().toString();
            long from = tree.getReturnType() != null ? endOf(tree.getReturnType(), tree) : endOf(tree.getModifiers(), tree);
            define(tree, name, isConstructor ? "constructor" : "method", from);
            return super.visitMethod(tree, unused);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void unused) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null && (element.getKind() == ElementKind.FIELD || element.getKind() == ElementKind.ENUM_CONSTANT))
                define(tree, tree.getName().toString(), "field", tree.getType() == null ? -1 : endOf(tree.getType(), tree));
            return super.visitVariable(tree, unused);
        }

        private long endOf(Tree part, Tree whole) {
            long end = positions.getEndPosition(unit, part);
            return end >= 0 ? end : positions.getStartPosition(unit, whole);
        }

        private void define(Tree tree, String name, String kind, long from) {
            Element element = trees.getElement(getCurrentPath());
            long start = positions.getStartPosition(unit, tree);
            long end = positions.getEndPosition(unit, tree);
            if (element == null || start < 0 || end < 0) return;
            long at = wordIn(unit, name, Math.max(from, start), end);
            if (at < 0) at = wordIn(unit, name, start, end);
            if (at < 0) return;
            ids.put(element, ids.size());
            boolean isLocal = false;
            for (Element each = element.getEnclosingElement(); each != null; each = each.getEnclosingElement())
                isLocal |= each instanceof ExecutableElement || each instanceof TypeElement && ((TypeElement) each).getNestingKind() == NestingKind.ANONYMOUS;
            print("\"def\":%d,\"path\":%s,\"line\":%d,\"from\":%d,\"to\":%d,\"kind\":%s,\"name\":%s,\"owner\":%s", ids.get(element),
                quoted(pathOf(unit)), lineOf(unit, at), lineOf(unit, start), lineOf(unit, end),
                quoted(isLocal ? "local" : kind), quoted(name), quoted(ownerName(element)));
        }
    }

    private static String ownerName(Element element) {
        Element owner = element == null ? null : element.getEnclosingElement();
        return owner instanceof TypeElement ? owner.getSimpleName().toString() : "";
    }

    private class Uses extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;

        Uses(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void unused) {
            use(tree, tree.getName(), positions.getStartPosition(unit, tree), List.of());
            return super.visitIdentifier(tree, unused);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            long from = positions.getEndPosition(unit, tree.getExpression());
            use(tree, tree.getIdentifier(), from < 0 ? -1 : wordIn(unit, tree.getIdentifier().toString(), from, textOf(unit).length()), List.of());
            return super.visitMemberSelect(tree, unused);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void unused) {
            long from = positions.getEndPosition(unit, tree.getQualifierExpression());
            if (tree.getMode() == MemberReferenceTree.ReferenceMode.INVOKE)
                use(tree, tree.getName(), from < 0 ? -1 : wordIn(unit, tree.getName().toString(), from, textOf(unit).length()), List.of());
            return super.visitMemberReference(tree, unused);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void unused) {
            // The constructor has the name of its type: the place means both.
            Element made = trees.getElement(getCurrentPath());
            Tree named = tree.getIdentifier() instanceof ParameterizedTypeTree ? ((ParameterizedTypeTree) tree.getIdentifier()).getType() : tree.getIdentifier();
            if (made != null) constructed.put(named, made);
            return super.visitNewClass(tree, unused);
        }

        private final Map<Tree, Element> constructed = new HashMap<>();

        @Override
        public Void visitImport(ImportTree tree, Void unused) {
            MemberSelectTree name = (MemberSelectTree) tree.getQualifiedIdentifier();
            if (tree.isStatic() && !name.getIdentifier().contentEquals("*")) {
                Element type = trees.getElement(new TreePath(new TreePath(getCurrentPath(), name), name.getExpression()));
                List<Element> members = type instanceof TypeElement
                    ? task.getElements().getAllMembers((TypeElement) type).stream().filter(each -> each.getSimpleName().equals(name.getIdentifier())).collect(Collectors.toList())
                    : List.of();
                long from = positions.getEndPosition(unit, name.getExpression());
                use(null, name.getIdentifier(), wordIn(unit, name.getIdentifier().toString(), from, textOf(unit).length()), members);
                return scan(name.getExpression(), unused);
            }
            return super.visitImport(tree, unused);
        }

        private void use(Tree tree, Name name, long at, List<? extends Element> members) {
            if (at < 0 || name.contentEquals("this") || name.contentEquals("super") || name.contentEquals("*")) return;
            List<Element> meant = new ArrayList<>(members);
            if (tree != null) {
                Element element = trees.getElement(getCurrentPath());
                if (element != null) meant.add(element);
                if (constructed.containsKey(tree)) meant.add(constructed.get(tree));
            }
            boolean isKnown = !meant.isEmpty() && meant.stream().noneMatch(each -> each.asType().getKind() == TypeKind.ERROR);
            String defs = meant.stream().map(ids::get).filter(Objects::nonNull).map(String::valueOf).collect(Collectors.joining(","));
            print("\"use\":%s,\"path\":%s,\"line\":%d,\"col\":%d%s%s", quoted(name.toString()), quoted(pathOf(unit)), lineOf(unit, at),
                unit.getLineMap().getColumnNumber(at), isKnown ? ",\"defs\":[" + defs + "]" : "", isCalled(tree) ? ",\"call\":true" : "");
        }

        private boolean isCalled(Tree tree) {
            if (tree == null) return false;
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            return constructed.containsKey(tree) || parent instanceof MethodInvocationTree && ((MethodInvocationTree) parent).getMethodSelect() == tree;
        }
    }

    private void inherit(Element element) {
        if (!(element instanceof TypeElement)) return;
        TypeElement type = (TypeElement) element;
        Deque<TypeMirror> next = new ArrayDeque<>(task.getTypes().directSupertypes(type.asType()));
        Set<Element> seen = new HashSet<>();
        while (!next.isEmpty()) {
            TypeMirror mirror = next.poll();
            if (!(mirror instanceof DeclaredType) || !seen.add(((DeclaredType) mirror).asElement())) continue;
            TypeElement base = (TypeElement) ((DeclaredType) mirror).asElement();
            next.addAll(task.getTypes().directSupertypes(mirror));
            pair(element, base);
            for (ExecutableElement own : ElementFilter.methodsIn(type.getEnclosedElements()))
                for (ExecutableElement above : ElementFilter.methodsIn(base.getEnclosedElements()))
                    if (task.getElements().overrides(own, above, type)) pair(own, above);
        }
    }

    private void pair(Element sub, Element base) {
        Integer from = ids.get(sub), to = ids.get(base);
        if (from != null && to != null && pairs.add(from + " " + to)) print("\"sub\":%d,\"super\":%d", from, to);
    }
}
