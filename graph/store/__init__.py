"""What a run leaves on disk: records, files, events, effects, checkpoints, model calls, patterns learnt."""
