"""What a person asks for in a conversation, as a task."""
