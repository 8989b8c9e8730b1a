"""From the graph to loop nests that hold for all cases of a task."""
