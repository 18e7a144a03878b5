(comment) @comment
(preproc_include path: (_) @import)
(translation_unit [(preproc_ifdef) (preproc_if) (linkage_specification)] @container)
(preproc_ifdef [(preproc_ifdef) (preproc_if) (preproc_else) (linkage_specification)] @container)
(preproc_if [(preproc_ifdef) (preproc_if) (preproc_else) (preproc_elif)] @container)
(declaration_list [(preproc_ifdef) (preproc_if)] @container)

(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name value: (_)? @body) @definition.macro

(namespace_definition name: (_) @name body: (_) @body) @definition.module
(namespace_definition !name) @container

; Out of line, `Type::method`, `space::Type::method`: the nearest qualifier owns it.
(template_declaration
  (function_definition
    declarator: [
      (_ declarator: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))
      (_ declarator: (_ declarator: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))
      (reference_declarator (_ declarator: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))
      (_ declarator: (_ name: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name)))
      (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))))
      (_ declarator: (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))))
      (reference_declarator (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))))
    ]
    body: (_)? @body)) @definition.method
(function_definition
  declarator: [
    (_ declarator: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))
    (_ declarator: (_ declarator: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))
    (reference_declarator (_ declarator: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))
    (_ declarator: (_ name: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name)))
    (_ declarator: (_ declarator: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name))))
    (reference_declarator (_ declarator: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name))))
    (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))))
    (_ declarator: (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))))
    (reference_declarator (_ declarator: (_ name: (_ name: (_ scope: (_) @owner name: [(identifier) (operator_name)] @name)))))
  ]
  body: (_)? @body) @definition.method

(field_declaration_list
  (template_declaration
    (_
      declarator: [
        (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_))
        (_ declarator: (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))
        (reference_declarator (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))
      ]
      body: (_)? @body)) @definition.method)
(field_declaration_list
  (_
    declarator: [
      (_ declarator: [(field_identifier) (identifier) (destructor_name) (operator_name)] @name parameters: (_))
      (_ declarator: (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))
      (reference_declarator (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))
    ]
    body: (_)? @body) @definition.method)

(template_declaration
  (function_definition
    declarator: [
      (_ declarator: [(identifier) (operator_name)] @name)
      (_ declarator: (template_function name: (_) @name))
      (_ declarator: (_ declarator: [(identifier) (operator_name)] @name))
      (reference_declarator (_ declarator: [(identifier) (operator_name)] @name))
    ]
    body: (_)? @body)) @definition.function
(function_definition
  declarator: [
    (_ declarator: [(identifier) (operator_name) (field_identifier)] @name)
    (_ declarator: (template_function name: (_) @name))
    (_ declarator: (_ declarator: [(identifier) (operator_name)] @name))
    (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
    (reference_declarator (_ declarator: [(identifier) (operator_name)] @name))
  ]
  body: (_)? @body) @definition.function

; `operator bool()`: its type is a part of its name.
(function_definition
  declarator: [
    (operator_cast "operator" @name type: (_) @name)
    (qualified_identifier scope: (_) @owner name: (operator_cast "operator" @name type: (_) @name))
  ]
  body: (_)? @body) @definition.method
(field_declaration_list (declaration declarator: (operator_cast "operator" @name type: (_) @name)) @definition.method)

; Prototypes and variables; not inside functions, where `T x(y);` is a variable.
(template_declaration
  (declaration
    declarator: [
      (_ declarator: [(identifier) (operator_name)] @name parameters: (_))
      (_ declarator: (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
      (reference_declarator (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
    ])) @definition.function
(translation_unit
  (declaration
    declarator: [
      (_ declarator: [(identifier) (operator_name)] @name parameters: (_))
      (_ declarator: (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
      (reference_declarator (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
    ]) @definition.function)
(declaration_list
  (declaration
    declarator: [
      (_ declarator: [(identifier) (operator_name)] @name parameters: (_))
      (_ declarator: (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
      (reference_declarator (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
    ]) @definition.function)
(preproc_ifdef
  (declaration
    declarator: [
      (_ declarator: [(identifier) (operator_name)] @name parameters: (_))
      (_ declarator: (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
      (reference_declarator (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))
    ]) @definition.function)
(template_declaration
  (declaration declarator: [(identifier) @name (_ declarator: (identifier) @name)])) @definition.variable
(translation_unit
  (declaration
    declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])]) @definition.variable)
(declaration_list
  (declaration
    declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])]) @definition.variable)

(template_declaration
  (class_specifier name: [(type_identifier) @name (_ name: (type_identifier) @name)] body: (_) @body)) @definition.class
(template_declaration
  (_
    name: [(type_identifier) @name (_ name: (type_identifier) @name)]
    body: (field_declaration_list) @body)) @definition.struct
(class_specifier
  name: [(type_identifier) @name (_ name: (type_identifier) @name)]
  body: (_) @body) @definition.class
; `typedef struct x {…} x;` defines one thing.
(type_definition
  type: (_ name: (type_identifier) @again body: (_))
  declarator: (type_identifier) @_name
  (#eq? @again @_name))
(type_definition
  type: (_ body: (field_declaration_list) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (_ body: (enumerator_list) @body)
  declarator: (type_identifier) @name) @definition.enum
(struct_specifier
  name: [(type_identifier) @name (_ name: (type_identifier) @name)]
  body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
(enumerator name: (_) @name) @definition.constant

(template_declaration (concept_definition name: (_) @name)) @definition.type
(template_declaration (alias_declaration name: (_) @name)) @definition.type
(alias_declaration name: (_) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.type
(type_definition
  declarator: [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)
    (_ declarator: (_ (_ declarator: (type_identifier) @name)))
    (_ declarator: (_ declarator: (_ (_ declarator: (type_identifier) @name))))
    (reference_declarator (type_identifier) @name)
    (_ declarator: (_ (reference_declarator (type_identifier) @name)))
  ]) @definition.type

(field_declaration
  declarator: [
    (field_identifier) @name
    (_ declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
    (reference_declarator (field_identifier) @name)
    (_ declarator: (_ (_ declarator: (field_identifier) @name)))
  ]) @definition.field

; What stands in quotes uses no name.
[(string_literal) (raw_string_literal) (system_lib_string) (char_literal)] @literal

; Scopes, and the names bound in them.
[
  (template_declaration) (function_definition) (compound_statement) (for_statement) (for_range_loop) (lambda_expression) (if_statement)
  (while_statement) (switch_statement) (catch_clause)
] @block
(declaration declarator: (identifier) @local)
(init_declarator declarator: (identifier) @local)
(pointer_declarator declarator: (identifier) @local)
(array_declarator declarator: (identifier) @local)
(parameter_declaration declarator: (identifier) @local.body)

(optional_parameter_declaration declarator: (identifier) @local.body)
(reference_declarator (identifier) @local)
(structured_binding_declarator (identifier) @local)
(for_range_loop declarator: (identifier) @local)
(type_parameter_declaration (type_identifier) @hoisted)
(lambda_capture_initializer left: (identifier) @local)
