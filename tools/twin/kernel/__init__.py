"""The device side of an operator: its entry, its compile for each kind of core, its library."""
