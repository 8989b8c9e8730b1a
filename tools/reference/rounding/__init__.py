"""How far a sound computation of a reference may be off."""
