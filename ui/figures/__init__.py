"""Tables and results in, Plotly figures out; one kind of picture a file, no Streamlit."""
