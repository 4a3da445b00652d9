from collections import defaultdict
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslcore.datasets.facts import class_facts, published_table
from zslcore.leakage import VOCABULARY_NAMES, Vocabulary, get_vocabulary, match_names, matching
from zslcore.leakage.matching import EMPTY_WORDS, MAX_INDEXES, index_of
from zslcore.leakage.vocabularies import VIEWPOINTS, domains, wordnet
from zslcore.names import dictionary_form, squeeze

IMAGENET = get_vocabulary("imagenet-1k")
PAPER_NAME = {
    "Kinetics-400": "kinetics-400",
    "Sports-1M": "sports-1m",
    "ImageNet-1K": "imagenet-1k",
}


def strengths(names, vocabulary, context=()):
    """Return the best strength by class: "strong", "weak", or "" without a match."""
    result = dict.fromkeys(names, "")
    for match in match_names(names, vocabulary, context):
        if result[match.class_name] != "strong":
            result[match.class_name] = match.strength
    return result


def found_by(rule, name, vocabulary, context=()):
    return [m for m in match_names([name], vocabulary, context) if m.rule == rule]


# --- Lists of the papers --------------------------------------------------------------------------


def _action_lists():
    table = published_table("overlap_action")
    for (dataset, pretraining), part in table.groupby(["dataset", "pretraining"]):
        names = list(part["class"])
        result = strengths(names, get_vocabulary(PAPER_NAME[pretraining]), names)
        yield pd.DataFrame(
            {
                "dataset": f"{dataset} in {pretraining}",
                "class": names,
                "listed": part["overlaps"].to_numpy() == 1,
                "found": list(result.values()),
            }
        )


def _image_lists():
    """SS test classes, with overlaps listed in the paper, and PS test classes, which have none."""
    listed = published_table("overlap_imagenet1k_ss")
    for dataset, part in listed.groupby("dataset"):
        facts = class_facts(dataset).classes
        overlapping = set(part["class"])
        for split in ("ss", "ps"):
            names = list(facts["class"][facts[split] == "test"])
            if split == "ss" and not overlapping <= set(names):
                names = sorted(overlapping)
            result = strengths(names, IMAGENET, list(facts["class"]))
            yield pd.DataFrame(
                {
                    "dataset": f"{dataset} {split}",
                    "class": names,
                    "listed": [split == "ss" and name in overlapping for name in names],
                    "found": list(result.values()),
                }
            )


@pytest.mark.parametrize("lists", [_action_lists, _image_lists], ids=["actions", "images"])
def test_matching_reproduces_the_overlap_lists_of_papers(lists):
    table = pd.concat(lists())
    listed, strong = table["listed"], table["found"] == "strong"
    missed = table[listed & (table["found"] == "")]
    assert missed.empty, missed
    assert listed[strong].mean() >= 0.9, table[strong & ~listed]


def test_the_overlap_tables_have_the_printed_totals():
    actions = (
        published_table("overlap_action").groupby(["dataset", "pretraining"])["overlaps"].sum()
    )
    assert actions.to_dict() == {
        ("HMDB51", "Kinetics-400"): 28,
        ("HMDB51", "Sports-1M"): 17,
        ("UCF101", "Kinetics-400"): 61,
        ("UCF101", "Sports-1M"): 36,
    }


# --- Rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule", "entry"),
    [
        ("giant+panda", "same name", "giant panda"),
        ("Chimpanzees", "same name", "chimpanzee"),
        ("HIPPOPOTAMUS", "same name", "hippopotamus"),
        ("014.Indigo_Bunting", "same name", "indigo bunting"),
        ("chimpanzze", "spelling", "chimpanzee"),
        ("wolf", "kind", "timber wolf"),
        ("sheep", "kind", "ram"),
        ("supermarket", "broader", "grocery store"),
        ("mosque_indoor", "qualified", "mosque"),
        ("bakery shop", "left out", "bakery"),
        ("brown pelican", "by its head", "pelican"),
        ("rooster", "other name", "cock"),
        ("leonberger", "spelling", "Leonberg"),
    ],
)
def test_a_rule_finds_its_matches(name, rule, entry):
    matches = [m for m in found_by(rule, name, IMAGENET) if entry in m.entry]
    assert [m.class_name for m in matches] == [name]
    strong = {"same name", "synonym", "same words"}
    assert (matches[0].strength == "strong") == (rule in strong)


