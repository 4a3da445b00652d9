"""Speed and memory against a plain baseline in the same run; what methods reach, in results/."""
