; The script's functions and the style's properties and mixins are found by their own grammars.
(comment) @comment
[(script_element (raw_text) @embedded) (style_element (raw_text) @embedded)]
[(script_element) (style_element)] @container
(snippet_start (_) @name) @definition.function

; What of the markup is code, and the tags and directives that name something of it.
[
  (expression (svelte_raw_text) @expression)
  (attribute_name (svelte_raw_text) @expression)
  (if_start (svelte_raw_text) @expression)
  (else_if_start (svelte_raw_text) @expression)
  (key_start (svelte_raw_text) @expression)
  (await_start (svelte_raw_text) @expression)
  (html_tag (svelte_raw_text) @expression)
  (const_tag (svelte_raw_text) @expression)
  (render_tag (svelte_raw_text) @expression)
]
(each_start (block_start_tag) . (svelte_raw_text) @expression)
[(start_tag (tag_name) @tag) (self_closing_tag (tag_name) @tag)]
(attribute_name) @tag
