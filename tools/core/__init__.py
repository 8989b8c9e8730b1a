"""Values that every room speaks of: projects, calls, outcomes, verdicts, profiles; and the interface of toolchains."""
