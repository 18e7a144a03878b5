(line_comment) @comment
(block_comment) @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (identifier) @import)

; What an impl holds belongs to the type it is for.
(impl_item
  type: [
    (type_identifier) @owner
    (_ name: (type_identifier) @owner)
    (_ type: (type_identifier) @owner)
    (_ type: (_ name: (type_identifier) @owner))
    (_ type: (_ type: (type_identifier) @owner))
    (primitive_type) @owner
  ]) @container
(impl_item) @container
(foreign_mod_item) @container
(associated_type name: (_) @name) @definition.type

(function_item name: (_) @name body: (block) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (type_identifier) @name body: (field_declaration_list)? @body) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(struct_item
  body: (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field))
(union_item
  body: (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field))
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(mod_item name: (identifier) @name body: (_)? @body) @definition.module
(macro_definition name: (identifier) @name) @definition.macro

(source_file
  [
    (const_item name: (_) @name) @definition.constant
    (static_item name: (_) @name) @definition.variable
    (type_item name: (_) @name) @definition.type
  ])
(declaration_list
  [
    (const_item name: (_) @name) @definition.constant
    (static_item name: (_) @name) @definition.variable
    (type_item name: (_) @name) @definition.type
  ])

; What stands in quotes uses no name.
[(string_literal) (raw_string_literal) (char_literal)] @literal

; Scopes, and the names bound in them.
[
  (function_item) (closure_expression) (block) (if_expression) (while_expression) (for_expression) (match_arm)
  (impl_item) (struct_item) (enum_item) (trait_item) (type_item)
] @block
[(let_declaration) (let_condition)] @after
(let_declaration pattern: (identifier) @local)
(parameter pattern: (identifier) @local.body)
(closure_parameters (identifier) @local)
(for_expression pattern: (identifier) @local.body)
(for_expression pattern: (tuple_pattern (identifier) @local.body))
(type_parameter name: (type_identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
; A pattern binds only names in lower case.
[
  (let_condition pattern: (identifier) @local.lower)
  (match_pattern (identifier) @local.lower)
  (tuple_pattern (identifier) @local.lower)
  (slice_pattern (identifier) @local.lower)
  (tuple_struct_pattern "(" (identifier) @local.lower)
  (field_pattern pattern: (identifier) @local.lower)
  (captured_pattern . (identifier) @local.lower)
  (ref_pattern (identifier) @local.lower)
  (mut_pattern (identifier) @local.lower)
  (reference_pattern (identifier) @local.lower)
  (or_pattern (identifier) @local.lower)
]
