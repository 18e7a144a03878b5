[(line_comment) (block_comment) (xml_doc)] @comment
(namespace name: (_) @package)
(import_decl (_) @import)

(module_defn (identifier) @name block: (_) @body) @definition.module
(module_defn (identifier) @name) @definition.module
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
(method_or_prop_defn name: (property_or_ident method: (identifier) @name) args: (_)) @definition.method
(method_or_prop_defn name: (property_or_ident method: (identifier) @name)) @definition.property
(method_or_prop_defn name: (property_or_ident . (identifier) @name .) args: (_)) @definition.method
(method_or_prop_defn name: (property_or_ident . (identifier) @name .)) @definition.property

; Functions and values of a module; those inside others are locals.
(module_defn
  block: (declaration_expression
    (function_or_value_defn
      (function_declaration_left . (access_modifier)? . [(identifier) (op_identifier) (active_pattern)] @name)
      body: (_) @body) @definition.function))
(named_module
  (declaration_expression
    (function_or_value_defn
      (function_declaration_left . (access_modifier)? . [(identifier) (op_identifier) (active_pattern)] @name)
      body: (_) @body) @definition.function))
(namespace
  (declaration_expression
    (function_or_value_defn
      (function_declaration_left . (access_modifier)? . [(identifier) (op_identifier) (active_pattern)] @name)
      body: (_) @body) @definition.function))
(file
  (declaration_expression
    (function_or_value_defn
      (function_declaration_left . (access_modifier)? . [(identifier) (op_identifier) (active_pattern)] @name)
      body: (_) @body) @definition.function))
(module_defn
  block: (declaration_expression
    (function_or_value_defn (value_declaration_left (identifier_pattern) @name)) @definition.constant))
(named_module
  (declaration_expression
    (function_or_value_defn (value_declaration_left (identifier_pattern) @name)) @definition.constant))
(file
  (declaration_expression
    (function_or_value_defn (value_declaration_left (identifier_pattern) @name)) @definition.constant))

; What stands in quotes uses no name.
[(string) (triple_quoted_string) (verbatim_string) (char)] @literal
