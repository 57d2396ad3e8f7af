"""Scoring: what a sealed run record shows about one probe, from ingest to the verdict ladder. spec: 09

Each module holds one step and is imported by name; `evalnb.engine.scoring` runs them in order.
"""
