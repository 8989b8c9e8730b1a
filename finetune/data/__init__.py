"""Data sets of verified records: build, mix, certify, describe, export, and judge again from the stored text."""
