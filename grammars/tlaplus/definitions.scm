[(comment) (block_comment)] @comment
(source_file (module name: (_) @package))
(extends (identifier_ref) @import)
(instance (identifier_ref) @import)

(source_file (module name: (_) @name (header_line) . (_)? @body) @definition.module)
(constant_declaration (identifier) @name) @definition.constant
(constant_declaration (operator_declaration name: (_) @name) @definition.constant)
(variable_declaration (identifier) @name) @definition.variable
(module (operator_definition name: (_) @name definition: (_) @body) @definition.function)
(module (function_definition name: (_) @name definition: (_) @body) @definition.function)
(module_definition name: (_) @name) @definition.module
(theorem name: (_) @name) @definition.constant
(assumption name: (_) @name) @definition.constant

; What stands in quotes uses no name.
(string) @literal
