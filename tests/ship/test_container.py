"""Each step of the Dockerfile, run by an ordinary user in an empty folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import pytest
import yaml

from benchmarks.serving import free_port
from tests.pages import ROOT

#: Steps of the image as root: they create the user who runs this test.
BY_ROOT = ("useradd",)
USER = 1000


def steps():
    """Yield instruction and arguments of each line of the Dockerfile."""
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield tuple(line.split(" ", 1))


@pytest.fixture
def image():
    """An empty folder in place of an image's root, owned by an ordinary user."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def ordinary(folder):
    """Return options to run a process as an ordinary user; {} if root cannot start it."""
    if os.name != "posix" or os.geteuid():
        return {}
    as_user = {"user": USER, "group": USER, "extra_groups": []}
    command = [sys.executable, "-c", "import streamlit"]
    try:
        subprocess.run(command, check=True, capture_output=True, cwd="/", **as_user)
    except (OSError, subprocess.CalledProcessError):  # only root can read this Python
        return {}
    os.chown(folder, USER, USER)
    return as_user


def copy_context(target):
    """Copy the files that .dockerignore allows."""
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line.startswith("!"):
            source, place = ROOT / line[1:], target / line[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, place)


@pytest.mark.skipif(os.name != "posix", reason="an image is Linux")
def test_every_step_of_the_dockerfile_runs_and_the_app_responds_in_public_mode(image):
    ports = "8501", str(free_port())
    inside = re.compile(r"(?<![\w.])/(src|opt|data|tmp)\b")

    def here(text):
        return inside.sub(rf"{image}/\1", text).replace(*ports)

    copy_context(image / "src")
    for name in ("data", "tmp", "opt"):
        (image / name).mkdir()
    user = ordinary(image)
    for path in image.rglob("*") if user else ():
        os.chown(path, USER, USER)
    bin_ = Path(sys.executable).parent
    environment = {
        "PATH": f"{bin_}:/usr/bin:/bin",
        "HOME": str(image),
        # No index is used: the libraries are those of this environment.
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
    }
    how = {"env": environment, "capture_output": True, "text": True, "check": False} | user
    done, health = [], ""
    for instruction, words in steps():
        words = here(words)
        if instruction == "ARG":
            environment |= dict([words.split("=", 1)])
        elif instruction == "ENV":
            former = dict(environment)
            pairs = (pair.split("=", 1) for pair in shlex.split(words))
            environment |= {k: v.replace("$PATH", former["PATH"]) for k, v in pairs}
        elif instruction == "RUN" and not words.startswith(BY_ROOT):
            ran = subprocess.run(words, shell=True, cwd=image, **how)
            assert ran.returncode == 0, (words, ran.stderr)
            if "venv" in words and not done:
                (site,) = image.glob("opt/zslcore/lib/python*/site-packages")
                (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
            done.append(words)
        elif instruction == "HEALTHCHECK":
            health = words.partition("CMD ")[2]
        elif instruction == "CMD":
            command = shlex.split(words.strip("[]").replace(",", " "))
    assert len(done) == 3
    assert environment["ZSL_PUBLIC"] == "1"
    environment["PIP_NO_DEPS"] = ""
    server = subprocess.Popen(
        command, cwd=image / "data", env=environment, stdout=subprocess.DEVNULL, **user
    )
    try:
        until = time.monotonic() + 180
        while subprocess.run(health, shell=True, **how).returncode:
            assert server.poll() is None, "the app has ended"
            assert time.monotonic() < until, "the app does not answer"
            time.sleep(0.2)
    finally:
        server.terminate()
        server.wait()
    assert str(image) in subprocess.run(["zslcore", "doctor"], **how).stdout


def test_servers_of_the_compose_file_are_built_here_and_share_data_and_secret():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    app, proxy = compose["services"]["app"], compose["services"]["proxy"]
    image = dict(steps())
    (data,) = (place.split(":") for place in app["volumes"])
    assert data == ["data", image["VOLUME"]]
    assert "data" in compose["volumes"]
    assert "ports" not in app  # only the proxy can be reached from outside
    environment = app["environment"]
    assert environment["STREAMLIT_SERVER_COOKIE_SECRET"].startswith("${ZSL_SECRET:?")
    (subnet,) = compose["networks"]["default"]["ipam"]["config"]
    assert environment["FORWARDED_ALLOW_IPS"] == subnet["subnet"]
    caddy = compose["configs"][proxy["configs"][0]["source"]]["content"]
    assert f"dynamic a app {image['EXPOSE']}" in caddy
    assert proxy["ports"] == [f"{image['EXPOSE']}:{image['EXPOSE']}"]
    for line in ("max_size 400MB", "lb_policy cookie zsl_server", "lb_try_duration 5s"):
        assert line in caddy
