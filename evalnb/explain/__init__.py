"""What every code means, why it matters and what to do, with a bad and a good example of each."""

from evalnb.explain.base_documents import base_document, document_of
from evalnb.explain.explanation import Example, Explanation, Fragment
from evalnb.explain.registries import REGISTRIES, UnknownCode, codes, explain

__all__ = [
    "REGISTRIES",
    "Example",
    "Explanation",
    "Fragment",
    "UnknownCode",
    "base_document",
    "codes",
    "document_of",
    "explain",
]
