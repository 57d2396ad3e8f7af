"""Record an agent's run through a proxy before its tool server, inject faults there, and replay recordings."""
