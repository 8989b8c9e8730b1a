"""Train models to write kernels: pairs, tokenizer, SFT, preferences, reinforcement, evaluation."""
