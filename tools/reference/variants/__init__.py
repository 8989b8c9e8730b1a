"""Why an output is wrong: the reference is run again with one of its operations altered, as a mistake would."""
