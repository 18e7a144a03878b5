(comment) @comment
(preproc_include path: (_) @import)
(dtsi_include path: (_) @import)

(preproc_def name: (_) @name) @definition.constant
(preproc_function_def name: (_) @name) @definition.macro
; A node is referred to by its label.
(node label: (_) @name) @definition.resource
(node !label name: (identifier) @name) @definition.resource

; What stands in quotes uses no name.
(string_literal) @literal
