(comment) @comment
(command
  name: (word) @_word
  argument: (word) @import
  (#any-of? @_word "source" "."))

(function_definition
  name: (_) @name
  [(word) (single_quote_string) (double_quote_string)]*
  . [(command) (if_statement) (for_statement) (while_statement) (switch_statement)
     (begin_statement) (conditional_execution) (pipe) (redirect_statement)] @body) @definition.function
(function_definition name: (_) @name) @definition.function
; A name set for other files: `set -g name value`, `set -gx name value`.
(program
  (command
    name: (word) @_word
    . argument: (word) @_option
    . argument: (word) @name
    (#eq? @_word "set")
    (#match? @_option "^-(-global|-universal|-export|[gUx]+)$")) @definition.variable)

; What stands in single quotes uses no name.
(single_quote_string) @literal
