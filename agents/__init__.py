"""Who decides: planner, coder and critic, the composer, and chat models."""
