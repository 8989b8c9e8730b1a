"""Make a correct kernel faster: what might help, how much it should bring, and the change that tries it."""
