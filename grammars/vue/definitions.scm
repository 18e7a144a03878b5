; The script's functions and the style's properties and mixins are found by their own grammars.
(comment) @comment
[(script_element (raw_text) @embedded) (style_element (raw_text) @embedded)]
[(template_element) (script_element) (style_element)] @container

; What of the template is code, and the tags and directives that name something of it.
(interpolation (raw_text) @expression)
(directive_attribute (quoted_attribute_value (attribute_value) @expression))
(dynamic_directive_inner_value) @expression
[(start_tag (tag_name) @tag) (self_closing_tag (tag_name) @tag)]
[(directive_name) (directive_value)] @tag

; What an element binds within itself.
(element . (start_tag (directive_attribute . ["#" (directive_name)] @how (quoted_attribute_value (attribute_value) @binding.loop)))
  (#any-of? @how "v-for" "v-slot" "#")) @scope
(element . (self_closing_tag (directive_attribute . ["#" (directive_name)] @how (quoted_attribute_value (attribute_value) @binding.loop)))
  (#any-of? @how "v-for" "v-slot" "#")) @scope
(template_element . (start_tag (directive_attribute . ["#" (directive_name)] @how (quoted_attribute_value (attribute_value) @binding.loop)))
  (#any-of? @how "v-for" "v-slot" "#")) @scope
(ERROR (start_tag (directive_attribute . ["#" (directive_name)] @how (quoted_attribute_value (attribute_value) @binding.loop)))
  (#any-of? @how "v-for" "v-slot" "#")) @scope
