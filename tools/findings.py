"""Write ``data/findings.json``: findings with numbers from the printed tables.

    python -m tools.findings

``data/findings.toml`` has the sentences, with names in braces in place of numbers; this module
computes the numbers, those on the choice of epochs from ``data/measured``. Findings in released
files, which are not part of this repository, have their numbers in the sentences; tests check them
if the files are available.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pandas as pd

from tools.lint import counted_in_tables, images_by_part, variation
from zslcore.analysis.cross_dataset import PRINTED_CLAIM, cross_tests, printed_table
from zslcore.analysis.overlap import GAIN_METHODS, UNTRAINED, OverlapStudy, class_gains, group_gain
from zslcore.analysis.papers.claims import FINDINGS_FILE
from zslcore.analysis.study import SHIPPED
from zslcore.datasets import load
from zslcore.datasets.facts import (
    action_facts,
    class_facts,
    earlier_version,
    published_table,
    published_tables,
)
from zslcore.leakage import get_vocabulary, released_codes
from zslcore.leakage.contamination import cells
from zslcore.leakage.counts import overlaps
from zslcore.metrics import harmonic_mean
from zslcore.numbers import bare_percent
from zslcore.storage.files import FACTS, open_atomically

TEMPLATES = FACTS / "findings.toml"
#: Half of the last printed digit.
HALF = 0.0005


def main() -> None:
    """Write the findings."""
    with open_atomically(FINDINGS_FILE) as file:
        text = json.dumps(findings_of_tables(), ensure_ascii=False, indent=1)
        file.write(text.encode("utf-8") + b"\n")


def findings_of_tables() -> list[dict[str, str]]:
    """Return the findings with their numbers."""
    rows = tomllib.loads(TEMPLATES.read_text(encoding="utf-8"))["finding"]
    numbers = {**_folds(), **_of_tables(), **_other_tests(), **_versions(), **_of_claims()}
    numbers |= _captions() | _balance() | _conclusions() | _census() | _of_epochs() | _related()
    return [
        row | {name: row[name].format(**numbers) for name in ("sentence", "command")}
        for row in rows
    ]


def _quoted(method: str, data: str, section: str) -> str:
    """Return the first number on a method in a section of the benchmark paper's text."""
    rows = published_table("text_figures").query("paper == 'GBU'").astype({"section": str})
    rows = rows[(rows["method"] == method) & (rows["dataset"] == data)]
    return bare_percent(rows[rows["section"] == section]["quoted"].iloc[0])


def _folds() -> dict[str, Any]:
    """Return numbers of training and validation classes, released and printed."""
    printed = published_table("dataset_statistics").set_index("dataset")
    values: dict[str, Any] = {}
    for name in ("SUN", "aPY"):
        fold = class_facts(name).classes["ss_fold1"]
        released = [int((fold == part).sum()) for part in ("train", "val")]
        values[f"{name}_folds"] = " + ".join(map(str, released))
        row = printed.loc[name, ["train_classes", "val_classes"]]
        values[f"{name}_printed"] = " + ".join(map(str, row))
    parts = published_table("imagenet_released").set_index("split")["classes"]
    return values | {"imagenet_val": parts["val"], "imagenet_train": parts["train"]}


def _of_tables() -> dict[str, Any]:
    """Return numbers from the tables and the text of the benchmark paper."""
    zsl = published_table("zsl_top1").set_index(["method", "dataset", "split"])["top1_per_class"]
    gzsl = published_table("gzsl_ps").set_index(["method", "dataset"])
    sse = published_table("reproduction").set_index(["method", "dataset"]).loc[("SSE", "SUN")]
    iap = gzsl.loc[("IAP", "SUN")]
    u, s = iap["unseen"], iap["seen"]
    tests = cross_tests(printed_table())
    return {
        "ale_text": _quoted("ALE", "aPY", "6.3"),
        "ale_table": bare_percent(zsl["ALE", "aPY", "PS"]),
        "ale_awa1": bare_percent(zsl["ALE", "AWA1", "PS"]),
        "ale_awa2": bare_percent(zsl["ALE", "AWA2", "PS"]),
        "sse_text": _quoted("SSE", "SUN", "6.1"),
        "sse_reproduced": bare_percent(sse["reproduced"]),
        "sse_original": bare_percent(sse["original"]),
        "harmonics": len(gzsl),
        "iap_u": bare_percent(u),
        "iap_s": bare_percent(s),
        "iap_low": bare_percent(harmonic_mean(s - HALF, u - HALF), ".2f"),
        "iap_high": bare_percent(harmonic_mean(s + HALF, u + HALF), ".2f"),
        "iap_h": bare_percent(harmonic_mean(s, u)),
        "iap_printed": bare_percent(iap["harmonic"]),
        "p_printed": PRINTED_CLAIM.p,
        "p_training": f"{tests['training set'].p:.3f}",
        "p_test": f"{tests['test set'].p:.5f}",
        "pairs": tests["training set"].pairs,
        "detector_h": bare_percent(gzsl.loc[("CMT*", "CUB"), "harmonic"]),
        "cmt_h": bare_percent(gzsl.loc[("CMT", "CUB"), "harmonic"]),
    }


