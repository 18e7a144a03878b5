(line_comment) @comment
(block_comment) @comment
(package_declaration (_) @package .)
(import_declaration [(scoped_identifier) (identifier)] @import)

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface

(function_definition name: (identifier) @name body: (_)? @body) @definition.function
(method_declaration name: (identifier) @name body: (block)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(enum_constant name: (identifier) @name) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field

; What stands in quotes uses no name.
[(string_fragment) (multiline_string_fragment) (character_literal)] @literal
