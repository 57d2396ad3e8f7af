"""placeholder"""
class ComparisonTopic:
    pass
