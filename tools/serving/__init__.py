"""Start vLLM's OpenAI-compatible server with what this work needs, and stop it again."""
