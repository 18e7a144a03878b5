(comment) @comment
(directive (string) @import)

(func_def name: (identifier) @name (block)? @body) @definition.function

; What stands in quotes uses no name.
[(string) (regex)] @literal
