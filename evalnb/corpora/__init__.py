"""Many evaluations at once: reading a folder of them, and comparing what they caught."""

from evalnb.corpora.comparison import Comparison, compare
from evalnb.corpora.corpus import Corpus, Scoring
from evalnb.corpora.entries import CorpusEntry
from evalnb.corpora.opening import open_corpus

__all__ = ["Comparison", "Corpus", "CorpusEntry", "Scoring", "compare", "open_corpus"]
