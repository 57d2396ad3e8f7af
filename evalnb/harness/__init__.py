"""Drives a system under test: runs a contract's plan, plants defects, and counts which of them the contract catches."""
