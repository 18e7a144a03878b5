; Serves typescript and tsx. An exported definition begins at `export`, where its decorators and its comment are.
(comment) @comment
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(import_require_clause source: (string (string_fragment) @import))

(export_statement
  declaration: [
    (function_declaration name: (identifier) @name body: (_) @body)
    (generator_function_declaration name: (identifier) @name body: (_) @body)
    (function_signature name: (identifier) @name)
  ]) @definition.function
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_signature name: (identifier) @name) @definition.function

(export_statement
  declaration: [
    (class_declaration name: (type_identifier) @name body: (_) @body)
    (abstract_class_declaration name: (type_identifier) @name body: (_) @body)
  ]) @definition.class
(class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(class name: (type_identifier) @name body: (_) @body) @definition.class

(export_statement
  declaration: (interface_declaration name: (type_identifier) @name body: (_) @body)) @definition.interface
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface

(export_statement declaration: (type_alias_declaration name: (type_identifier) @name)) @definition.type
(type_alias_declaration name: (type_identifier) @name) @definition.type

(export_statement declaration: (enum_declaration name: (identifier) @name body: (_) @body)) @definition.enum
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_body (property_identifier) @name @definition.constant)
(enum_body (enum_assignment name: (property_identifier) @name) @definition.constant)

(export_statement
  declaration: (internal_module name: (_) @name body: (_) @body)) @definition.module
(internal_module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name body: (_) @body) @definition.module
(ambient_declaration "global" (statement_block)) @container
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable

; Members of classes, interfaces and object types that are declared by name.
(class_body
  (method_definition
    name: [(property_identifier) (private_property_identifier) (string)] @name
    body: (_) @body) @definition.method)
(class_body (method_signature name: (property_identifier) @name) @definition.method)
(class_body (abstract_method_signature name: (property_identifier) @name) @definition.method)
(class_body
  (public_field_definition
    name: [(property_identifier) (private_property_identifier)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)
(class_body
  (public_field_definition
    name: [(property_identifier) (private_property_identifier)] @name) @definition.field)
(class_body
  (method_definition
    name: (property_identifier) @_constructor
    parameters: (formal_parameters
      (required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field)))
(interface_body (method_signature name: (property_identifier) @name) @definition.method)
(interface_body (property_signature name: (property_identifier) @name) @definition.property)
(type_alias_declaration
  value: (object_type (property_signature name: (property_identifier) @name) @definition.property))
(type_alias_declaration
  value: (object_type (method_signature name: (property_identifier) @name) @definition.method))

; Values bound to a function are functions wherever they stand, others only at the top of a module.
(export_statement
  declaration: (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function

(program
  (export_statement
    declaration: (lexical_declaration
      kind: "const"
      (variable_declarator name: (identifier) @name))) @definition.constant)
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant)
(program
  (export_statement
    declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program
  (export_statement
    declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program
  (lexical_declaration
    (variable_declarator
      name: (object_pattern (shorthand_property_identifier_pattern) @name))) @definition.constant)
(internal_module
  body: (statement_block
    (export_statement
      declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant))

; Assignments that define: `exports.x =`, `Foo.prototype.bar = function`, `app.get = () =>`.
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) @owner
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression
    object: [(identifier) @owner (this)]
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(program
  (expression_statement
    (assignment_expression
      left: (member_expression object: (identifier) property: (property_identifier) @name))) @definition.variable)

; Methods of objects; functions under a key only in objects bound at the top of a module.
(object
  (method_definition
    name: [(property_identifier) (string)] @name
    body: (_) @body) @definition.method)
(program
  (lexical_declaration
    (variable_declarator
      value: (object
        (pair
          key: (property_identifier) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))))
(program
  (export_statement
    declaration: (lexical_declaration
      (variable_declarator
        value: (object
          (pair
            key: (property_identifier) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))))
(program
  (export_statement
    value: (object
      (pair
        key: (property_identifier) @name
        value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))

; Wrappers whose arguments hold the code: `describe("…", () => {…})`, immediately called functions.
(program
  (expression_statement
    (call_expression
      arguments: (arguments [(arrow_function) (function_expression)]))) @container)
(program
  (expression_statement
    (call_expression
      function: (parenthesized_expression [(arrow_function) (function_expression)]))) @container)
