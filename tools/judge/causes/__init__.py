"""Why an output is wrong: detectors that each claim a cause with numbers, and the choice among their claims."""