def _other_tests() -> dict[str, Any]:
    """Return the SUN values of table 2, its test classes in Places, and the videos of HMDB51."""
    two = published_table("reproduction").set_index(["method", "dataset"])["reproduced"]
    stated = published_table("action_text").set_index(["what", "dataset"])["stated"].to_dict()
    cell = cells()["SUN", "SS", "places-205"]
    return {
        "eszsl_reproduced": bare_percent(two["ESZSL", "SUN"]),
        "sync_reproduced": bare_percent(two["SYNC", "SUN"]),
        "sun_tested": cell.classes,
        "places_certain": cell.n_certain,
        "hmdb_released": f"{action_facts('HMDB51').videos.sum():,}",
        "hmdb_stated": f"{stated['videos', 'HMDB51']:,.0f}",
    }


def _versions() -> dict[str, Any]:
    """Return numbers on changes of tables 3 and 6 since the earlier version, and on quotations."""
    moved = published_table("earlier_version")["table"].value_counts()
    now, before = published_table("zsl_top1"), earlier_version("zsl_top1")
    values: dict[str, Any] = {
        "moved_zsl": moved["zsl_top1"],
        "zsl_figures": len(now),
        "moved_gzsl": moved["gzsl_ps"],
        "gzsl_figures": 3 * len(published_table("gzsl_ps")),
        "quotations": len(published_table("text_figures").query("paper == 'CAL'")),
    }
    for version, table in (("now", now), ("before", before)):
        accuracies = table.set_index(["method", "dataset", "split"])["top1_per_class"]
        for method, data in (("DEVISE", "aPY"), ("SYNC", "AWA2"), ("ESZSL", "CUB")):
            values[f"{method}_{version}"] = bare_percent(accuracies[method, data, "PS"])
    crossed = published_table("cross_dataset_awa").set_index(
        ["method", "train_dataset", "test_dataset"]
    )
    for method, data in (("SYNC", "AWA1"), ("SYNC", "AWA2"), ("CONSE", "AWA1"), ("CONSE", "AWA2")):
        cell = crossed.loc[(method, data, data), "top1_per_class"]
        values[f"table4_{method}_{data}"] = bare_percent(cell)
    for version, table in (
        ("now", published_table("gzsl_ps")),
        ("before", earlier_version("gzsl_ps")),
    ):
        for method in ("LATEM", "SJE"):
            row = table.set_index(["method", "dataset"]).loc[(method, "aPY")]
            figures = [bare_percent(row[name]) for name in ("unseen", "seen", "harmonic")]
            values[f"{method}_aPY_{version}"] = " / ".join(figures)
    return values


def _of_claims() -> dict[str, Any]:
    """Return mean ranks of figure 4, and the printed gains of the action paper with word2vec."""
    t = published_table("zsl_mean_ranks").set_index(["split", "method"])["mean_rank"]
    named = {
        "sync_ps": ("PS", "SYNC"),
        "sync_ss": ("SS", "SYNC"),
        "ale_ss": ("SS", "ALE"),
        "ale_ps": ("PS", "ALE"),
        "gfzsl_ps": ("PS", "GFZSL"),
    }
    ranks: dict[str, Any] = {name: f"{t[cell]:.1f}" for name, cell in named.items()}
    ranks["sync_place"] = int(t["PS"].rank()["SYNC"])
    gains: pd.DataFrame = published_table("overlap_gain_action").query("semantics == 'word2vec'")
    low, *higher = gains["overlap_gain_minus_idt"].sort_values()
    return ranks | {
        "w2v_from": bare_percent(min(higher), ".2f"),
        "w2v_to": bare_percent(max(higher), ".2f"),
        "w2v_conse": bare_percent(low, ".2f"),
    }


def _captions() -> dict[str, Any]:
    """Return the counts in captions of the benchmark paper, and the true numbers."""
    values = {}
    tables = {name: published_table(name) for name in published_tables()}
    for row in published_table("captions").to_dict("records"):
        name = str(row["what"]).removeprefix("data ")
        values[f"stated_{name}"] = row["stated"]
        values[f"counted_{name}"] = counted_in_tables(tables, row["what"])
    return values


def _balance() -> dict[str, Any]:
    """Return numbers on the balance of classes, and on table 3 compared to class averages."""
    values: dict[str, Any] = {}
    for name in ("AWA1", "AWA2", "CUB"):
        for part, images in images_by_part(name).items():
            values[f"cv_{part}_{name}"] = f"{variation(images):.3f}"
        tested = images_by_part(name)["test"]
        values |= {f"smallest_{name}": min(tested), f"largest_{name}": f"{max(tested):,}"}
        values[f"ratio_{name}"] = f"{max(tested) / min(tested):.1f}"
    crops = published_table("calibration_10crop").set_index(["method", "dataset"])
    for kind in ("per_class", "per_sample"):
        values[f"linear_{kind}"] = bare_percent(crops.loc[("LinearV2S", "AWA2"), f"zsl_{kind}"])
    for name, rows in crops.groupby("dataset"):
        gaps = [
            (rows[f"{x}_per_sample"] - rows[f"{x}_per_class"]).abs() for x in ("zsl", "harmonic")
        ]
        values[f"gap_{name}"] = bare_percent(pd.concat(gaps).mean())
    return values


