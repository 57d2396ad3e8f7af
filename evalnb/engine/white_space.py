"""The white space of ECMAScript, spelled for a Python character class.

Python's own `\\s` and `strip` know other characters (U+001C to U+001F, U+0085) and miss U+FEFF. spec: 04 §5 C29
"""

from __future__ import annotations

WHITE_SPACE = r"\t\n\x0b\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What stands between the brackets of a character class that means `\\s`."""

WHITE_SPACE_CHARACTERS = (
    "\t\n\x0b\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The same characters one by one: what ECMAScript trims."""
