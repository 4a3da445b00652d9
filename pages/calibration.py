"""What does penalising seen classes trade?"""
import streamlit as st
from ui.frame import open_page, errors_as_sentences
from ui import cache, controls
header = open_page("Calibration", "What does penalising seen classes trade?", icon=":material/tune:")
with errors_as_sentences():
    spec = controls.choose_run()
    header.mark(cache.dataset(spec.dataset))
    r = cache.result(spec)
st.write(r.row())
