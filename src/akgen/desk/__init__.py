"""A model's endpoint whose replies are written by hand: requests and replies are files of one folder."""
