"""The white space of ECMAScript, spelled for a Python character class.

Python's own `\\s` and `strip` know other characters (U+001C to U+001F, U+0085) and miss U+FEFF. spec: 04 §5 C29
"""

from __future__ import annotations

WHITE_SPACE = r"\t\n\x0b\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What stands between the brackets of a character class that means `\\s`."""
