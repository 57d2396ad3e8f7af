"""Ports made real: what the engine asks for, answered from files, processes and the network."""
