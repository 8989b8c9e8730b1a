"""What a run leaves on disk: records, effects, checkpoints, model calls, experiences."""
