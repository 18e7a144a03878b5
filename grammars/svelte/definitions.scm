; The script's functions and the style's properties and mixins are found by their own grammars.
(comment) @comment
[(script_element (raw_text) @embedded) (style_element (raw_text) @embedded)]
[(script_element) (style_element)] @container
(snippet_start (snippet_name) @name) @definition.function

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

; What a block or element binds within itself.
(each_statement . (each_start "as" . (svelte_raw_text) @binding.pattern)) @scope
(await_statement . (await_start (svelte_raw_text) @binding.await)) @scope
(then_block . (then_start (svelte_raw_text) @binding.pattern)) @scope
(catch_block . (catch_start (svelte_raw_text) @binding.pattern)) @scope
(snippet_statement . (snippet_start (svelte_raw_text) @binding.pattern)) @scope
(element . (start_tag (attribute (attribute_name) @how) @binding.let) (#match? @how "^let:")) @scope
(_ (const_tag (svelte_raw_text) @binding.const)) @scope
