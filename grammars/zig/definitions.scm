(comment) @comment
(builtin_function
  (builtin_identifier) @_import
  (arguments . (string (string_content) @import) .)
  (#eq? @_import "@import"))

(variable_declaration . (identifier) @name (struct_declaration "{" @body) .) @definition.struct
(variable_declaration . (identifier) @name (union_declaration "{" @body) .) @definition.struct
(variable_declaration . (identifier) @name (opaque_declaration) .) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration "{" @body) .) @definition.enum
(variable_declaration . (identifier) @name (error_set_declaration "{" @body) .) @definition.enum
(error_set_declaration (identifier) @name @definition.constant)
(enum_declaration (container_field name: (_) @name) @definition.constant)
(enum_declaration (container_field type: (identifier) @name) @definition.constant)
(container_field name: (_) @name) @definition.field

(struct_declaration (function_declaration name: (_) @name body: (_)? @body) @definition.method)
(union_declaration (function_declaration name: (_) @name body: (_)? @body) @definition.method)
(enum_declaration (function_declaration name: (_) @name body: (_)? @body) @definition.method)
(function_declaration name: (_) @name body: (_)? @body) @definition.function
(test_declaration [(string (string_content) @name) (identifier) @name] (block) @body) @definition.function

; `const x = @import("…")` is an import, not a definition.
(source_file
  (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^@import"))
(struct_declaration
  (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^@import"))
(union_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
(enum_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)

; What stands in quotes uses no name.
[(string_content) (character_content) (multiline_string)] @literal
