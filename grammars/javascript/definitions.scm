; An exported definition begins at `export`, where its comment is.
(comment) @comment
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(variable_declarator
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import) .))
  (#eq? @_require "require"))

(export_statement
  declaration: [
    (function_declaration name: (identifier) @name body: (_) @body)
    (generator_function_declaration name: (identifier) @name body: (_) @body)
  ]) @definition.function
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function

(export_statement declaration: (class_declaration name: (identifier) @name body: (_) @body)) @definition.class
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(class name: (identifier) @name body: (_) @body) @definition.class
(class_body
  (method_definition
    name: [(property_identifier) (private_property_identifier) (string)] @name
    body: (_) @body) @definition.method)
(class_body
  (field_definition
    property: [(property_identifier) (private_property_identifier)] @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)
(class_body
  (field_definition property: [(property_identifier) (private_property_identifier)] @name) @definition.field)

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
  [
    (export_statement
      declaration: (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)))
    (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name))
    (lexical_declaration
      (variable_declarator
        name: (object_pattern (shorthand_property_identifier_pattern) @name)))
  ] @definition.constant)
(program
  [
    (export_statement
      declaration: [
        (lexical_declaration (variable_declarator name: (identifier) @name))
        (variable_declaration (variable_declarator name: (identifier) @name))
      ])
    (lexical_declaration (variable_declarator name: (identifier) @name))
    (variable_declaration (variable_declarator name: (identifier) @name))
  ] @definition.variable)

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
(assignment_expression
  left: (member_expression
    object: (member_expression) @owner
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(program
  (expression_statement
    (assignment_expression
      left: (member_expression property: (property_identifier) @name))) @definition.variable)

; Methods of objects; functions under a key only in objects bound, exported or assigned at the top of a module.
(object
  (method_definition
    name: [(property_identifier) (string)] @name
    body: (_) @body) @definition.method)
(program
  [
    (lexical_declaration
      (variable_declarator
        value: (object
          (pair
            key: (property_identifier) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))
    (variable_declaration
      (variable_declarator
        value: (object
          (pair
            key: (property_identifier) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))
    (export_statement
      declaration: (lexical_declaration
        (variable_declarator
          value: (object
            (pair
              key: (property_identifier) @name
              value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))))
    (export_statement
      value: (object
        (pair
          key: (property_identifier) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))
    (expression_statement
      (assignment_expression
        right: (object
          (pair
            key: (property_identifier) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))
  ])

; Wrappers whose arguments hold the code: `describe("…", () => {…})`, immediately called functions.
(program
  (expression_statement
    (call_expression
      function: [
        (parenthesized_expression [(arrow_function) (function_expression)])
        (identifier)
        (member_expression)
      ]
      arguments: (arguments [(arrow_function) (function_expression)]?))) @container)
