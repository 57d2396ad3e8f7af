"""A suite of cases and recorded runs of a small orders agent, two releases of it, and the script that records them."""
