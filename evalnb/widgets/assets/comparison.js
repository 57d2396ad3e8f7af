function renderComparison() {} 
