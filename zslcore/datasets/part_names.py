"""Words that name the parts and sides of a split, and the columns of its tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from zslcore.names import squeeze

#: Name of a list, folder or variable of images -> part.
PART_OF_NAME = {
    "trainval": "trainval",
    **dict.fromkeys(("train", "training", "train_seen", "metatrain"), "train"),
    **dict.fromkeys(("val", "valid", "validation", "metaval", "val_seen", "val_unseen"), "val"),
    **dict.fromkeys(("test_seen", "test_s"), "test_seen"),
    **dict.fromkeys(("test_unseen", "test_u"), "test_unseen"),
    **dict.fromkeys(("test", "testing", "metatest"), "test"),
}
#: Words that can make up the name of a part.
WORDS_OF_PARTS = frozenset({*PART_OF_NAME, "seen", "unseen"})
#: Abbreviation or synonym -> word in the name of a part.
ABBREVIATIONS = {
    **dict.fromkeys(("tr", "trn"), "train"),
    **dict.fromkeys(("te", "tst"), "test"),
    "dev": "val",
    **dict.fromkeys(("base", "known"), "seen"),
    **dict.fromkeys(("novel", "new", "unknown"), "unseen"),
}
#: Words that mark a list of row numbers.
ROW_WORDS = frozenset(
    {"idx", "idxs", "index", "indexes", "indices", "ind", "inds", "id", "ids", "rows"}
    | {"location", "locations", "mask", "masks", "meta", "labeled", "labelled"}
)
#: A word for a list of rows at the end of another word, as in trainidx.
ROWS_SUFFIX = re.compile(rf"(?<=[a-z]{{3}})({'|'.join(sorted(ROW_WORDS, key=len, reverse=True))})$")
#: Words in the name of a list of unlabelled images.
UNLABELLED = frozenset({"unlabeled", "unlabelled"})
#: Words in the name of a list of labels, next to the part.
LABEL_WORDS = frozenset({"y", "label", "labels", "target", "targets", "gt"})
#: Words in the name of a matrix of features, next to the part.
FEATURE_WORDS = frozenset(
    {"x", "feature", "features", "feat", "feats", "embedding", "embeddings"}
    | {"image", "images", "data"}
)
#: Words in the name of a list of paths of images, next to the part.
PATH_WORDS = frozenset(
    {"path", "paths", "file", "files", "filename", "filenames", "image", "images", "img", "imgs"}
    | {"name", "names"}
)
#: Text after the part in the name of a list of classes, such as the end of train_classes.
CLASS_SUFFIX = re.compile(
    r"([\s_-]*(class(es)?|class_?names?|categor(y|ies)|names|labels|list|cls|cids?|pairs"
    r"|prompts)"
    r"|s?(menge|daten|satz|bilder|klassen)"
    r"|[\s_-]+(objects|original|ids?|files?|images?|paths?|videos?))+$",
    re.IGNORECASE,
)
#: Words for the seen side of a split by classes.
SEEN = frozenset({"seen", "base", "known"})
#: Words for the unseen side of a split by classes.
UNSEEN = frozenset({"unseen", "novel", "new", "unknown"})
#: Word for a side of a split by classes -> side.
SIDE_OF_ENGLISH = {**dict.fromkeys(SEEN, "seen"), **dict.fromkeys(UNSEEN, "unseen")}
#: Words for the validation classes of a split by classes.
VALIDATION = frozenset({"val", "valid", "validation", "dev", "development"})
#: Maximum number of characters of the name of a part; searches take quadratic time on long names.
MAX_LETTERS = 80
#: Pattern that every word for a part or side matches, and most other names do not.
MAY_NAME_A_PART = re.compile(r"t[rse]|val|dev|seen|base|novel|new|known", re.IGNORECASE)
#: Words for the sides in other languages, in lower case.
SIDE_WORDS = {
    "seen": (
        *("gesehen", "gesehene", "bekannt", "bekannte", "látott", "ismert"),
        *("vu", "vue", "vus", "vues", "connu", "connue", "connus", "visto"),
        *("vista", "vistos", "vistas", "visti", "viste", "conocido", "conocida", "conhecido"),
        *("conhecida", "noto", "nota", "gezien", "bekend", "widziane", "widziany", "znane", "old"),
        *("可见", "可见类", "已见", "已知", "既知", "видимые", "виденные", "известные"),
    ),
    "unseen": (
        *("ungesehen", "ungesehene", "unbekannt", "unbekannte", "nem látott", "ismeretlen"),
        *("nicht gesehen", "non vu", "non vue", "non vus", "non vues"),
        *("jamais vu", "inconnu", "inconnue", "inconnus", "no visto", "no vista", "no vistos"),
        *("no vistas", "non visto", "non vista", "non visti", "non viste", "desconocido"),
        *("desconocida", "desconhecido", "desconhecida", "não visto", "não vista", "não vistos"),
        *("não vistas", "nao vistos", "nao vistas"),
        *("nao visto", "nao vista", "ignoto", "ignota", "ongezien", "onbekend", "niewidziane"),
        *("niewidziany", "nieznane", "未见", "未见类", "不可见", "未知", "未見", "невидимые"),
        *("невиденные", "неизвестные"),
    ),
}
#: Words for the parts in other languages, in lower case.
PART_WORDS = {
    "train": (
        *("entraînement", "entrainement", "apprentissage", "entrenamiento", "addestramento"),
        *("treino", "treinamento", "tanító", "tanuló", "trening", "обучение"),
        *("训练", "训练集", "訓練", "학습"),
    ),
    "val": (
        *("validierung", "validación", "validacion", "validazione", "validação", "validacao"),
        *("walidacja", "валидация", "验证", "验证集", "検証", "검증"),
    ),
    "test": (
        *("prueba", "teste", "teszt", "prüfung", "pruefung", "тест", "测试", "测试集", "テスト"),
        "테스트",
    ),
}
#: Word of a cell or a file name, reduced to its letters -> side or part.
SIDE_OF_WORD = {
    **{
        squeeze(word): side
        for named in (SIDE_WORDS, PART_WORDS)
        for side, words in named.items()
        for word in words
    },
    **{
        f"test{squeeze(word)}": f"test_{side}"
        for side, words in SIDE_WORDS.items()
        for word in (side, *words)
    },
}
#: Words for classes, next to the word for a side or part.
CLASS_WORDS = re.compile(
    r"class(es|i|en|e)?|clases?|klassen?|klasy|osztály(ok)?|категории|классы|类别?|類|クラス"
)
#: Titles of columns of images, without spaces and underscores.
IMAGE_TITLES = (
    *("filename", "file", "image", "path", "imagefile", "imagename", "img", "imagepath"),
    *("filepath", "video", "imageid", "imgname", "imgpath", "videoid", "videoname", "videopath"),
    *("youtubeid", "clip", "clipname", "bild", "datei", "imagen", "fichier", "imagem", "kép"),
    *("text", "sentence", "utterance", "query"),
)
#: Titles of columns of classes.
CLASS_TITLES = (
    *("classname", "labelname", "categoryname", "class", "category", "action", "species"),
    *("template", "label", "target", "name", "klasse", "classe", "clase"),
    *("intent", "finding", "diagnosis", "disease", "scene", "relation", "dx", "osztály", "címke"),
)
#: Titles of columns of parts.
PART_TITLES = (
    *("split", "part", "subset", "partition", "set", "phase", "usage", "stage"),
    *("teil", "teilmenge", "ensemble", "partie", "conjunto", "insieme", "halmaz"),
)
#: Other titles of class columns end with one of these words, as in dogBreed.
CLASS_TITLE_WORDS = frozenset({"class", "category", "label", "species", "synset", "wnid"}) | {
    *("breed", "taxon", "concept", "topic", "genre", "emotion", "gesture", "activity")
}
#: Words that may follow the word for classes at the end of a title, as in synsetId.
WORDS_AFTER_CLASS = frozenset({"id", "ids", "name", "code", "index", "idx", "number"})
#: Words in the title of a column of broader classes.
BROADER_WORDS = frozenset({"super", "coarse", "parent", "broad", "main", "meta", "group"})
#: Titles of a column of checksums of image files.
CHECKSUM_TITLES = ("checksum", "md5", "md5sum", "sha1", "sha256", "digest", "hash", "phash")
#: Titles of the two columns of a composition of attribute and object, which is one class.
COMPOSED_TITLES = (
    ("attr", "attribute", "adj", "adjective", "state", "attribut", "adjektiv", "adjectif", "verb"),
    ("obj", "object", "noun", "objekt", "objet", "nomen"),
)
#: Title of a yes/no column -> (part or side of rows with yes, of rows with no).
FLAGS = {
    **dict.fromkeys(("istrain", "istraining", "istrainingimage", "training"), ("train", "test")),
    **dict.fromkeys(("istest", "istesting", "testing"), ("test", "train")),
    **dict.fromkeys(("isvalid", "isval", "isvalidation"), ("val", "train")),
    **dict.fromkeys(("isunseen", "unseen", "isnovel", "novel"), ("unseen", "seen")),
    **dict.fromkeys(("isseen", "seen", "isbase", "base"), ("seen", "unseen")),
}
#: Cells of a yes/no column that mean yes.
YES = frozenset({"1", "true", "yes", "y", "t", "1.0", "x", "\u2713", "\u2714"}) | {
    *("ja", "wahr", "oui", "vrai", "sí", "si", "sì", "sim", "tak", "да", "是", "はい", "예")
}
#: Cells of a yes/no column that mean no.
NO = frozenset({"0", "false", "no", "n", "f", "0.0", "", "-"}) | {
    *("nein", "falsch", "non", "faux", "nee", "não", "nao", "nie", "нет", "否", "いいえ", "아니요")
}


def part_of_name(name: str) -> str:
    """Return the part that a list of rows is named after; "" for other names.

    >>> part_of_name("idx_train"), part_of_name("testSeenIndices"), part_of_name("loss")
    ('train', 'test_seen', '')
    """
    if len(name) > MAX_LETTERS:
        return ""
    if name.lower() in PART_OF_NAME:
        return PART_OF_NAME[name.lower()]
    words = [ROWS_SUFFIX.sub("", word) for word in words_in(name)]
    essential = [ABBREVIATIONS.get(word, word) for word in words if word not in ROW_WORDS]
    names = ("_".join(essential), "_".join(reversed(essential)), "".join(essential))
    return next((PART_OF_NAME[key] for key in names if key in PART_OF_NAME), "")


def part_of_file(stem: str) -> str:
    """Return the part among the words of a file name, as in ``kinetics400_train_list``.

    A list of unlabelled images, which transductive training uses, is not a part.
    """
    words = re.findall(r"[a-z]+", stem.lower())
    named = "_".join(word for word in words if word in WORDS_OF_PARTS)
    return "" if is_unlabelled(stem) else part_of_name(named)


def is_unlabelled(name: str) -> bool:
    """Whether a list is named after unlabelled images, as in ``train_unlabeled``."""
    return not UNLABELLED.isdisjoint(words_in(name[:MAX_LETTERS]))


def part_of_labels(name: str, content_words: Collection[str] = LABEL_WORDS) -> str:
    """Return the part that a list of labels is named after, such as ``y_train``; else "".

    ``content_words`` are the words for labels, or for another content of the list.
    """
    if len(name) > MAX_LETTERS:
        return ""
    words = [word for word in words_in(name) if not word.isdigit()]
    part_words = [word for word in words if word not in content_words]
    return part_of_name("_".join(part_words)) if len(part_words) < len(words) else ""


def part_or_side(name: str) -> str:
    """Return a part (of images) or a side (of classes) by its name; "" for other words.

    >>> part_or_side("train_classes"), part_or_side("Unseen"), part_or_side("dog")
    ('train', 'unseen', '')
    """
    if len(name) > MAX_LETTERS or not MAY_NAME_A_PART.search(name):
        return ""
    bare = CLASS_SUFFIX.sub("", name.strip())
    return part_of_name(bare) or SIDE_OF_ENGLISH.get(bare.lower(), "")


def is_title_of_classes(title: str) -> bool:
    """Whether the last word of a title is a word for classes, as in ``synsetId``, ``Dog Breed``."""
    words = [word for word in words_in(title) if word not in WORDS_AFTER_CLASS]
    return bool(words) and words[-1] in CLASS_TITLE_WORDS and not BROADER_WORDS & {*words}


def composition_columns(titles: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of attribute and object; () without both, or with a column of classes."""
    words = [*map(squeeze, titles)]
    columns = [[k for k, word in enumerate(words) if word in named] for named in COMPOSED_TITLES]
    has_pair = all(columns) and {*words}.isdisjoint(CLASS_TITLES)
    return tuple(first for first, *_ in columns) if has_pair else ()


