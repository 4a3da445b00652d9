"""Map of test classes in pre-training sets; a result on such classes is not zero-shot.

The evidence is in four files under ``data/``; contributors may add rows to the first three:

- ``contamination.csv``: published extractors, their pre-training sets, and the sources;
- ``contamination_sets.csv``: pre-training sets, and the lists of their classes where available;
- ``contamination_printed.csv``: copies of test images that papers count in pre-training sets;
- ``contamination_counts.csv``: for each list and benchmark, number and names of the test classes
  that the list has; written by ``tools/contamination.py``.

A cell of the map is a pair of a test set and a pre-training set. Its classes are matched as in the
audit (:mod:`zslcore.leakage.matching`): a class in both is *certain*, a related class is *possible*
until a person decides. A class that a paper lists (:mod:`zslcore.leakage.paper_lists`) counts as
in the set. A pre-training set without a public list of classes stays *unknown*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.class_lists import ClassList
from zslcore.datasets.class_rows import are_codes
from zslcore.datasets.facts import (
    ACTION_SETS,
    benchmark_classes,
    published_table,
    unseen_classes,
    zsl220,
)
from zslcore.datasets.open_world import open_world_sets
from zslcore.exceptions import closest_name
from zslcore.leakage.counts import describe_papers, overlaps
from zslcore.leakage.matching import BROADER_STEPS
from zslcore.leakage.paper_lists import IMAGES, paper_lists, papers_of_classes
from zslcore.leakage.report import Finding, ReportMetric, trained_classes
from zslcore.leakage.vocabularies import (
    NOTHING,
    Vocabulary,
    get_vocabulary,
    id_of,
    is_understood,
    wordnet,
)
from zslcore.names import dictionary_form, spaced_name, squeeze
from zslcore.numbers import counted, percent
from zslcore.storage.files import FACTS, read_csv_rows
from zslcore.storage.tables import frame
from zslcore.texts import listed, refusal_of

if TYPE_CHECKING:
    import pandas as pd

#: Annotation of the training examples of an extractor.
Annotation = Literal["classes", "captions", "none"]
Kind = Literal["image", "video"]

EXTRACTORS, SETS = FACTS / "contamination.csv", FACTS / "contamination_sets.csv"
#: Printed numbers of copies of test images in pre-training sets.
PRINTED = FACTS / "contamination_printed.csv"
#: Separator between the pre-training sets of one extractor.
SET_SEPARATOR = " + "
#: State of a cell or an answer, worst first.
OverlapState = Literal["overlap", "unknown", "possible", "none"]
OVERLAP_STATES: tuple[OverlapState, ...] = get_args(OverlapState)
COUNTS = FACTS / "contamination_counts.csv"
#: Columns with numbers of classes; "certain_classes" and "possible_classes" have the names.
COUNT_COLUMNS = ("certain", "possible")
#: Columns of the map with numbers of classes, from the comparison and the papers combined.
MAP_COLUMNS = ("in_set", "related")
#: Separator between names of classes in a cell of the table.
NAME_SEPARATOR = "; "
#: Title of a row of the map -> further titles of the same classes.
_FURTHER_TITLES = (("AWA1 and AWA2", "AWA1"), ("AWA1 and AWA2", "AWA2"))
#: Title of the largest test set of ImageNet: all classes of ImageNet-21K outside ImageNet-1K.
IMAGENET = "ImageNet"


# --- Extractors and pre-training sets -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PretrainingSet:
    """A pre-training set; ``vocabulary`` names the list of its classes, if any.

    ``n_classes`` is None if the set has no classes or their number is not stated.
    """

    name: str
    title: str
    n_classes: int | None
    vocabulary: str
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Extractor:
    """Published feature extractor; ``pretraining`` are its pre-training sets, in training order."""

    name: str
    kind: Kind
    pretraining: tuple[str, ...]
    labels: Annotation
    source: str
    url: str


@cache
def pretraining_sets() -> Mapping[str, PretrainingSet]:
    """Return the pre-training sets by name."""
    return {
        name: PretrainingSet(name, title, int(n) if n else None, vocabulary, source, url)
        for name, title, n, vocabulary, source, url in map(dict.values, read_csv_rows(SETS))
    }


def metric_of_trained_classes(
    finding: Finding, vocabularies: Sequence[str], *, is_assumed: bool = False
) -> ReportMetric:
    """Return the count of :func:`.find_trained_classes` ("2 of 10"), with the sets as its note."""
    if finding.mark == "open" and "classes" not in finding.numbers:
        return trained_classes(note=finding.sentence.rstrip("."))
    related = int(finding.numbers["related"])
    note = titles_of_sets(vocabularies, is_assumed=is_assumed)
    if related:
        note += f"; {counted(related, 'class', 'classes')} may be related"
    return trained_classes(f"{len(finding.classes)} of {finding.numbers['classes']}", note)


def titles_of_sets(vocabularies: Sequence[str], *, is_assumed: bool = False) -> str:
    """Return the titles of pre-training sets in a note: ``ImageNet-1K (assumed)``."""
    sets = pretraining_sets()
    titles = [sets[name].title if name in sets else name for name in vocabularies]
    return ", ".join(titles) + " (assumed)" * is_assumed


@cache
def extractors() -> Mapping[str, Extractor]:
    """Return the published extractors, by name."""
    # tools/contamination.py checks the values.
    rows: Any = map(dict.values, read_csv_rows(EXTRACTORS))
    return {
        name: Extractor(name, kind, tuple(pretraining.split(SET_SEPARATOR)), labels, source, url)
        for name, kind, pretraining, labels, source, url in rows
    }


def find_extractor(name: str) -> Extractor:
    """Return a published extractor, ignoring case and hyphens, or raise UnknownNameError.

    An entry for two networks is found by either name: "vgg19" returns "VGG-16 and VGG-19".
    """
    if name in extractors():
        return extractors()[name]
    for extractor in extractors().values():
        if squeeze(name) in map(squeeze, (extractor.name, *extractor.name.split(" and "))):
            return extractor
    raise closest_name("extractor", name, extractors())


@dataclass(frozen=True, slots=True)
class PrintedOverlap:
    """Copies of test images in a pre-training set, as printed in its paper.

    ``share`` is the fraction of test images with a copy; ``gain`` is the gain in accuracy, a
    fraction.
    """

    pretraining: str
    dataset: str
    share: float
    gain: float | None
    source: str
    url: str


@cache
def printed_overlaps(pretraining: str) -> tuple[PrintedOverlap, ...]:
    """Return the printed overlaps between a pre-training set and test images."""
    return tuple(
        PrintedOverlap(
            name, data, float(share) / 100, float(gain) / 100 if gain else None, source, url
        )
        for name, data, share, gain, source, url in map(dict.values, read_csv_rows(PRINTED))
        if name == pretraining
    )


# --- Test sets and their cells --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TestSet:
    """Test classes of a reported result; ``split`` is empty if all classes are tested.

    ``context`` are all classes of the data set, which decide the meaning of ambiguous names;
    ``synsets`` are the WordNet ids of ``classes``, if known for certain; ``not_understood`` are the
    classes that are not in WordNet; ``read_as`` is a sentence on the position of the names in a
    file.
    """

    dataset: str
    split: str
    classes: tuple[str, ...]
    context: tuple[str, ...]
    synsets: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    read_as: str = ""

    def __str__(self) -> str:
        return f"{self.dataset}, {self.split}" if self.split else self.dataset


@dataclass(frozen=True, slots=True)
class OverlapCell:
    """Pair of a test set and a pre-training set, with the certain and possible common classes.

    ``certain`` and ``possible`` are the results of comparing names, and None if there is no list
    of classes or they are not counted; ``printed`` is None if no paper compared the two sets, and
    empty if it lists no common class. Answers, the map and the command line count ``in_set`` and
    ``related``, which combine both sources.
    """

    dataset: str
    split: str
    pretraining: str
    classes: int
    certain: tuple[str, ...] | None
    possible: tuple[str, ...] | None
    n_certain: int = 0
    n_possible: int = 0
    printed: tuple[str, ...] | None = None
    printed_in: str = ""

    @property
    def in_set(self) -> tuple[str, ...]:
        """Test classes in the pre-training set, by comparison or according to a paper."""
        return tuple(dict.fromkeys((*(self.certain or ()), *(self.printed or ()))))

    @property
    def related(self) -> tuple[str, ...]:
        """Test classes with a related class in the pre-training set, without those in it."""
        return tuple(name for name in self.possible or () if name not in self.in_set)

    @property
    def n_in_set(self) -> int:
        """Number of classes in the set; the names of large test sets are not stored."""
        return max(self.n_certain, len(self.in_set))

    @property
    def n_related(self) -> int:
        """Number of related classes that are not in the set."""
        return self.n_possible - len(self.possible or ()) + len(self.related)

    @property
    def state(self) -> OverlapState:
        """State of the overlap according to the lists and the papers."""
        if self.n_in_set:
            return "overlap"
        if self.certain is None:
            return "unknown" if self.printed is None else "none"
        return "possible" if self.n_related else "none"


@cache
def test_sets() -> tuple[TestSet, ...]:
    """Return the test sets of the map, benchmark by benchmark."""
    tests = []
    for title, benchmark in IMAGES.items():
        names = benchmark_classes(benchmark)
        tests += [TestSet(title, s, unseen_classes(benchmark, s), names) for s in ("SS", "PS")]
    in_1k = {entry.synset for entry in get_vocabulary("imagenet-1k").entries}
    entries = [e for e in get_vocabulary("imagenet-21k").entries if e.synset not in in_1k]
    names = tuple(entry.names[0] for entry in entries)
    tests.append(TestSet(IMAGENET, "21K", names, (), tuple(entry.synset for entry in entries)))
    listed_actions = published_table("overlap_action")
    for dataset in ACTION_SETS:
        class_column = listed_actions["class"][listed_actions["dataset"] == dataset]
        names = tuple(dict.fromkeys(class_column))
        tests.append(TestSet(dataset, "", names, names))
    return tuple(tests)


def find_test_set(title: str) -> TestSet:
    """Return a test set of the map by its title, such as "CUB, PS" or "AWA2, PS".

    Further titles are those of base-to-new tests ("oxford_pets", "oxford_pets, new") and of
    zero-shot tests on Kinetics-600 ("Kinetics-600, ZSL220", "Kinetics-600, ZSL220 1"); the cells of
    these sets are counted when needed.
    """
    test_of_title = {str(test_set): test_set for test_set in test_sets()}
    for name, class_set in open_world_sets().items():
        parts = (("", class_set.class_names), ("new", class_set.new))
        sets_of_name = [
            TestSet(name, part, classes, class_set.class_names) for part, classes in parts
        ]
        test_of_title |= {
            str(test_set): test_set
            for test_set in sets_of_name
            if test_set.dataset != "ucf101" or test_set.split
        }
    actions = zsl220().class_names
    sets_of_name = [TestSet("Kinetics-600", "ZSL220", actions, actions)]
    sets_of_name += [
        TestSet("Kinetics-600", f"ZSL220 {s}", zsl220().test_classes(s), actions) for s in (1, 2, 3)
    ]
    test_of_title |= {str(test_set): test_set for test_set in sets_of_name}
    test_of_title |= {
        f"{name}, {s}": test_of_title[f"{title}, {s}"]
        for title, name in _FURTHER_TITLES
        for s in ("SS", "PS")
    }
    if title not in test_of_title:
        raise closest_name("test set", title, test_of_title)
    return test_of_title[title]


@cache
def cells() -> Mapping[tuple[str, str, str], OverlapCell]:
    """Return every cell of the map by data set, split and pre-training set."""
    counts = {(r["dataset"], r["split"], r["pretraining"]): r for r in read_csv_rows(COUNTS)}
    cell_of_key = {}
    for tested in test_sets():
        for pretraining in pretraining_sets().values():
            key = (tested.dataset, tested.split, pretraining.name)
            cell = OverlapCell(*key, len(tested.classes), None, None)
            if row := counts.get(key):
                certain, possible = (_names(row[f"{how}_classes"]) for how in COUNT_COLUMNS)
                n_certain, n_possible = (int(row[how]) for how in COUNT_COLUMNS)
                cell = OverlapCell(*key, cell.classes, certain, possible, n_certain, n_possible)
            names, where = _papers_list(tested, pretraining.name)
            cell_of_key[key] = replace(cell, printed=names, printed_in=where)
    return cell_of_key


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(NAME_SEPARATOR)) if text else ()


def _papers_list(tested: TestSet, pretraining: str) -> tuple[tuple[str, ...] | None, str]:
    """Return the test classes that a paper lists in a pre-training set, and the paper.

    The classes are None if no paper compared the two sets.
    """
    names, paper = paper_lists().get((tested.dataset, pretraining), (None, ""))
    return (None if names is None else tuple(n for n in tested.classes if n in names)), paper


def test_set_of_dataset(dataset: ZSLDataset, split: Split) -> TestSet:
    """Return the unseen classes of a split as a test set."""
    names = tuple(spaced_name(name) or name for name in dataset.class_names)
    tested = tuple(names[c] for c in split.unseen_classes)
    return TestSet(dataset.name, split.name, tested, names, (), _find_not_understood(tested))


def _find_not_understood(names: Sequence[str]) -> tuple[str, ...]:
    coded = are_codes(names)
    return tuple(name for name in names if coded or not is_understood(name))


def own_test_set(name: str, classes: Sequence[str] | ClassList) -> TestSet:
    """Return a user's classes as a test set; a bare WordNet id is followed by its first word.

    Raises FileRefusedError if there are no classes, or if only some have a WordNet id.
    """
    listed_ = classes if isinstance(classes, ClassList) else ClassList(tuple(classes))
    names = tuple(dict.fromkeys(n if id_of(n) else spaced_name(n) for n in listed_.names))
    if not names:
        raise refusal_of(name, "the names of the test classes", "none")
    ids = tuple(filter(None, map(id_of, names)))
    if len(ids) not in (0, len(names)):
        raise refusal_of(
            name, "a WordNet id for all classes or for none", f"{len(ids):,} of {len(names):,}"
        )
    if ids:
        named = dict(zip(ids, names, strict=True))
        ids = tuple(named)
        names = tuple(_with_word(i) if n == i else n for i, n in named.items())
    return TestSet(name, "", names, names, ids, _find_not_understood(names), listed_.read_as)


def _with_word(synset: str) -> str:
    meaning = wordnet().synsets.get(synset)
    return f"{synset} {meaning.lemmas[0]}" if meaning else synset


@lru_cache(maxsize=128)
def cell_of(tested: TestSet, pretraining: str) -> OverlapCell:
    """Return a cell of the map, counting it if needed; UnknownNameError for unknown sets."""
    if pretraining not in pretraining_sets():
        raise closest_name("pre-training set", pretraining, pretraining_sets())
    if tested in test_sets():
        return cells()[tested.dataset, tested.split, pretraining]
    key, n = (tested.dataset, tested.split, pretraining), len(tested.classes)
    listed_in = pretraining_sets()[pretraining].vocabulary
    vocabulary = get_vocabulary(listed_in) if listed_in else None
    if vocabulary is None or not comparable(tested, vocabulary):
        return OverlapCell(*key, n, None, None)
    certain, possible = find_overlapping_classes(tested, vocabulary)
    papers = papers_of_classes(tested.context, pretraining)
    printed = tuple(name for name in tested.classes if dictionary_form(name) in papers)
    paper = next(iter(papers.values()), "")
    numbers = len(certain), len(possible)
    return OverlapCell(*key, n, certain, possible, *numbers, printed if papers else None, paper)


def evidence(tested: TestSet, pretraining: str) -> pd.DataFrame:
    """Return the evidence for every overlapping class of a cell.

    ``overlap`` is "certain", "possible", or "listed" if only the paper ``printed_in`` names the
    class. The table is empty for a test set without stored names, such as ImageNet.
    """
    cell = cell_of(tested, pretraining)
    how = dict.fromkeys(cell.related, "possible")
    how |= dict.fromkeys(cell.in_set, "listed")
    how |= dict.fromkeys(cell.certain or (), "certain")
    names = [name for name in tested.classes if name in how]
    list_ = pretraining_sets()[pretraining].vocabulary if names else ""
    compared = overlaps(names, get_vocabulary(list_), tested.context) if list_ else ()
    best = {
        o.class_name: (o.matches[0].entry, o.matches[0].evidence) for o in compared if o.matches
    }
    papers = dict.fromkeys(cell.printed or (), cell.printed_in)
    rows = [
        (name, pretraining, how[name], *best.get(name, ("", "")), papers.get(name, ""))
        for name in names
    ]
    columns = ["class", "pretraining", "overlap", "pretraining_class", "evidence", "printed_in"]
    return frame(rows, columns)


def contamination_table() -> pd.DataFrame:
    """Return the map with one row per cell; numbers not counted or not printed are missing.

    ``text`` has the format "6+1/10 {6}": in the set + related / all {printed}; it begins with the
    state if no numbers were counted.
    """
    rows = []
    for cell in cells().values():
        is_counted, is_printed = cell.certain is not None, cell.printed is not None
        text = f"{cell.n_in_set}+{cell.n_related}/{cell.classes}" if is_counted else cell.state
        names = ("dataset", "split", "pretraining", "state", "classes")
        rows.append(
            {name: getattr(cell, name) for name in names}
            | {how: getattr(cell, f"n_{how}") if is_counted else None for how in MAP_COLUMNS}
            | {"printed": len(cell.printed or ()) if is_printed else None}
            | {"printed_in": cell.printed_in}
            | {"text": text + (f" {{{len(cell.printed or ())}}}" if is_printed else "")}
        )
    return frame(rows).astype(dict.fromkeys([*MAP_COLUMNS, "printed"], "Int64"))


# --- Counting -------------------------------------------------------------------------------------


def find_overlapping_classes(
    tested: TestSet, vocabulary: Vocabulary
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the test classes in a vocabulary, and those related to one of its classes.

    For test classes with WordNet ids, only the hierarchy decides: the same id is certain; a kind of
    the class, or a broader class, is possible.
    """
    if tested.synsets:
        return _compare_by_synset(tested, vocabulary)
    compared = overlaps(tested.classes, vocabulary, tested.context)
    certain, possible = (
        tuple(row.class_name for row in compared if row.strength == strength)
        for strength in ("strong", "weak")
    )
    return certain, possible


