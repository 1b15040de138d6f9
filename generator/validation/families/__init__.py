"""One module for each family of measurements."""
