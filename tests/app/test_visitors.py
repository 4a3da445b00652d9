"""Owners of imports: everybody on a local server, a session or a group on a public server."""

import io
import tomllib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import streamlit as st

from tests.datasets.test_table import ARRAYS
from tests.pages import ROOT, visit
from ui.intake import uploads
from ui.shell import visitors
from zslcore import datasets
from zslcore.datasets import import_dataset, imports
from zslcore.exceptions import ZSLError

pytestmark = pytest.mark.usefixtures("own_data")

PAGE = "splits"


@pytest.fixture
def public(monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")


@pytest.fixture
def files():
    result = io.BytesIO()
    np.savez(result, **ARRAYS)
    return [("mine.npz", result.getvalue(), "application/octet-stream")]


def with_dialog(app):
    """Press Import next to the menu of data sets."""
    return app.button(key="import_offer").click().run()


def bring(files, **fields):
    app = with_dialog(visit(PAGE))
    for key, value in fields.items():
        app.text_input(key=key).set_value(value).run()
    app.file_uploader(key="data_files").set_value(files).run()  # imported at once
    assert not app.exception
    assert not app.error
    return app


def offered(app):
    return [name for name in app.selectbox(key="dataset_menu").options if name.startswith("mine")]


def test_on_a_local_server_every_visitor_sees_every_import(files):
    bring(files)
    assert offered(visit(PAGE)) == ["mine"]


@pytest.mark.usefixtures("public")
def test_on_a_public_server_an_import_is_visible_only_to_its_owner(files):
    app = bring(files)
    ((name,), stranger) = imports.names(), visit(PAGE)
    assert name.startswith("mine.v-")
    assert offered(app.run()) == [name]
    assert offered(stranger) == []
    assert offered(visit(PAGE, dataset=name)) == []  # a link does not offer it, either
    other = bring(files)  # this import does not replace the first one
    assert len(imports.names()) == 2
    assert len(offered(other.run())) == 1


@pytest.mark.usefixtures("public")
def test_on_a_public_server_a_group_shares_its_imports(files):
    words = "correct horse battery"
    bring(files, data_group=words)
    (name,) = imports.names()
    assert words not in name
    member, stranger = (with_dialog(visit(PAGE)) for _ in range(2))
    member.text_input(key="data_group").set_value(words).run()
    stranger.text_input(key="data_group").set_value("wrong horse battery").run()
    assert offered(member.run()) == [name]
    assert offered(stranger.run()) == []
    stranger.text_input(key="data_group").set_value("short").run()
    stranger.file_uploader(key="data_files").set_value(files).run()
    assert "at least 12 characters" in stranger.error[0].value


@pytest.mark.usefixtures("public")
def test_the_key_of_a_group_depends_on_the_data_folder(files, tmp_path, monkeypatch):
    words, keys = "correct horse battery", set()
    for folder in ("one", "two"):
        monkeypatch.setenv("ZSL_DATA", str(tmp_path / folder))
        bring(files, data_group=words)
        keys.add(imports.names()[0].partition(".v-")[2])
        assert (tmp_path / folder / visitors.SALT).stat().st_mode & 0o077 == 0
    assert len(keys) == 2


def test_two_servers_agree_on_the_salt(tmp_path):
    path = tmp_path / "salt"
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(visitors._salt, [path] * 16))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["salt"]
    path.write_bytes(b"cut")
    with pytest.raises(ZSLError, match="expected 32 bytes; got 3"):
        visitors._salt(path)


@pytest.mark.usefixtures("public")
def test_imports_without_a_passphrase_are_deleted_after_the_visit(files, tmp_path):
    bring(files)
    np.savez(tmp_path / "kept.npz", **ARRAYS)
    import_dataset(tmp_path / "kept.npz")
    st.cache_resource.clear()  # this ends the visit
    assert imports.names() == ("kept",)
    assert len(list((tmp_path / "data" / "imported").glob("*/"))) == 1


@pytest.mark.usefixtures("public")
def test_on_a_public_server_no_visitor_is_local(monkeypatch):
    monkeypatch.setattr(uploads, "names_this_machine", lambda headers: True)
    assert not uploads.is_local()


def test_the_app_is_served_to_this_machine_by_default():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    for file in ("SECURITY.md", "README.md"):
        assert "ZSL_PUBLIC" in (ROOT / file).read_text()


class Named(io.BytesIO):
    def __init__(self, name, content):
        super().__init__(content)
        self.name = name


def test_file_names_of_any_length_and_script_are_accepted(files):
    content = files[0][1]
    for name in ("é" * 300 + ".npz", "数据.npz", "数据二.npz"):
        uploads.import_files([Named(name, content)])
    assert {"imported", "imported-2"} <= set(datasets.available())


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        *((name, "Expected the path") for name in ("~nobody-of-this-name/x", "x" * 5000, "a\0b")),
        ("/nowhere/at/all", "expected a folder"),
    ],
    ids=["home", "long", "null", "missing"],
)
def test_an_impossible_folder_is_refused_in_one_sentence(folder, sentence):
    with pytest.raises(ZSLError, match=sentence):
        uploads.import_folder(folder, features="res101.mat", splits="att_splits.mat")


def test_a_browser_is_recognised_after_its_cookie_is_renewed():
    first = "2|d3490adb|fd852bd36092674a328b6a03198827f2|1795308179"
    again = "2|8d2b0155|a3e7205d3ef06cc46ce9618d47ea2c7c|1795308179"
    assert visitors.token(first) == visitors.token(again) != visitors.token("2|d3490adb|00|1")
    assert visitors.token("another server's") == "another server's"
    assert visitors.token("") == ""
