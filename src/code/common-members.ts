/** Every library's own types have members of these names. */
export const COMMON_MEMBERS: ReadonlySet<string> = new Set(
  `map filter forEach find some every reduce push pop shift slice splice join split get set has add delete clear keys
  values entries length size name value type id data key index then catch finally toString valueOf includes indexOf
  concat sort reverse trim replace match test exec close open read write append extend insert remove update items copy
  count format equals hashCode clone iter next into from unwrap len is_empty as_ref to_string collect each first last
  message code path text start end line print println log error info warn debug apply call bind run`.split(
    /\s+/,
  ),
)