@pytest.mark.parametrize(
    ("name", "entries", "rule"),
    [
        ("JumpRope", ["skipping rope"], "synonym"),
        ("BabyCrawling", ["crawling baby"], "same words"),
        ("BabyCrawling", ["crawling happy baby"], "all words"),
        ("dribble", ["basketball"], "topic"),
        ("ApplyEyeMakeup", ["filling eyebrows"], "shared word"),
        ("Biking", ["bicycle race"], "shared word"),
        ("WallPushups", ["push up"], "contained"),
    ],
)
def test_rules_for_names_without_a_hierarchy(name, entries, rule):
    assert found_by(rule, name, Vocabulary.of("mine", entries))


def test_an_ambiguous_name_is_read_in_the_domain_of_the_other_classes():
    animals = ["rat", "dog", "horse", "lion", "zebra"]
    mouse = match_names(["mouse"], IMAGENET, animals)
    assert {m.strength for m in mouse if m.entry == "mouse, computer mouse"} == {"weak"}
    tools = ["screwdriver", "keyboard", "printer", "hammer"]
    mouse = match_names(["mouse"], IMAGENET, tools)
    assert {m.strength for m in mouse if m.entry == "mouse, computer mouse"} == {"strong"}
    (alone,) = match_names(["mouse"], IMAGENET)
    # One name gives no domain, and the commonest mouse is an animal.
    assert alone.strength == "weak"


ANIMALS = [
    *("rat", "dog", "horse", "lion", "zebra", "cow", "sheep", "wolf", "otter", "tiger", "elephant"),
    *("giraffe", "squirrel", "rabbit", "gorilla", "hamster", "beaver", "moose"),
]
FRUIT = ["apple", "carrot", "pineapple", "orange", "corn"]
TOOLS = ["screwdriver", "hammer", "printer", "keyboard", "lamp", "table", "chair", "sofa", "bed"]


@pytest.mark.parametrize(
    ("other_names", "rule"),
    [
        (TOOLS[:3], "near sense"),  # with mouse itself, four names are too few for a domain
        (TOOLS[:4], "same name"),
        (TOOLS, "same name"),
        ([*TOOLS, "rat"], "near sense"),  # mouse and rat are two animals, so the domain is unclear
    ],
)
def test_two_names_and_a_tenth_of_at_least_five_give_a_domain(other_names, rule):
    matches = match_names(["mouse"], IMAGENET, other_names)
    assert {m.rule for m in matches if m.entry == "mouse, computer mouse"} == {rule}


ACTIONS = [
    "brush_hair",
    "cartwheel",
    "climb_stairs",
    "clap",
    "hug",
    "kick_ball",
    "ride_bike",
    "chew",
    "situp",
    "somersault",
    "shake_hands",
    "fall_floor",
]
TEXTURES = ["banded", "braided", "dotted", "grooved", "knitted", "striped", "woven", "grid"]


@pytest.mark.parametrize(
    ("name", "other_names"),
    [
        ("Fencing", ACTIONS),
        ("Biking", ACTIONS),
        ("pick", ACTIONS),
        ("BalanceBeam", ACTIONS),
        ("swing", ACTIONS),
        ("honeycombed", TEXTURES),
        ("grille", TEXTURES),
    ],
)
def test_an_activity_or_a_texture_never_matches_a_thing_for_certain(name, other_names):
    assert strengths([name], IMAGENET, other_names)[name] != "strong"


@pytest.mark.parametrize(
    ("name", "vocabulary", "entry"),
    [
        ("skateboard", "kinetics-400", "skateboarding"),
        ("flute", "kinetics-700", "playing flute"),
        ("canoe", "sports-1m", "canoeing"),
        # WordNet has one bicycle, a thing, and cycling is an activity.
        ("bicycle", "sports-1m", "cycling"),
    ],
)
def test_a_thing_never_matches_an_activity_for_certain(name, vocabulary, entry):
    matches = match_names([name], get_vocabulary(vocabulary), TOOLS)
    assert {m.rule for m in matches if m.entry == entry} == {"other sense"}
    assert "strong" not in {m.strength for m in matches}


