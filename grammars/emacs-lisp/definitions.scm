(comment) @comment
(function_definition docstring: (_) @doc)
(macro_definition docstring: (_) @doc)
(list . (symbol) @_word . (quote (symbol) @import) (#any-of? @_word "require" "load-library"))

(function_definition name: (_) @name parameters: (_) . (_)? @body) @definition.function
(macro_definition name: (_) @name parameters: (_) . (_)? @body) @definition.macro
(special_form . ["defvar" "defconst"] . (symbol) @name) @definition.variable
(list
  . (symbol) @_word
  . [(symbol) @name (list . (symbol) @name)]
  (#any-of? @_word "cl-defstruct" "defclass")) @definition.class
(list
  . (symbol) @_word
  . (symbol) @name
  (#any-of? @_word "cl-defun" "cl-defgeneric" "defgeneric" "define-derived-mode" "define-minor-mode"
    "transient-define-prefix" "transient-define-suffix" "transient-define-infix" "define-inline")) @definition.function
(list . (symbol) @_word . (symbol) @name (#any-of? @_word "cl-defmethod" "defmethod")) @definition.method
(list . (symbol) @_word . (symbol) @name (#any-of? @_word "cl-defmacro")) @definition.macro
(list
  . (symbol) @_word
  . (symbol) @name
  (#any-of? @_word "defcustom" "defgroup" "defface" "defvar-local" "defvar-keymap")) @definition.variable

; What stands in quotes uses no name.
[(string) (char)] @literal