@lru_cache(maxsize=1 << 8)
def part_of_cell(title: str, cell: str) -> str:
    """Return the part or side named by a cell of a column with this title; "" for none."""
    word = cell.strip().lower()
    if squeeze(title) in FLAGS:
        yes, no = FLAGS[squeeze(title)]
        return yes if word in YES else no if word in NO else ""
    return part_or_side(word) or SIDE_OF_WORD.get(squeeze(word), "")


def side_of_stem(stem: str) -> str:
    """Return the part or side that a file is named after in another language; else "".

    >>> side_of_stem("classes_non_vues"), side_of_stem("ungesehen"), side_of_stem("notes")
    ('unseen', 'unseen', '')
    """
    word = squeeze(stem)
    bare = CLASS_WORDS.sub("", word)
    # Callers have other rules for names with the English word "class".
    is_compound = bare != word and "class" not in word
    return SIDE_OF_WORD.get(word) or SIDE_OF_WORD.get(bare) or part_or_side(stem) * is_compound


def side_of_file(stem: str) -> str:
    """Return the side among the words of a file name, as in ``ucf101_seen``; else ""."""
    named = {SIDE_OF_ENGLISH[word] for word in words_in(stem) if word in SIDE_OF_ENGLISH}
    return named.pop() if len(named) == 1 else side_of_stem(stem)


def words_in(name: str) -> list[str]:
    """Return the words of a name in lower case: ``testSeen_2`` has test, seen and 2."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name)]


def trains_and_tests(parts: Iterable[str]) -> bool:
    """Whether parts or sides include training and test; validation counts as a test."""
    parts = {*parts}
    tests = {"test", "test_seen", "test_unseen", "val", "unseen"}
    return bool({"train", "trainval", "seen"} & parts) and bool(tests & parts)
