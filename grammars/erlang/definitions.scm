(comment) @comment
(module_attribute name: (_) @package)
(import_attribute module: (_) @import)
(pp_include file: (_) @import)
(pp_include_lib file: (_) @import)
(behaviour_attribute name: (_) @import)

(record_decl name: (_) @name) @definition.struct
(record_decl fields: (record_field name: (_) @name) @definition.field)
(type_alias name: (type_name name: (_) @name)) @definition.type
(opaque name: (type_name name: (_) @name)) @definition.type
(pp_define lhs: (macro_lhs name: (_) @name args: (_))) @definition.macro
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.constant
(callback fun: (_) @name) @definition.function
(fun_decl clause: (function_clause name: (_) @name body: (_) @body)) @definition.function

; What stands in quotes uses no name.
[(string) (char)] @literal
