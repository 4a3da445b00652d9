"""Tables and results in, figures as plain dicts out; one kind of picture a file, no Streamlit."""
