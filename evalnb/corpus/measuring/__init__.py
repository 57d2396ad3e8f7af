"""What it takes to measure the packaged contracts: targets, defects, and what such measurements came to."""
