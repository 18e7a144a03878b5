(comment) @comment
(include_compiler_directive (_) @import)
(package_import_item (package_identifier) @import)

(text_macro_definition (text_macro_name (text_macro_identifier) @name)) @definition.macro
(package_declaration (package_identifier) @name . (_)? @body) @definition.module
(module_declaration
  (module_header (simple_identifier) @name)
  . [(module_ansi_header) (module_nonansi_header)]
  . (_)? @body) @definition.module
(module_declaration (module_header (simple_identifier) @name)) @definition.module
(program_declaration (program_ansi_header (program_identifier) @name)) @definition.module
(interface_declaration
  (interface_ansi_header (interface_identifier) @name)
  . (_)? @body) @definition.interface
(interface_declaration
  (interface_nonansi_header (interface_identifier) @name)
  . (_)? @body) @definition.interface
(class_declaration (class_identifier) @name (class_type)? . (class_item) @body) @definition.class
(class_declaration (class_identifier) @name) @definition.class
(class_constructor_declaration "new" @name) @definition.method
(function_body_declaration
  (function_identifier) @name
  (function_statement_or_null)? @body) @definition.function
(task_body_declaration (task_identifier) @name (statement_or_null)? @body) @definition.function
(class_property (data_declaration
  (list_of_variable_decl_assignments (variable_decl_assignment . (simple_identifier) @name)))) @definition.field
(type_declaration (data_type (enum_name_declaration)) (simple_identifier) @name) @definition.enum
(type_declaration (data_type (struct_union)) (simple_identifier) @name) @definition.struct
(type_declaration (simple_identifier) @name .) @definition.type
(enum_name_declaration (enum_identifier) @name) @definition.constant
(parameter_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @definition.constant
(local_parameter_declaration
  (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @definition.constant

; What stands in quotes uses no name.
(double_quoted_string) @literal
