[(line_comment) (block_comment) (xml_doc)] @comment
(namespace name: (_) @package)
(import_decl (_) @import)

(module_defn (identifier) @name block: (_) @body) @definition.module
(named_module name: (_) @name) @definition.module
(exception_definition exception_name: (_) @name) @definition.type

(record_type_defn (type_name type_name: (_) @name)) @definition.struct
(record_field (identifier) @name) @definition.field
(union_type_defn (type_name type_name: (_) @name)) @definition.type
(union_type_case (identifier) @name) @definition.constant
(enum_type_defn (type_name type_name: (_) @name)) @definition.enum
(enum_type_case (identifier) @name) @definition.constant
(interface_type_defn (type_name type_name: (_) @name)) @definition.interface
(type_abbrev_defn (type_name type_name: (_) @name)) @definition.type
(delegate_type_defn (type_name type_name: (_) @name)) @definition.type
(anon_type_defn (type_name type_name: (_) @name)) @definition.class

(member_signature (identifier) @name) @definition.method
(value_definition
  (value_declaration_left (_) @name)
  (curried_spec (arguments_spec))) @definition.function
(value_definition (value_declaration_left (_) @name)) @definition.constant

; What stands in quotes uses no name.
[(string) (triple_quoted_string) (verbatim_string) (char)] @literal
