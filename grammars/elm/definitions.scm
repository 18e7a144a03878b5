[(line_comment) (block_comment)] @comment
(module_declaration name: (upper_case_qid) @package)
(import_clause moduleName: (upper_case_qid) @import)

(type_alias_declaration name: (upper_case_identifier) @name) @definition.type
(type_declaration name: (upper_case_identifier) @name) @definition.type
(union_variant name: (upper_case_identifier) @name) @definition.constant
(port_annotation name: (lower_case_identifier) @name) @definition.function
(file
  (value_declaration
    functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)
    body: (_) @body) @definition.function)

; What stands in quotes uses no name.
[(string_constant_expr) (char_constant_expr)] @literal
