"""Parts of the screen that Streamlit does not have."""
