"""Pictures and files of a pipeline timeline."""
