"""The built-in graders, a module a layer of the trajectory."""
