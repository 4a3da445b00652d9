"""Speed and memory against a plain baseline in the same run; results/ has accuracies."""
