"""What is in this data set?"""

import streamlit as st

from ui import controls, tables, uploads
from ui.figures import classes as figures
from ui.figures.cross import image_counts
from ui.figures.splits import split_map
from ui.frame import chart, errors_as_sentences, open_page
from ui.text import plain
from zslcore.analysis import inventory
from zslcore.datasets.facts import benchmark_of, class_facts
from zslcore.exceptions import ZSLError

CLASS_ORDERS = {"as in the file": "given", "by name": "name", "similar together": "similar"}
ATTRIBUTE_ORDERS = {**CLASS_ORDERS, "most telling first": "telling"}
PART_LABELS = {
    "trainval": "trainval",
    "test_seen": "test seen",
    "test_unseen": "test unseen",
    "several": "in several",
    "none": "in none",
}

header = open_page("Data and splits", "What is in this data set?", icon=":material/dataset:")

with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
    dataset = controls.choose_dataset()
    split = controls.choose_split(dataset)
    header.mark(dataset)
benchmark = benchmark_of(dataset.name, dataset.n_classes)
by_class = inventory.class_table(dataset, split)

statistics, counts, attributes, parts, overlap, own = st.tabs(
    ["Statistics", "Images per class", "Attributes", "Split and folds", "Overlap", "Your own"],
    key="data_tab",
    bind="query-params",
)


def show_statistics() -> None:
    """Put the data set's figures beside the papers'."""
    table = inventory.statistics(dataset)
    left, right = st.columns([0.62, 0.38], gap="large")
    with left:
        tables.show(
            table,
            f"{dataset.name}-statistics",
            labels={
                "split": "split",
                "quantity": "figure",
                "here": "here",
                "published": "published",
                "deviation": "deviation",
            },
            percent=["deviation"],
            height="content",
        )
    with right:
        st.markdown(f"**Where it comes from.** {plain(dataset.source)}")
        for part in dataset.splits.values():
            if part.note:
                st.markdown(f"**{plain(part.name)}.** {plain(part.note)}")
        if benchmark is None:
            st.caption("Nobody has published figures of this data set, so there are none beside.")
            return
        if dataset.simulated:
            st.caption(
                f"Class names, counts and class lists are those of {benchmark}; features and "
                "attributes are simulated. The demo size keeps a share of the images, "
                f"`simulated-{benchmark}-full` all of them."
            )
        notes = class_facts(benchmark).notes
        st.caption(f"Images: {notes['images']} ImageNet-1K: {notes['imagenet1k']}")


def show_counts() -> None:
    """Draw the images per class, test classes marked."""
    views = ["largest first", "as in the file", "by name"]
    if benchmark in ("AWA1", "AWA2"):
        views.append("AWA1 beside AWA2")
    view = st.segmented_control(
        "Classes", views, default=views[0], required=True, key="data_order", bind="query-params"
    )
    if view == "AWA1 beside AWA2":
        both = inventory.awa_image_counts()
        chart(
            image_counts(both.rename(columns={"AWA1": "first", "AWA2": "second"}), "AWA1", "AWA2"),
            alt="Images per class of AWA1 beside those of AWA2, 50 classes, largest of AWA2 first; "
            "the unseen ones on a band.",
            key="data_awa",
        )
        st.caption(
            "Counts of the real benchmarks, not of stand-ins. They share classes and attributes; "
            "AWA2's images were collected anew, and some classes changed in size."
        )
        tables.download(both, "AWA1-AWA2-images")
        return
    table = inventory.sorted_classes(by_class, view)
    chart(
        figures.class_counts(table),
        alt=f"Images of each of {len(table)} classes, {view}; unseen classes are hatched.",
        key="data_counts",
    )
    st.caption(
        f"From {table['images'].min():,} to {table['images'].max():,} images per class, "
        f"{int(table['images'].median()):,} in the middle. Accuracy is averaged over classes, so "
        "that large ones do not decide."
    )
    tables.download(by_class, f"{dataset.name}-{split.name}-classes")


