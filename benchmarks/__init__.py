"""Speed and memory benchmarks against plain baselines; results/ has accuracies."""
