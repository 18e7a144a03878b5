(comment) @comment
(import_directive source: (_) @import)

(contract_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(library_declaration name: (_) @name body: (_) @body) @definition.module
(struct_declaration name: (_) @name body: (_) @body) @definition.struct
(struct_member name: (_) @name) @definition.field
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_value) @name @definition.constant
(event_definition name: (_) @name) @definition.type
(error_declaration name: (_) @name) @definition.type
(user_defined_type_definition name: (_) @name) @definition.type

(contract_body (function_definition name: (_) @name body: (_)? @body) @definition.method)
(function_definition name: (_) @name body: (_)? @body) @definition.function
(modifier_definition name: (_) @name body: (_)? @body) @definition.method
(constructor_definition "constructor" @name body: (_)? @body) @definition.method
(fallback_receive_definition ["receive" "fallback"] @name body: (_)? @body) @definition.method

(constant_variable_declaration name: (_) @name) @definition.constant
(state_variable_declaration "constant" name: (_) @name) @definition.constant
(state_variable_declaration name: (_) @name) @definition.field

; What stands in quotes uses no name.
(string) @literal