def _compare_by_synset(
    tested: TestSet, vocabulary: Vocabulary
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    synsets = {entry.synset for entry in vocabulary.entries}
    above = {ancestor for synset in synsets for ancestor, _ in wordnet().ancestors(synset)}
    pairs = list(zip(tested.synsets, tested.classes, strict=True))
    certain = tuple(name for synset, name in pairs if synset in synsets)
    return certain, tuple(
        name
        for synset, name in pairs
        if synset not in synsets and (synset in above or _is_kind_of(synset, synsets))
    )


def _is_kind_of(synset: str, synsets: AbstractSet[str]) -> bool:
    """Whether ``synsets`` has a broader class than ``synset``, at most a few steps above it."""
    near = (a for a, steps in wordnet().ancestors(synset) if steps <= BROADER_STEPS)
    return any(ancestor in synsets for ancestor in near)


def comparable(tested: TestSet, vocabulary: Vocabulary) -> bool:
    """Whether the list can be compared: a test set of WordNet ids needs a list with ids."""
    return not tested.synsets or vocabulary.hierarchical or not vocabulary.entries


# --- The answer -----------------------------------------------------------------------------------

#: Annotation of the training examples -> word before "classes", and clause after the set's title.
CLASS_ADJECTIVES: Mapping[Annotation, str] = {"classes": " labelled", "captions": "", "none": ""}
ANNOTATION_CLAUSES: Mapping[Annotation, str] = {
    "classes": "",
    "captions": ", with captions",
    "none": ", without labels",
}


@dataclass(frozen=True, slots=True)
class ContaminationAnswer:
    """Answer whether a result may be called zero-shot, from the worst cell of its extractor.

    ``verdict`` is "Leaks", "Unknown" or "Clean"; if classes are only related, it is "Unknown".
    ``headline`` is its reason in one sentence, ``evidence`` the classes and sources.
    """

    state: OverlapState
    verdict: str
    headline: str
    evidence: str
    advice: str
    certain: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Headline and evidence."""
        return f"{self.headline} {self.evidence}".rstrip()


def answer(tested: TestSet, extractor: Extractor) -> ContaminationAnswer:
    """Judge whether a result on these classes with this extractor may be called zero-shot."""
    overlap_cells = [cell_of(tested, name) for name in extractor.pretraining]
    state = next(
        state for state in OVERLAP_STATES if state in [cell.state for cell in overlap_cells]
    )
    deciding = [cell for cell in overlap_cells if cell.state == state]
    certain = _together(tested, [cell.in_set for cell in deciding])
    # With certain overlaps, a person also has to decide on possible overlaps in all other sets.
    possible = _together(
        tested, [cell.related for cell in (overlap_cells if certain else deciding)]
    )
    decided = {*certain}
    possible = tuple(name for name in possible if name not in decided)
    decided |= {*possible}
    unread = tuple(name for name in tested.not_understood if name not in decided)
    if extractor.pretraining == (NOTHING,):
        unread = ()
    if unread and state == "none":
        return ContaminationAnswer("unknown", *_describe_unread(overlap_cells, unread))
    if state == "overlap":
        sentences = _describe_leak(extractor, deciding, certain, len(possible))
    else:
        describe = {
            "unknown": _describe_unknown,
            "possible": _describe_possible,
            "none": _describe_clean,
        }[state]
        sentences = describe(extractor, deciding, certain or possible)
    if unread and state != "unknown":
        verdict, headline, evidence, advice = sentences
        evidence = f"{evidence} {describe_not_found(unread, overlap_cells[0].classes)}".lstrip()
        sentences = verdict, headline, evidence, advice
    return ContaminationAnswer(state, *sentences, certain, possible)


def _together(tested: TestSet, parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    names = {name for part in parts for name in part}
    return tuple(name for name in tested.classes if name in names)


# --- Sentences for an extractor -------------------------------------------------------------------

#: Verdict, headline, evidence and advice.
Sentences = tuple[str, str, str, str]


def _describe_leak(
    extractor: Extractor, overlap_cells: Sequence[OverlapCell], names: Sequence[str], n_open: int
) -> Sentences:
    n, total = (
        max(len(names), *(cell.n_in_set for cell in overlap_cells)),
        overlap_cells[0].classes,
    )
    compared = {name for cell in overlap_cells for name in cell.certain or ()}
    paper = next((cell.printed_in for cell in overlap_cells if cell.printed), "")
    papers = [paper for name in names if name not in compared]
    advice = "Test on other classes."
    if n_others := total - n:
        other_classes = "the other class" if n_others == 1 else f"the other {n_others:,}"
        first = f"Also report {other_classes} separately"
        if n_open:
            related = "the related class" if n_open == 1 else f"the {n_open:,} related classes"
            overlap = "it overlaps" if n_others == 1 else f"{related} overlap{'s' * (n_open == 1)}"
            first += f", after deciding whether {overlap}"
        advice = f"{first}, or test on other classes."
    return (
        "Leaks",
        f"{_with_verb(extractor)} trained on {n:,} of the {_count_test_classes(total)}.",
        f"{'It is a' if n == 1 else f'All {n:,} are'}{CLASS_ADJECTIVES[extractor.labels]} "
        f"{'class' if n == 1 else 'classes'} of {_titles(overlap_cells, 'or')}"
        f"{ANNOTATION_CLAUSES[extractor.labels]}"
        f"{describe_papers(papers, len(names))}{f': {listed(names)}' * bool(names)}.",
        advice,
    )


def _describe_unknown(
    extractor: Extractor, overlap_cells: Sequence[OverlapCell], names: Sequence[str]
) -> Sentences:
    pretraining = pretraining_sets()[overlap_cells[0].pretraining]
    why = "no list of its classes is available"
    if pretraining.vocabulary:
        why = "its classes have not been compared with these"
    search = ""
    if extractor.labels == "captions":
        search = " If you have some of its captions, count those that name your classes."
    return (
        "Unknown",
        f"{_with_verb(extractor)} trained on {pretraining.title}, and {why}.",
        _own_analysis(overlap_cells),
        "State this next to the metric, and compare the metric only with results of extractors "
        f"trained on the same data.{search}",
    )


def _own_analysis(overlap_cells: Sequence[OverlapCell]) -> str:
    """Return a sentence on copies of test images, if a paper of a pre-training set counts them."""
    rows = [row for cell in overlap_cells for row in printed_overlaps(cell.pretraining)]
    if not rows:
        return ""
    shares = ", ".join(f"{percent(row.share)} on {row.dataset}" for row in rows if row.share)
    return (
        f"Its paper reports copies of test images in the pre-training set: {shares} "
        f"({rows[0].source})."
    )


def _describe_unread(overlap_cells: Sequence[OverlapCell], unread: Sequence[str]) -> Sentences:
    n = overlap_cells[0].classes
    n_others = n - len(unread)
    other_classes_clause = (
        "The other one is not" if n_others == 1 else f"None of the other {n_others:,} is"
    )
    return (
        "Unknown",
        describe_not_found(unread, n),
        f"{other_classes_clause} in {_titles(overlap_cells, 'or')}." if n_others else "",
        "Give the usual English name of every class, or its WordNet id, one per line.",
    )


def describe_not_found(unread: Sequence[str], n: int) -> str:
    """Return the sentence on names that could not be compared."""
    k = len(unread)
    if k == n and k > 1:
        return f"WordNet has none of the {n:,} names{_bracket(unread)}: they are not compared."
    subject, verb, pronoun = (
        (f"{k:,} of {n:,} names", "are", "they are")
        if k > 1
        else (f"1 of {n:,} names" if n > 1 else "The name", "is", "it is")
    )
    return f"{subject} {verb} not found in WordNet{_bracket(unread)}: {pronoun} not compared."


def _describe_possible(
    extractor: Extractor, overlap_cells: Sequence[OverlapCell], names: Sequence[str]
) -> Sentences:
    n, total = (
        max(len(names), *(cell.n_related for cell in overlap_cells)),
        overlap_cells[0].classes,
    )
    return (
        "Unknown",
        f"By name, no test class is in {_titles(overlap_cells, 'or')}, but {n:,} of the "
        f"{_count_test_classes(total)} {'is' if n == 1 else 'are'} related to one of its classes.",
        f"Related: {listed(names)}." if names else "",
        "Decide whether it is the same class. If not, the result may be reported as zero-shot."
        if n == 1
        else "Decide for each of them whether it is the same class. If none is, the result may be "
        "reported as zero-shot.",
    )


def _describe_clean(
    extractor: Extractor, overlap_cells: Sequence[OverlapCell], names: Sequence[str]
) -> Sentences:
    if extractor.pretraining == (NOTHING,):
        hand_crafted = "These features are hand-crafted: no extractor was trained on images."
        return "Clean", hand_crafted, "", ""
    papers = [cell.printed_in for cell in overlap_cells if cell.certain is None]
    tested = _count_test_classes(overlap_cells[0].classes)
    where = f"of the {tested} is in {_titles(overlap_cells, 'or')}"
    if papers:
        return (
            "Clean",
            f"None {where}, according to {papers[0]}; its list of classes is not public.",
            "",
            "",
        )
    return "Clean", f"By name and by WordNet, none {where}.", "", ""


def _with_verb(extractor: Extractor) -> str:
    """Return the extractor with its verb, in the plural for a name of two networks."""
    return f"{extractor.name} {'were' if ' and ' in extractor.name else 'was'}"


def _count_test_classes(n: int) -> str:
    return f"{n:,} test {'class' if n == 1 else 'classes'}"


def _bracket(names: Sequence[str]) -> str:
    return f" ({listed(names)})" if names else ""


def _titles(overlap_cells: Sequence[OverlapCell], word: str = "and") -> str:
    return f" {word} ".join(pretraining_sets()[cell.pretraining].title for cell in overlap_cells)
