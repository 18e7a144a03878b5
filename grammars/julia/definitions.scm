; A doc string stands above what it describes, as a comment would.
[(line_comment) (block_comment)] @comment
((string_literal) @comment
  .
  [
    (function_definition) (macro_definition) (struct_definition) (abstract_definition) (module_definition)
    (const_statement) (assignment) (macrocall_expression) (identifier) (call_expression)
  ])
(using_statement [(identifier) (scoped_identifier) (import_path)] @import)
(import_statement [(identifier) (scoped_identifier) (import_path)] @import)
(selected_import . (_) @import)
(call_expression
  . (identifier) @_include
  (argument_list . (string_literal (content) @import) .)
  (#eq? @_include "include"))

(module_definition name: (_) @name . (_)? @body) @definition.module

(struct_definition
  (type_head
    [
      (identifier) @name
      (_ . (identifier) @name)
      (_ . (_ . (identifier) @name))
    ])
  . (_)? @body) @definition.struct
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (assignment . (typed_expression . (identifier) @name)) @definition.field)
(struct_definition (identifier) @name @definition.field)
(abstract_definition
  (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @definition.type
(primitive_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @definition.type

(macro_definition (signature (call_expression . (identifier) @name)) . (_)? @body) @definition.macro

; `f(x)`, `f(x)::T`, `f(x) where T`, `Base.f(x)`: the longer forms wrap the call, once or twice.
(function_definition
  (signature
    [
      (identifier) @name
      (call_expression . [(identifier) (operator)] @name)
      (call_expression . (field_expression value: (_) @owner (identifier) @name))
      (call_expression . (parametrized_type_expression . (identifier) @name))
      (_ . (call_expression . [(identifier) (operator)] @name))
      (_ . (call_expression . (field_expression value: (_) @owner (identifier) @name)))
      (_ . (call_expression . (parametrized_type_expression . (identifier) @name)))
      (_ . (_ . (call_expression . [(identifier) (operator)] @name)))
      (_ . (_ . (call_expression . (field_expression value: (_) @owner (identifier) @name))))
    ])
  . (_)? @body) @definition.function
(assignment
  .
  [
    (call_expression . [(identifier) (operator)] @name)
    (call_expression . (field_expression value: (_) @owner (identifier) @name))
    (_ . (call_expression . [(identifier) (operator)] @name))
    (_ . (call_expression . (field_expression value: (_) @owner (identifier) @name)))
    (_ . (_ . (call_expression . [(identifier) (operator)] @name)))
  ]
  (operator)
  (_) @body) @definition.function
(source_file (assignment . (identifier) @name (arrow_function_expression)) @definition.function)
(module_definition (assignment . (identifier) @name (arrow_function_expression)) @definition.function)

(const_statement
  (assignment . [(identifier) @name (_ . (identifier) @name)])) @definition.constant
(source_file (assignment . (identifier) @name) @definition.variable)
(module_definition (assignment . (identifier) @name) @definition.variable)
(global_statement (assignment . (identifier) @name)) @definition.variable

; `@enum Status open paid`, `@testset "what it does" begin … end`
(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])
  (#eq? @_macro "enum")) @definition.enum
(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list (_) (identifier) @name @definition.constant)
  (#eq? @_macro "enum"))
(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list . (string_literal (content) @name))
  (#eq? @_macro "testset")) @definition.function

; What stands in quotes uses no name.
[(string_literal (content) @literal) (command_literal (content) @literal) (character_literal) @literal]
