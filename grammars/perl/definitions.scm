(comments) @comment
(source_file (package_statement (package_name) @package))
(pod_statement) @comment
; Pragmas are written in lower case.
(use_no_statement package_name: (_) @import (#match? @import "^[A-Z]"))
(require_statement package_name: (_) @import)

(package_statement (package_name) @name body: (_) @body) @definition.module
; A package without a block ends with its file.
(source_file
  (package_statement (package_name) @name) @definition.module
  . (_) @body
  (_) @definition.module .)
(source_file (package_statement (package_name) @name) @definition.module (_) @definition.module .)
(function_definition name: (_) @name body: (_) @body) @definition.function
(use_constant_statement constant: (_) @name) @definition.constant
(source_file
  (_ (variable_declaration (scope) @_scope variable_name: (_) @name) (#eq? @_scope "our")) @definition.variable)
; An attribute of Moose, Moo or Mojo: `has items => (is => 'rw')`.
(call_expression_with_spaced_args
  (call_expression_with_bareword function_name: (identifier) @_word)
  args: (arguments . (_) @name)
  (#eq? @_word "has")) @definition.property

; What stands in quotes uses no name.
[(string_single_quoted) (special_literal)] @literal
