"""What writes the facts under ``data/`` again, from the sources that their README names."""
