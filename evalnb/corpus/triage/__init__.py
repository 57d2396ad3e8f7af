"""The packaged example evaluation: a support-desk assistant that files, lists and answers tickets over HTTP."""
