"""Components that Streamlit does not have."""
