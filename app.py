"""Entry point of the app: the server, and the script that it runs for each visitor."""

import streamlit as st

if __name__ == "__main__":
    from ui.shell.frame import navigate

    navigate()
else:
    from ui.shell.serving import MIDDLEWARE, ready

    app = st.App(__file__, middleware=MIDDLEWARE, lifespan=ready)