def show_attributes() -> None:
    """Draw the descriptions of the classes, searched and ordered."""
    n = dataset.prototypes.shape[1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of_classes = controls.choose("Order of classes", list(CLASS_ORDERS), key="data_class_order")
        of_attributes = controls.choose(
            "Order of attributes", list(ATTRIBUTE_ORDERS), key="data_attribute_order"
        )
        classes = st.text_input(
            "Find classes", key="data_classes", bind="query-params", placeholder="bear, whale"
        )
        words = st.text_input(
            "Find attributes", key="data_attributes", bind="query-params", placeholder="stripes"
        )
        most = st.number_input(
            "At most", 1, n, min(n, 40), key="data_most", bind="query-params", width=130
        )
    table = inventory.attribute_table(
        dataset,
        classes=CLASS_ORDERS[of_classes],
        attributes=ATTRIBUTE_ORDERS[of_attributes],
        only_classes=classes,
        only_attributes=words,
        max_attributes=most,
    )
    if table.empty:
        st.info("No class or no attribute has that in its name.", icon=":material/search_off:")
        return
    role = dict(zip(by_class["class"], by_class["role"], strict=True))
    with st.container(height=600 if len(table) > 26 else "content", border=False):
        chart(
            figures.attribute_map(table, [role[name] for name in table.index]),
            alt=f"Heat map of {table.shape[0]} classes and {table.shape[1]} attributes.",
            key="data_map",
        )
    st.caption(
        f"{table.shape[0]} of {dataset.n_classes} classes, {table.shape[1]} of {n} attributes"
        f"{', those that differ most between classes' if most < n else ''}. :blue[●] seen, "
        ":orange[◆] unseen: a method knows nothing of an unseen class but its line."
    )
    tables.download(table, f"{dataset.name}-attributes", index=True)


def show_parts() -> None:
    """Draw which images train and which test, and what the folds hold out."""
    table = inventory.sorted_classes(by_class, "by role")
    folds = inventory.fold_roles(dataset, split)
    chart(
        split_map(table, folds.iloc[table.index]),
        alt=f"Images of every class by their part in the split {split.name}, and the training and "
        f"validation classes of {folds.shape[1]} folds.",
        key="data_split",
    )
    leaked = int(table["several"].sum())
    if leaked:
        st.warning(
            f"{leaked:,} images are in more than one part: a result on this split is not to be "
            "trusted.",
            icon=":material/warning:",
        )
    st.caption(
        f"{plain(split.note)} Parameters are chosen on the folds: a method trains on a fold's "
        "training classes and is judged on its :green[■] validation classes, which it has not "
        "seen. Test images are not touched for it."
    )
    with st.expander("As a table"):
        tables.show(
            table.join(folds.reset_index(drop=True)),
            f"{dataset.name}-{split.name}-split",
            labels={"class": "class", "role": "role", "images": "images"}
            | PART_LABELS
            | {name: name for name in folds},
        )


def show_overlap() -> None:
    """Flag the unseen classes that the feature extractor had met."""
    if by_class["imagenet1k"].isna().all():
        st.info(
            "Nobody has listed which of these classes a feature extractor was trained on: they "
            "count as unknown, not as clean.",
            icon=":material/help:",
        )
        return
    unseen = inventory.sorted_classes(by_class[by_class["role"] == "unseen"], "largest first")
    known = unseen[unseen["imagenet1k"].astype(bool)]
    st.markdown(
        f"**{len(known)} of {len(unseen)} unseen classes** of the split {plain(split.name)} are "
        "among the 1,000 of ImageNet on which the usual feature extractors were trained"
        + (": the extractor has seen what the method must not." if len(known) else ".")
    )
    chart(
        figures.overlap_counts(unseen),
        alt=f"Images of {len(unseen)} unseen classes; {len(known)} among ImageNet-1K are hatched.",
        key="data_overlap",
    )
    st.caption(
        "“published”: listed by the authors of the benchmark; “name”: a class of ImageNet-1K has "
        "the same name. Of the seen classes "
        f"{(by_class['imagenet1k'].astype(bool) & (by_class['role'] == 'seen')).sum()} are among "
        "them, which is no leak."
    )
    tables.show(
        inventory.sorted_classes(by_class[by_class["imagenet1k"].astype(bool)], "by role")[::-1],
        f"{dataset.name}-{split.name}-overlap",
        labels={
            "class": "class",
            "role": "role",
            "imagenet1k": "known by",
            "images": "images",
        },
    )


def show_own() -> None:
    """Take in features of the visitor's own."""
    bring, explain = st.columns([0.5, 0.5], gap="large")
    with bring:
        _upload_form()
        if uploads.is_local():
            _folder_form()
    with explain:
        _explain_files()


def _upload_form() -> None:
    with st.form("data_upload", border=False):
        files = st.file_uploader(
            "Features, descriptions and split",
            type=list(uploads.ENDINGS),
            accept_multiple_files=True,
            key="data_files",
            help="Two .mat files, one .npz or HDF5 file, or a CSV and a second one for its "
            "prototypes.",
        )
        name = st.text_input("Name", key="data_name", placeholder="after the file")
        unseen = st.text_input(
            "Unseen classes, where the file holds no split",
            key="data_unseen",
            placeholder="zebra, blue whale",
        )
        replace = st.checkbox("Replace an import of this name", key="data_replace")
        wanted = st.form_submit_button("Import", icon=":material/upload:", type="primary")
    if wanted:
        _import(uploads.import_files, files or (), name=name, unseen=unseen, replace=replace)


def _folder_form() -> None:
    with st.expander("From a folder of this computer", expanded=False):
        with st.form("data_folder", border=False):
            folder = st.text_input("Folder", key="data_folder_path", placeholder="/data/xlsa17/CUB")
            with st.container(horizontal=True):
                features = st.text_input(
                    "File of features", "res101.mat", key="data_folder_features"
                )
                splits = st.text_input("File of splits", "att_splits.mat", key="data_folder_splits")
            name = st.text_input("Name", key="data_folder_name", placeholder="after the folder")
            replace = st.checkbox("Replace an import of this name", key="data_folder_replace")
            st.caption(
                "For large files: read where they lie, without an upload. The same as "
                "`python -m zslcore import FOLDER`."
            )
            wanted = st.form_submit_button("Import the folder", icon=":material/folder_open:")
        if wanted:
            _import(
                uploads.import_folder,
                folder,
                features=features,
                splits=splits,
                name=name,
                replace=replace,
            )


def _import(how, *args, **options) -> None:
    """Import and say what came of it; a refusal changes nothing on the page."""
    try:
        with st.spinner("Reading the files …"):
            made = how(*args, **options)
    except ZSLError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    st.success(
        f"Imported {plain(made.name)}: {len(made.labels):,} images, {made.n_classes:,} classes, "
        f"{made.prototypes.shape[1]:,} attributes, split {plain(', '.join(made.splits))}.",
        icon=":material/check:",
    )
    st.button(
        f"Look at {plain(made.name)}",
        icon=":material/arrow_forward:",
        on_click=_look_at,
        args=(made.name,),
    )


def _look_at(name: str) -> None:
    """Choose a data set; a link from a page to itself does nothing."""
    st.session_state.pop("split", None)
    st.session_state["dataset"] = name
    st.session_state["data_tab"] = "Split and folds"


def _explain_files() -> None:
    st.markdown(
        "Features are what an image was turned into before learning starts: one line of numbers "
        "per image. With a description of every class and a split, every page works on them."
    )
    st.caption(
        f"At most {st.get_option('server.maxUploadSize')} MB per file, 4 GB once unpacked. Every "
        "file is read by a separate process that may fail without harm; nothing in it is run."
    )
    for title, code in (
        ("How do I make att_splits.mat and res101.mat?", uploads.MAKE_MAT),
        ("How do I make one .npz file?", uploads.MAKE_NPZ),
        ("How do I make two CSV files?", uploads.MAKE_CSV),
    ):
        with st.expander(title):
            st.code(code, language="python", wrap_lines=True)
    with st.expander("Where are train_loc and val_loc?"):
        st.markdown(
            "Some copies of `att_splits.mat` lack them, and in the first release they hold images "
            "of `test_seen_loc`. Folds are made of the class lists `trainclasses1..3.txt` and "
            "`valclasses1..3.txt` where these are uploaded too, else of `train_loc` and `val_loc`, "
            "else of thirds of the classes; always of trainval images only."
        )


for tab, show in (
    (statistics, show_statistics),
    (counts, show_counts),
    (attributes, show_attributes),
    (parts, show_parts),
    (overlap, show_overlap),
    (own, show_own),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
