(comment) @comment
(preproc_include path: (_) @import)
(translation_unit [(preproc_ifdef) (preproc_if) (linkage_specification)] @container)
(preproc_ifdef [(preproc_ifdef) (preproc_if) (preproc_else) (linkage_specification)] @container)
(preproc_if [(preproc_ifdef) (preproc_if) (preproc_else) (preproc_elif)] @container)

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; A pointer in the result type wraps the declarator, once or twice.
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
    (function_declarator
      declarator: (parenthesized_declarator (function_declarator declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  ]
  body: (_) @body) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]) @definition.function

; `typedef struct x {…} y;` defines both, `typedef struct x {…} x;` one thing.
(type_definition
  type: (_ name: (type_identifier) @again body: (_))
  declarator: (type_identifier) @_name
  (#eq? @again @_name))
(type_definition
  type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    (function_declarator
      declarator: (parenthesized_declarator (_) (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  ]) @definition.type
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (array_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  ]) @definition.field

(translation_unit
  [
    (declaration
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
        (array_declarator declarator: (identifier) @name)
        (function_declarator
          declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
        (init_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)
            (array_declarator declarator: (array_declarator declarator: (identifier) @name))
            (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
            (function_declarator
              declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
          ])
      ])
  ] @definition.variable)
(translation_unit
  [
    (preproc_ifdef
      (declaration
        declarator: [
          (identifier) @name
          (pointer_declarator declarator: (identifier) @name)
          (array_declarator declarator: (identifier) @name)
          (init_declarator
            declarator: [
              (identifier) @name
              (pointer_declarator declarator: (identifier) @name)
              (array_declarator declarator: (identifier) @name)
            ])
        ]) @definition.variable)
    (preproc_ifdef
      (preproc_else
        (declaration
          declarator: [
            (identifier) @name
            (init_declarator
              declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)])
          ]) @definition.variable))
    (preproc_if
      (declaration
        declarator: [
          (identifier) @name
          (init_declarator
            declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
        ]) @definition.variable)
  ])

; What stands in quotes uses no name.
[(string_literal) (system_lib_string) (char_literal)] @literal

; Scopes, and the names bound in them.
[
  (function_definition) (compound_statement) (for_statement)
] @block
(declaration declarator: (identifier) @local)
(init_declarator declarator: (identifier) @local)
(pointer_declarator declarator: (identifier) @local)
(array_declarator declarator: (identifier) @local)
(parameter_declaration declarator: (identifier) @local.body)
