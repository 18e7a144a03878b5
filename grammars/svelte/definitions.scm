; The script's functions and the style's properties and mixins are found by their own grammars.
(comment) @comment
[(script_element (raw_text) @embedded) (style_element (raw_text) @embedded)]
[(script_element) (style_element)] @container
(snippet_start (_) @name) @definition.function
