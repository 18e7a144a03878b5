; An exported definition begins at `export`, where its comment is.
(comment) @comment
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (import) arguments: (_ . (string) @import))
(variable_declarator
  value: (_ function: (identifier) @_require arguments: (_ . (string) @import .))
  (#eq? @_require "require"))

(export_statement declaration: (_ name: (_) @name body: (class_body) @body)) @definition.class
(export_statement declaration: (_ name: (_) @name body: (_) @body)) @definition.function
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(class name: (_) @name body: (_) @body) @definition.class

; A field that holds a function is a method.
(class_body (_ property: (_) @name value: (_ body: (_) @body)) @definition.method)
(class_body (_ property: (_) @name) @definition.field)

; What `require` gives is an import, not a definition. Values bound to a function are functions wherever they stand, others only at the top of a module.
(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name value: (_ body: (class_body) @body)))) @definition.class
(lexical_declaration (_ name: (identifier) @name value: (_ body: (class_body) @body))) @definition.class
(variable_declaration (_ name: (identifier) @name value: (_ body: (class_body) @body))) @definition.class
(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name value: (_ body: (_) @body)))) @definition.function
(lexical_declaration (_ name: (identifier) @name value: (_ body: (_) @body))) @definition.function
(variable_declaration (_ name: (identifier) @name value: (_ body: (_) @body))) @definition.function
(export_statement
  declaration: (_
    (variable_declarator name: (identifier) @name value: (_ arguments: (_ . (_ body: (_) @body)))))) @definition.function
(program
  (lexical_declaration
    (_ name: (identifier) @name value: (_ arguments: (_ . (_ body: (_) @body))))) @definition.function)
; Inside functions, only what these wrap is a function: React's hooks and common helpers.
(lexical_declaration
  (_
    name: (identifier) @name
    value: (call_expression function: (_) @_wrapper arguments: (_ . (_ body: (_) @body)))) @definition.function
  (#match? @_wrapper "^(React\\.)?(useCallback|useEffectEvent|useEvent|memo|forwardRef|debounce|throttle)$"))
(export_statement declaration: (_ kind: "const" (_ name: (identifier) @name))) @definition.constant
(program
  (lexical_declaration kind: "const" (_ name: (identifier) @name value: (_) @_value)) @definition.constant
  (#not-match? @_value "^(await )?(require|import)\\b"))
(export_statement declaration: (_ (variable_declarator name: (identifier) @name))) @definition.variable
(program (lexical_declaration kind: "let" (_ name: (identifier) @name)) @definition.variable)
(program
  (variable_declaration (_ name: (identifier) @name value: (_)? @_value)) @definition.variable
  (#not-match? @_value "^(await )?(require|import)\\b"))
(program
  (lexical_declaration
    (_ name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (_) @_value)) @definition.constant
  (#not-match? @_value "^(await )?(require|import)\\b"))

; Assignments that define: `exports.x =`, `Foo.prototype.bar = function`, `app.get = () =>`.
(expression_statement
  (_
    left: (_ object: (_ object: (_) @owner property: (_) @_prototype) property: (_) @name)
    right: (_ body: (_) @body))
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: (_ body: (_) @body)
  (#any-of? @_exports "exports" "module.exports")) @definition.function
(assignment_expression
  left: (member_expression object: [(identifier) @owner (member_expression) @owner (this)] property: (_) @name)
  right: (_ body: (_) @body)) @definition.function
(assignment_expression
  left: (member_expression object: (_) property: (_) @name)
  right: (_ right: (_ body: (_) @body))) @definition.function
(program
  (expression_statement (_ left: (_ property: (_) @name))) @definition.variable
  (#not-eq? @name "exports"))

; Functions under a key only in objects bound, exported or assigned at the top of a module.
(program
  [
    (lexical_declaration
      (_
        name: (_) @owner
        value: (object
          [
            (pair key: (_) @name value: (_ body: (_) @body))
            (_ name: (_) @name body: (_) @body)
          ] @definition.method)))
    (variable_declaration
      (_
        name: (_) @owner
        value: (object
          [
            (pair key: (_) @name value: (_ body: (_) @body))
            (_ name: (_) @name body: (_) @body)
          ] @definition.method)))
    (expression_statement
      (_ right: (object (pair key: (_) @name value: (_ body: (_) @body)) @definition.method)))
  ])
(export_statement
  declaration: (_
    (_
      name: (_) @owner
      value: (object
        [
          (pair key: (_) @name value: (_ body: (_) @body))
          (_ name: (_) @name body: (_) @body)
        ] @definition.method))))
(export_statement value: (object (pair key: (_) @name value: (_ body: (_) @body)) @definition.method))
(method_definition name: (_) @name body: (_) @body) @definition.method

; Svelte's `$: total = a + b`.
(program
  (labeled_statement body: (expression_statement (assignment_expression left: (identifier) @name))) @definition.variable)

; Calls whose arguments hold the code: `describe("…", () => {…})`, immediately called functions.
(program (expression_statement (call_expression) @container))

; What stands in quotes uses no name.
[(string_fragment) (regex_pattern)] @literal

; Scopes, and the names bound in them.
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @block
[
  (function_declaration) (generator_function_declaration) (function_expression) (generator_function)
  (arrow_function) (method_definition)
] @block.function
(lexical_declaration (variable_declarator name: (identifier) @hoisted))
(variable_declaration (variable_declarator name: (identifier) @hoisted.function))
(for_in_statement kind: _ left: (identifier) @hoisted)
(catch_clause parameter: (identifier) @hoisted)
(arrow_function parameter: (identifier) @hoisted)
(function_expression name: (identifier) @hoisted)
(function_declaration name: (identifier) @hoisted.around)
(generator_function_declaration name: (identifier) @hoisted.around)
(formal_parameters (identifier) @hoisted)
(shorthand_property_identifier_pattern) @hoisted @label
(pair_pattern value: (identifier) @hoisted)
(array_pattern (identifier) @hoisted)
(assignment_pattern left: (identifier) @hoisted)
(rest_pattern (identifier) @hoisted)
(assignment_expression left: [(object_pattern) (array_pattern)] @assigned)
