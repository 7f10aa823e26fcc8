"""What it costs to rent a GPU, a YAML file for each date."""
