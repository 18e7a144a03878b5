; Serves typescript and tsx. An exported definition begins at `export`, where its decorators and its comment are.
(comment) @comment
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (import) arguments: (_ . (string) @import))
(import_require_clause source: (string) @import)

(export_statement declaration: (_ name: (_) @name parameters: (_) body: (_) @body)) @definition.function
(export_statement declaration: (function_signature name: (_) @name)) @definition.function
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(function_signature name: (_) @name) @definition.function

(export_statement declaration: (_ name: (_) @name body: (class_body) @body)) @definition.class
(class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(class name: (_) @name body: (_) @body) @definition.class

(export_statement declaration: (_ name: (_) @name body: (interface_body) @body)) @definition.interface
(interface_declaration name: (_) @name body: (_) @body) @definition.interface

(export_statement declaration: (_ name: (type_identifier) @name value: (_))) @definition.type
(type_alias_declaration name: (_) @name) @definition.type

(export_statement declaration: (_ name: (_) @name body: (enum_body) @body)) @definition.enum
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body (property_identifier) @name @definition.constant)
(enum_assignment name: (property_identifier) @name) @definition.constant

(export_statement declaration: (_ name: (_) @name body: (statement_block) @body)) @definition.module
(internal_module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name body: (_) @body) @definition.module
(ambient_declaration (statement_block)) @container
(ambient_declaration (_ (variable_declarator name: (identifier) @name))) @definition.constant

; Members; a field that holds a function is a method, a constructor's `private x` is a field.
(class_body (_ name: (_) @name parameters: (_) body: (_)? @body) @definition.method)
(class_body (_ name: (_) @name value: (_ parameters: (_) body: (_) @body)) @definition.method)
(class_body (_ name: (_) @name value: (_ parameter: (_) body: (_) @body)) @definition.method)
(class_body (_ name: (_) @name) @definition.field)
(class_body
  (method_definition
    parameters: (_ (_ [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @definition.field)))
(interface_body (_ name: (_) @name parameters: (_)) @definition.method)
(interface_body (_ name: (_) @name) @definition.property)
(type_alias_declaration value: (object_type (_ name: (_) @name parameters: (_)) @definition.method))
(type_alias_declaration value: (object_type (_ name: (_) @name) @definition.property))

; Values bound to a function are functions wherever they stand, others only at the top of a module.
(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name value: (class body: (_) @body)))) @definition.class
(program
  (lexical_declaration
    (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class)
(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name value: (_ body: (_) @body)))) @definition.function
(lexical_declaration
  (variable_declarator name: (identifier) @name value: (_ body: (_) @body))) @definition.function
(variable_declaration
  (variable_declarator name: (identifier) @name value: (_ body: (_) @body))) @definition.function
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
(program (lexical_declaration kind: "const" (_ name: (identifier) @name)) @definition.constant)
(export_statement declaration: (_ (variable_declarator name: (identifier) @name))) @definition.variable
(program (lexical_declaration (_ name: (identifier) @name)) @definition.variable)
(program (variable_declaration (_ name: (identifier) @name)) @definition.variable)
(program
  (lexical_declaration
    (_ name: (object_pattern (shorthand_property_identifier_pattern) @name))) @definition.constant)

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
(program
  (expression_statement
    (_ left: (_ property: (_) @name))) @definition.variable)

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
  (function_type) (method_signature) (abstract_method_signature) (function_signature) (construct_signature)
  (constructor_type) (call_signature)
] @block.function
(lexical_declaration (variable_declarator name: (identifier) @hoisted))
(variable_declaration (variable_declarator name: (identifier) @hoisted.function))
(for_in_statement kind: _ left: (identifier) @hoisted)
(catch_clause parameter: (identifier) @hoisted)
(arrow_function parameter: (identifier) @hoisted)
(function_expression name: (identifier) @hoisted)
(function_declaration name: (identifier) @hoisted.around)
(generator_function_declaration name: (identifier) @hoisted.around)
(required_parameter pattern: (identifier) @hoisted)
(optional_parameter pattern: (identifier) @hoisted)
(required_parameter (accessibility_modifier) pattern: (identifier) @local.also)
[(class_declaration) (abstract_class_declaration) (interface_declaration) (type_alias_declaration)] @block
(type_parameter name: (type_identifier) @hoisted)
(shorthand_property_identifier_pattern) @hoisted @label
(pair_pattern value: (identifier) @hoisted)
(array_pattern (identifier) @hoisted)
(assignment_pattern left: (identifier) @hoisted)
(rest_pattern (identifier) @hoisted)
(assignment_expression left: [(object_pattern) (array_pattern)] @assigned)
