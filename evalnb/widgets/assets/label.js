function renderLabel() {}
