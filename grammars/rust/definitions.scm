(line_comment) @comment
(block_comment) @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (identifier) @import)

; Methods of an impl belong to the type it is for, those of a trait to the trait that encloses them.
(impl_item
  type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @owner))
    (scoped_type_identifier name: (type_identifier) @owner)
    (reference_type type: (type_identifier) @owner)
    (reference_type type: (generic_type type: (type_identifier) @owner))
    (primitive_type) @owner
    (tuple_type) @owner
    (array_type) @owner
    (pointer_type) @owner
    (dynamic_type) @owner
    (reference_type type: (primitive_type) @owner)
  ]
  body: (declaration_list
    (function_item name: (_) @name body: (block) @body) @definition.method))
(impl_item
  type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (scoped_type_identifier name: (type_identifier) @owner)
  ]
  body: (declaration_list
    [
      (const_item name: (identifier) @name) @definition.constant
      (type_item name: (type_identifier) @name) @definition.type
    ]))
(impl_item
  body: (declaration_list (function_item name: (_) @name body: (block) @body) @definition.method))
(impl_item) @container
(foreign_mod_item) @container
(trait_item
  body: (declaration_list
    [
      (function_item name: (_) @name body: (block) @body)
      (function_signature_item name: (_) @name)
    ] @definition.method))
(trait_item
  body: (declaration_list (associated_type name: (type_identifier) @name) @definition.type))

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
    (const_item name: (identifier) @name) @definition.constant
    (static_item name: (identifier) @name) @definition.variable
    (type_item name: (type_identifier) @name) @definition.type
  ])
(mod_item
  body: (declaration_list
    [
      (const_item name: (identifier) @name) @definition.constant
      (static_item name: (identifier) @name) @definition.variable
      (type_item name: (type_identifier) @name) @definition.type
    ]))
(trait_item body: (declaration_list (const_item name: (identifier) @name) @definition.constant))