def test_lists_have_a_domain_of_things_activities_or_qualities():
    for dataset in ("AWA2", "CUB", "SUN", "aPY"):
        assert domains(class_facts(dataset).classes["class"]) == {"thing"}, dataset
    actions = published_table("overlap_action")
    for dataset, part in actions.groupby("dataset"):
        assert domains(part["class"]) == {"activity"}, dataset
    for name in ("imagenet-1k", "kinetics-400", "kinetics-700", "sports-1m"):
        first = [entry.names[0] for entry in get_vocabulary(name).entries]
        assert domains(first) == {"thing" if name == "imagenet-1k" else "activity"}, name
    assert domains(TEXTURES) == {"quality"}
    assert domains(ACTIONS[:4]) == domains([]) == frozenset()


def test_a_plural_with_another_meaning_is_another_class():
    listed = Vocabulary.of("mine", ["n03438257 glass, drinking glass"])
    assert strengths(["drinking glasses"], listed) == {"drinking glasses": "strong"}
    assert strengths(["glasses"], listed) == {"glasses": "weak"}


def test_an_animal_whose_second_name_is_the_class_name_is_only_a_possible_match():
    matches = match_names(["hedgehog"], IMAGENET, ANIMALS)
    assert [(m.entry, m.strength) for m in matches] == [("porcupine, hedgehog", "weak")]


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("ox", "ox"),  # WordNet has a second ox, the wild ox
        ("robin", "robin, American robin, Turdus migratorius"),
        ("peacock", "peacock"),  # the first meaning in WordNet is a butterfly
        ("beaver", "beaver"),  # the first meaning is the fur
        ("skunk", "skunk, polecat, wood pussy"),  # the first meaning is a person
        ("banana", "banana"),  # the first meaning is the plant
        ("mushroom", "mushroom"),
    ],
)
@pytest.mark.parametrize("other_names", [(), ANIMALS], ids=["alone", "among similar classes"])
def test_a_living_thing_with_the_name_of_a_class_matches_it_for_certain(name, entry, other_names):
    if other_names and name in ("banana", "mushroom"):
        other_names = FRUIT
    matches = match_names([name], IMAGENET, other_names)
    assert "strong" in {m.strength for m in matches if m.entry == entry}


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("plane", "plane, carpenter's plane, woodworking plane"),
        ("bow", "bow"),
        ("iron", "iron, smoothing iron"),
        ("kite", "kite"),  # the kite of ImageNet-1K is a bird
    ],
)
def test_an_artifact_with_another_meaning_is_only_a_possible_match(name, entry):
    matches = match_names([name], IMAGENET, TOOLS)
    assert {m.strength for m in matches if m.entry == entry} == {"weak"}


@pytest.mark.parametrize(
    ("name", "entry", "strength"),
    [
        ("packing", "boxing", "weak"),  # boxing as packing is rarer than the sport
        ("packing", "backpacking (wilderness)", "weak"),
        ("bull fighting", "bullfighting", "strong"),
        ("pugilism", "boxing", "strong"),
    ],
)
def test_a_rare_meaning_in_a_list_is_not_a_certain_match(name, entry, strength):
    matches = match_names([name], get_vocabulary("sports-1m"), ACTIONS)
    assert {m.strength for m in matches if m.entry == entry} == {strength}


@pytest.mark.nightly
def test_two_birds_with_one_name_are_only_possible_matches():
    birds = list(class_facts("CUB").classes["class"])
    listed = Vocabulary.of("mine", ["n01540090 tree sparrow", "n01536334 tree sparrow"])
    assert strengths(["Tree Sparrow"], listed, birds) == {"Tree Sparrow": "weak"}
    assert strengths(["Barn Swallow"], get_vocabulary("imagenet-21k"), birds) == {
        "Barn Swallow": "strong"
    }


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("plaza", "weak"),  # a plaza is a square or a shopping mall
        ("home_office", "weak"),  # a home office is a ministry or headquarters
        ("sandbox", "weak"),  # the first meaning in WordNet is a mould for casting
        ("bridge", "strong"),
        ("courthouse", "strong"),
    ],
)
def test_a_place_matches_for_certain_only_by_its_commonest_meaning(name, strength):
    scenes = list(class_facts("SUN").classes["class"])
    assert strengths([name], get_vocabulary("imagenet-21k"), scenes) == {name: strength}


