(comment) @comment
(open_statement (_) @import)
(include_statement (_) @import)

(module_declaration (module_binding name: (_) @name)) @definition.module
(type_declaration (type_binding name: (_) @name)) @definition.type
(variant_declaration (variant_identifier) @name) @definition.constant
(record_type_field (property_identifier) @name) @definition.field
(exception_declaration (variant_identifier) @name) @definition.type
(external_declaration (value_identifier) @name) @definition.function

; Functions and values of a module; those inside functions are locals.
(source_file
  (let_declaration
    (let_binding pattern: (value_identifier) @name body: (function body: (_) @body)) @definition.function))
(source_file (let_declaration (let_binding pattern: (value_identifier) @name) @definition.constant))
(module_binding
  definition: (block
    (let_declaration
      (let_binding pattern: (value_identifier) @name body: (function body: (_) @body)) @definition.function)))
(module_binding
  definition: (block (let_declaration (let_binding pattern: (value_identifier) @name) @definition.constant)))

; What stands in quotes uses no name.
[(string_fragment) (character)] @literal
