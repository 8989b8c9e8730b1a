"""Calls to a chat model: asked with a retry policy, recorded, traced, streamed, and their replies taken apart."""
