"""Maps on screen: what is on one, the view of it, how far to believe it, hubs and prototypes."""