def test_a_class_with_a_wordnet_id_has_only_that_meaning():
    cranes = Vocabulary.of("mine", ["n02012849 crane", "n03126707 crane", "n01503061 bird"])
    for name in ("n02012849", "n02012849_crane", "n02012849 anything"):
        matches = match_names([name], cranes)
        assert [(m.class_name, m.entry, m.strength) for m in matches if m.entry == "crane"] == [
            (name, "crane", "strong")
        ]
    (wolf,) = match_names(["n02114100"], Vocabulary.of("mine", ["n02114367 timber wolf"]))
    assert (wolf.strength, wolf.rule) == ("weak", "kind")
    assert match_names(["n99999999"], cranes) == ()
    # An entry without an id may mean the bird or the machine.
    (crane,) = match_names(["n02012849"], Vocabulary.of("mine", ["crane"]))
    assert crane.strength == "weak"


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("Persian", "Persian cat"),
        ("Egyptian Mau", "Egyptian cat"),
        ("german shorthaired", "German short-haired pointer"),
        ("japanese chin", "Japanese spaniel"),
        ("leonberger", "Leonberg"),
    ],
)
def test_breeds_under_another_name_are_matched(name, entry):
    breeds = (
        "beagle,pug,Samoyed,keeshond,english setter,Siamese,Sphynx,great pyrenees,basset hound,"
        "chihuahua,boxer,saint bernard,newfoundland,miniature pinscher,Abyssinian,tabby,Angora"
    )
    assert entry in [m.entry for m in match_names([name], IMAGENET, [*breeds.split(","), name])]


def test_ancestors_match_up_to_two_steps_above():
    (zebra,) = wordnet().senses("zebra")
    above = [(a, steps) for a, steps in wordnet().ancestors(zebra) if steps <= 4]
    lines = {f"{a} {wordnet().synsets[a].lemmas[0]}": steps for a, steps in above}
    result = found_by("broader", "zebra", Vocabulary.of("mine", list(lines)))
    assert set(lines.values()) == {1, 2, 3, 4}
    assert {m.entry for m in result} == {
        line.split(" ", 1)[1] for line, steps in lines.items() if steps <= 2
    }


@pytest.mark.parametrize(
    ("name", "entry", "is_match"),
    [
        ("zorbq", "zorbx", True),
        ("zorbqu", "zorbu", True),
        ("zorq", "zorx", False),  # the word has only four letters
        ("zorbqq", "zorbxx", False),  # two letters differ
        ("zorbq tree", "zorbx tree", True),
        ("tree zorbq", "tree zorbx", True),
        ("zorbq tree", "zorbx house", False),
    ],
)
def test_one_letter_may_be_wrong_in_a_word_of_five_or_more(name, entry, is_match):
    assert bool(found_by("spelling", name, Vocabulary.of("mine", [entry]))) == is_match


@pytest.mark.parametrize(("n", "few"), [(10, 2), (100, 2), (150, 3)])
def test_a_word_in_many_names_is_not_a_match(n, few):
    fillers = [f"filler{k}" for k in range(n)]

    def named(times):
        names = [f"blorp {name}" for name in fillers[:times]] + fillers[times:]
        return len(found_by("shared word", "blorp oak", Vocabulary.of("mine", names)))

    assert (named(few), named(few + 1)) == (few, 0)


def test_a_rule_gives_at_most_ten_matches():
    jumps = Vocabulary.of("mine", [f"blorp filler{k}" for k in range(12)])
    assert [m.rule for m in match_names(["blorp"], jumps)] == ["contained"] * 10
    assert len(match_names(["blorp", "blorp oak"], jumps)) == 10


@pytest.mark.parametrize(
    ("name", "entry", "evidence"),
    [
        ("blorp", "blorp oak", "a narrower name: it adds oak"),
        ("blorp oak", "blorp", "a broader name: it lacks oak"),
        ("blorp oak tree", "oak tree", "a broader name: it lacks blorp"),
        ("snowboard", "snow board", ""),
    ],
)
def test_a_name_contained_in_another_is_a_possible_match(name, entry, evidence):
    matches = match_names([name], Vocabulary.of("mine", [entry]))
    assert (matches[0].rule, matches[0].evidence) == (
        ("contained", evidence) if evidence else ("same name", "the same name")
    )


