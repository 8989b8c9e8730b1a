"""What a compile and a built library say, as findings with a stable code, a place and a remedy."""
