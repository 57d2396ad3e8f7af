"""The qualification gate: whether a probe may enter the sealed set that a run is scored against. spec: 09 §3"""
