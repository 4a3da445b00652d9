"""What do you expect to see?"""

import streamlit as st

from ui import cache
from ui.frame import errors_as_sentences, open_page
from ui.lessons.handing import show_tools
from ui.lessons.place import Place
from ui.lessons.registry import LESSONS
from ui.lessons.stage import show_lesson

header = open_page("Lessons", "What do you expect to see?", icon=":material/cast_for_education:")

place = Place.asked(LESSONS)
if place is None:
    st.markdown(
        "Each step asks for a prediction first, then shows what is computed. The arrow keys go "
        "forward and back. Everything works on the data that come with the app."
    )
    for column, lesson in zip(st.columns(2) * 2, LESSONS.values(), strict=False):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{lesson.title}**")
            st.markdown(f"{lesson.about} {len(lesson.steps)} steps, {lesson.minutes} minutes.")
            if st.button("Begin", key=f"lessons_begin_{lesson.name}", type="primary"):
                Place(lesson.name).go()
    st.stop()

lesson = LESSONS[place.lesson]
with errors_as_sentences():
    if shown := lesson.steps[place.step - 1].data:
        header.mark(*map(cache.dataset, shown))
    show_tools(lesson, place)
    show_lesson(lesson, place)