@pytest.mark.parametrize(
    ("name", "entry", "is_match"),
    [
        ("basket", "basketball game", True),
        ("ski", "skiboat trip", True),
        ("art", "artist hut", False),
    ],
)
def test_parts_of_compounds_have_at_least_three_and_four_letters(name, entry, is_match):
    assert (
        bool(found_by("shared word", f"{name} zorbq", Vocabulary.of("mine", [entry]))) == is_match
    )


def test_a_match_states_its_evidence():
    (match,) = match_names(["zebra_outdoor"], Vocabulary.of("mine", ["n02391049 zebra"]))
    assert (match.class_name, match.vocabulary, match.entry) == ("zebra_outdoor", "mine", "zebra")
    assert (match.strength, match.rule) == ("weak", "qualified")
    assert match.evidence == "the same name, without the word for the viewpoint"
    (wolf,) = match_names(["wolf"], Vocabulary.of("mine", ["n02114367 timber wolf"]))
    assert wolf.evidence == "a kind of wolf, at distance 1 in WordNet (n02114100)"
    assert match_names(["outdoor"], Vocabulary.of("mine", ["n02391049 zebra"])) == ()


@pytest.mark.parametrize(
    ("name", "entry", "strong"),
    [
        ("crane", "crane (machine)", True),
        ("crane machine", "crane (machine)", True),
        ("crane bird", "crane (not bird)", False),
    ],
)
def test_text_in_parentheses_may_belong_to_a_name(name, entry, strong):
    matches = match_names([name], Vocabulary.of("mine", [entry]))
    assert any(m.rule == "same name" for m in matches) == strong


def test_a_dictionary_word_is_not_a_misspelling_of_another():
    assert not match_names(["hurling"], Vocabulary.of("mine", ["curling"]))
    assert match_names(["hurlign"], Vocabulary.of("mine", ["hurling"]))[0].rule == "spelling"


def test_unknown_and_empty_names_match_nothing():
    assert match_names(["qzxv"], IMAGENET) == ()
    assert match_names([], IMAGENET) == ()
    assert match_names(["", "???"], IMAGENET) == ()


@settings(max_examples=40, deadline=None)
@given(index=st.integers(0, 999), data=st.data())
def test_every_pretraining_class_matches_itself_in_any_spelling(index, data):
    name = data.draw(st.sampled_from(IMAGENET.entries[index].names))
    way = data.draw(
        st.sampled_from([str.upper, str.title, lambda s: s.replace(" ", "_"), lambda s: f"7.{s}"])
    )
    matches = match_names([way(name)], IMAGENET)
    assert any(name in m.entry for m in matches), matches
    # The singular may have further senses: field glasses are binoculars, a field glass is a
    # telescope.
    forms = {name, name.removesuffix("s"), name.removesuffix("es")}
    if len({sense for form in forms for sense in wordnet().senses(form, "n")}) == 1:
        assert any(name in m.entry for m in matches if m.strength == "strong"), matches


@pytest.mark.nightly
@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40))
def test_any_text_can_be_a_class_name(name):
    assert all(
        word.isalnum() and word.islower() + word.isdigit() for word in dictionary_form(name).split()
    )
    for match in match_names([name], get_vocabulary("sports-1m")):
        assert match.class_name == name


def test_matching_does_not_depend_on_the_order_of_names():
    names = list(published_table("overlap_action")["class"].unique())
    forth = strengths(names, get_vocabulary("kinetics-400"))
    back = strengths(names[::-1], get_vocabulary("kinetics-400"))
    assert forth == back


# --- Facts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n"),
    list(zip(VOCABULARY_NAMES, (1000, 21843, 400, 600, 700, 487, 205, 0), strict=True)),
)
def test_a_vocabulary_has_all_its_classes(name, n):
    assert len(get_vocabulary(name).entries) == n


def test_every_word_of_wordnet_is_found_with_its_meanings_by_rank():
    dictionary = wordnet()
    assert len(dictionary.synsets) == len(list(dictionary.synsets)) == 88157
    ranks = defaultdict(dict)
    for i in dictionary.synsets:
        synset = dictionary.synsets[i]
        assert synset.id == i
        for lemma, rank in zip(synset.lemmas, synset.ranks, strict=True):
            ranks[squeeze(lemma)].setdefault(i, rank)
    for word, rank_of in ranks.items():
        assert dictionary.senses(word) == tuple(sorted(rank_of, key=rank_of.get))
    assert dictionary.senses("xyzzy") == ()


