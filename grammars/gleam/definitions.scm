[(comment) (module_comment) (statement_comment)] @comment
(import module: (_) @import)

(type_definition (type_name name: (_) @name)) @definition.type
(type_alias (type_name name: (_) @name)) @definition.type
(data_constructor name: (_) @name) @definition.constant
(constant name: (_) @name) @definition.constant
(function name: (_) @name body: (_)? @body) @definition.function

; What stands in quotes uses no name.
(string) @literal
