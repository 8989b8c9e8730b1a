"""What data sets are made of: one builder for each part."""