def test_imagenet_1k_is_contained_in_21k_and_in_wordnet():
    ids = [e.synset for e in IMAGENET.entries]
    assert len(set(ids)) == 1000
    teddy_bear = {"n04399382"}  # only the challenge has this class, not the full release
    assert set(ids) - {e.synset for e in get_vocabulary("imagenet-21k").entries} == teddy_bear
    assert set(ids) <= set(wordnet().synsets)


def test_vocabularies_equal_their_source(shared):
    folder = shared / "data/imagenet"
    lemmas = dict(
        line.split("\t")
        for line in (folder / "imagenet_synset_to_lemma.txt").read_text().splitlines()
        if "\t" in line
    )
    for name, file in (
        ("imagenet-1k", "imagenet_synsets"),
        ("imagenet-21k", "imagenet21k_goog_synsets"),
    ):
        ids = (folder / f"{file}.txt").read_text().split()
        entries = get_vocabulary(name).entries
        assert [e.synset for e in entries] == ids
        assert all(str(e) == lemmas[e.synset].strip() for e in entries)
    actions = (shared / "data/action/kinetics400_label_map.txt").read_text().splitlines()
    assert [str(e) for e in get_vocabulary("kinetics-400").entries] == actions


@pytest.mark.parametrize(
    ("word", "base"),
    [("wolves", "wolf"), ("teeth", "tooth"), ("biking", "bike"), ("dive", "dive"), ("bus", "bus")],
)
def test_words_have_the_expected_base_forms(word, base):
    assert wordnet().base(word) == base


def test_a_dog_is_an_animal_and_no_synset_is_its_own_ancestor():
    above = dict(wordnet().ancestors(wordnet().senses("domestic dog")[0]))
    assert wordnet().senses("animal", "n")[0] in above
    assert min(above.values()) == 1
    for synset in list(wordnet().synsets)[::5000]:
        assert synset not in dict(wordnet().ancestors(synset))


def test_word_lists_are_small_and_disjoint():
    assert len(EMPTY_WORDS) < 50
    assert not EMPTY_WORDS & VIEWPOINTS
    assert np.all([word == word.lower() for word in EMPTY_WORDS])


# --- Lists of a visitor ---------------------------------------------------------------------------


@pytest.fixture
def looked_up(monkeypatch):
    """Return the words looked up in WordNet, and the words compared with a misspelt one."""
    result = {"meaning": 0, "spelling": 0}
    senses, extract = type(wordnet()).senses, matching.process.extractOne

    def counted(self, *args):
        result["meaning"] += 1
        return senses(self, *args)

    def compared(word, choices, **more):
        result["spelling"] += len(choices)
        return extract(word, choices, **more)

    monkeypatch.setattr(type(wordnet()), "senses", counted)
    monkeypatch.setattr(matching.process, "extractOne", compared)
    return result


def test_a_class_is_not_compared_with_every_word_of_a_list(looked_up):
    letters = "abcdefghij"
    words = ["".join(word) for word in product(letters, repeat=4)][:3000]
    listed = Vocabulary.of("mine", [f"{word}x, q{word}" for word in words])
    match_names(["otter"], listed)  # this call indexes the list before words are counted
    before = dict(looked_up)
    match_names([f"{word}{word}y" for word in words[:10]], listed)
    assert looked_up["meaning"] - before["meaning"] < 200
    assert 0 < looked_up["spelling"] - before["spelling"] < 10 * 6000 / 10


def test_one_wrong_letter_is_recognised_at_any_position():
    for word in ("zzebra", "zebrra", "ezbra", "zbera", "zerba", "zebar", "zebr", "ebra", "zebrax"):
        listed, request = Vocabulary.of("mine", ["a zebraq"]), f"{word}q"
        matches = match_names([request], listed)
        assert [match.rule for match in matches] == ["spelling"], word


def test_only_few_indexes_of_uploaded_lists_are_kept_in_memory():
    for k in range(2 * MAX_INDEXES):
        match_names(["otter"], Vocabulary.of(f"mine {k}", ["otter"]))
    assert index_of.cache_info().currsize <= MAX_INDEXES
