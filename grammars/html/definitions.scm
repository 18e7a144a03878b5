; Headings, and elements with an id. Scripts and styles are read by their own grammars.
(comment) @comment
[(script_element (raw_text) @embedded) (style_element (raw_text) @embedded)]
(script_element
  (start_tag
    (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @import)))
  (#eq? @_src "src"))

(element
  (start_tag (tag_name) @_tag)
  (#match? @_tag "^[hH][1-6]$")) @name @definition.section
(element
  (start_tag
    (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  . (_)? @body
  (#eq? @_id "id")) @definition.element
(element
  (self_closing_tag
    (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  (#eq? @_id "id")) @definition.element
