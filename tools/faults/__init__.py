"""Faults put into correct projects, each with the words that name the change that undoes it."""
