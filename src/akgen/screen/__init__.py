"""What a conversation looks like: in plain lines, and as an application in the terminal."""
