"""Maps on screen: scene, colours, and effects in simulated data."""