def _conclusions() -> dict[str, Any]:
    """Return the numbers that changed a conclusion between versions of the benchmark paper."""
    keys = ["method", "dataset", "split"]
    now, before = (
        table.set_index(keys)["top1_per_class"]
        for table in (published_table("zsl_top1"), earlier_version("zsl_top1"))
    )
    return {
        "devise_before": bare_percent(before["DEVISE", "aPY", "PS"]),
        "devise_now": bare_percent(now["DEVISE", "aPY", "PS"]),
        "ale_before": bare_percent(before["ALE", "aPY", "PS"]),
        "ale_now": bare_percent(now["ALE", "aPY", "PS"]),
        "sync_sun": bare_percent(before["SYNC", "SUN", "SS"]),
        "ale_sun": bare_percent(before["ALE", "SUN", "SS"]),
        "ale_awa": bare_percent(before["ALE", "AWA1", "SS"]),
        "sae_awa": bare_percent(now["SAE", "AWA1", "SS"]),
    }


def _census() -> dict[str, Any]:
    """Count released code bases that choose the epoch on test images; name those that state it."""
    named = {
        row.code for row in released_codes.all_choices() if "test_used_for_selection" in row.says
    }
    return {
        "codes_read": len(released_codes.codes()),
        "codes_test": released_codes.count_codes("epoch")["test"],
        "codes_named": " and ".join(sorted(named)),
    }


def _related() -> dict[str, Any]:
    """Return the number of related classes outside a pre-training set, and their effect.

    The gain is for LinearV2S on the package's simulated AWA2, over 30 draws.
    """
    numbers: dict[str, Any] = {}
    data = load("simulated-AWA2")
    matches = overlaps(data.class_names, get_vocabulary("imagenet-1k"), data.class_names)
    related = [match.number for match in matches if match.group == "related"]
    outside = [match for match in matches if match.group != "in the set"]
    numbers |= {"awa_related": len(related), "awa_outside": len(outside)}
    for dataset in ("UCF101", "HMDB51"):
        facts = action_facts(dataset)
        names, inside = facts.class_names, facts.overlapping["Kinetics-400"]
        groups = [
            overlap.group for overlap in overlaps(names, get_vocabulary("kinetics-400"), names)
        ]
        numbers[f"{dataset}_outside"] = int((~inside).sum())
        outside_groups = [group for group, in_set in zip(groups, inside, strict=True) if not in_set]
        numbers[f"{dataset}_related"] = len(outside_groups) - outside_groups.count("unrelated")
    planted = class_facts("AWA2").classes["imagenet1k"].to_numpy() != ""
    numbers["planted_related"] = int(planted[related].sum())
    baseline = UNTRAINED[data.name]
    in_set = [match.number for match in matches if match.group == "in the set"]
    study = OverlapStudy.of([data, load(baseline)], GAIN_METHODS, in_set, 30)
    table = pd.read_parquet(SHIPPED / study.key / "table0.parquet")
    for name, left_out in (("two", ()), ("three", related)):
        gains = class_gains(table, data.name, baseline, "LinearV2S", data.class_names, left_out)
        gain = group_gain(gains)
        numbers[f"{name}_groups"] = bare_percent(gain.difference)
        numbers[f"{name}_low"], numbers[f"{name}_high"] = map(bare_percent, (gain.low, gain.high))
    return numbers


def _of_epochs() -> dict[str, Any]:
    """Return the gain in H from choosing epochs on the test set, over data sets and methods."""
    table = pd.read_csv(FACTS / "measured" / "epoch_choice.csv", comment="#")
    folds = table[table["metric"] == "calibrated"]
    last = table[table["metric"] == "plain"]
    seeds = sorted(set(table["seeds"]))
    return {
        "epochs_data": "; ".join(dict.fromkeys(table["features"])),
        "epochs_methods": ", ".join(_measured_methods(folds)),
        "epochs_seeds": " to ".join(map(str, dict.fromkeys([seeds[0], seeds[-1]]))),
        "epochs_from": bare_percent(folds["over_folds"].min()),
        "epochs_to": bare_percent(folds["over_folds"].max()),
        "epochs_last_from": bare_percent(last["over_last"].min()),
        "epochs_last_to": bare_percent(last["over_last"].max()),
    }


def _measured_methods(table: pd.DataFrame) -> Iterator[str]:
    """Yield each method, with its data sets if it was not measured on all."""
    every = set(table["dataset"])
    for method, of_method in table.groupby("method", sort=False):
        benchmarks = of_method["dataset"].str.partition("-")[0]
        yield str(method) + f" ({', '.join(benchmarks)} alone)" * (
            set(of_method["dataset"]) != every
        )


if __name__ == "__main__":
    main()
