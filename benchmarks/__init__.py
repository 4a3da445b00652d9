"""Speed and memory claims, each measured against a plain baseline in the same run."""
