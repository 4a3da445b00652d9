"""Feature matrices: views of rows with a scaling, walked in blocks, and checks of arrays."""
