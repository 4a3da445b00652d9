"""Names that score files and releases use for their arrays and columns.

Case and punctuation are ignored, see :func:`first_named`: ``y_true`` also stands for ``yTrue``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from zslcore.names import squeeze

#: Names of variables with scores, and with labels of images.
SCORE_VARIABLES = (
    *("scores", "score", "logits", "probabilities", "probs", "log_probs", "similarity"),
    *("similarities", "array", "logits_per_image", "y_score", "y_scores", "y_prob", "y_proba"),
    *("prob", "probas", "softmax", "class_scores", "pred_scores", "all_logits", "all_scores"),
    *("distances", "distance", "dists"),
)
LABEL_VARIABLES = (
    *("y", "labels", "label", "y_true", "targets", "true_labels", "target", "gt", "ground_truth"),
    *("true_label", "true", "gold", "y_test", "gts", "gt_label", "gt_labels", "gt_class", "truth"),
    *("all_labels", "all_targets", "test_labels", "test_label", "label_ids"),
)
#: Names of variables that list all classes.
CLASS_NAMES = (
    *("class_names", "allclasses_names", "names", "classes", "class_list", "categories"),
    *("target_names", "label_names"),
)
#: Patterns for names of the list of classes of one side; {} is the word for the side.
SIDE_FORMS = (
    *("{}_classes", "{}_mask", "is_{}", "{}_idx", "{}_ids", "{}_indices", "{}_class_ids"),
    *("{}_class_names", "{}_names", "{}_list", "test_{}_classes", "{}_categories", "{}_class"),
    *("{}_cls", "{}_label", "{}_labels"),
)
UNSEEN_CLASSES, SEEN_CLASSES = (
    (first, *(form.format(word) for word in words for form in SIDE_FORMS))
    for first, words in (
        ("unseen", ("unseen", "novel", "new", "zs", "zsl")),
        ("seen", ("seen", "base")),
    )
)
#: Names of variables that list all, the unseen or the seen classes.
CLASS_LISTS = (*CLASS_NAMES, *UNSEEN_CLASSES, *SEEN_CLASSES)
#: Names of arrays with a fixed meaning, which are never names of classes.
VARIABLES = frozenset(
    (
        *SCORE_VARIABLES,
        *LABEL_VARIABLES,
        "features",
        "X",
        "prototypes",
        "att",
        "class_names",
        *("trainval", "train", "val", "test_seen", "test_unseen", "test"),
        *("trainval_loc", "train_loc", "val_loc", "test_seen_loc", "test_unseen_loc"),
    )
)
#: Names of the column of labels in a table of scores.
LABELS = (
    *("label", "labels", "class", "y", "y_true", "target", "true", "targets", "true_label"),
    *("true_labels", "true_class", "gt", "ground_truth", "groundtruth", "gold", "actual"),
    *("class_name", "label_name", "label_true", "target_class", "expected", "y_test", "gts"),
    *("gt_label", "gt_labels", "gt_class", "actual_label", "actual_class", "true_name", "truth"),
    *("reference", "observed", "annotation", "true_idx", "true_id", "valós", "gerçek"),
    *("wahr", "wahrheit", "wahre_klasse", "klasse", "vérité", "classe_réelle", "vraie_classe"),
    *("classe", "étiquette", "clase", "clase_real", "etiqueta", "etichetta", "真实类别"),
    *("真实标签", "标签", "类别"),
)
#: Names of a column or array of predicted classes.
PREDICTED = (
    *("y_pred", "pred", "preds", "predicted", "prediction", "predictions", "y_hat", "yhat"),
    *("pred_label", "pred_labels", "predicted_label", "predicted_labels", "predicted_class"),
    *("label_pred", "pred_class", "pred_classes", "answer", "answers", "output", "outputs"),
    *("top1", "argmax", "estimate", "estimated", "y_predicted", "predicted_classes"),
    *("pred_name", "predicted_name", "prediction_label", "response", "guess", "pred_idx"),
    *("pred_id", "inferred", "model_output", "becsült", "jósolt", "tahmin"),
    *("vorhersage", "vorhergesagt", "vorhergesagte_klasse", "prédiction", "classe_prédite"),
    *("predicción", "clase_predicha", "predizione", "previsão", "预测", "预测类别", "预测标签"),
)
#: Part of a data set -> names of its array, or of a file with one array.
NAMES_OF_PARTS = {
    "features": (
        *("features", "feature", "feats", "feat", "x", "image_features", "visual"),
        *("image_embeddings", "img_features", "visual_features"),
    ),
    "labels": (
        *("labels", "label", "y", "targets", "target", "y_true", "true_labels", "class_id"),
        *("image_labels", "class_labels"),
    ),
    "prototypes": (
        *("prototypes", "prototype", "att", "s", "attributes", "attribute", "embeddings"),
        *("embedding", "class_embeddings", "semantics", "semantic", "text_features", "wv"),
        *("class_attributes", "signatures", "word_vectors", "original_att", "text_embeddings"),
        "class_vectors",
    ),
    "class_names": (*CLASS_NAMES, "class_name", "all_classes"),
    "image_files": (
        *("image_files", "image_file", "files", "filenames", "filename", "paths", "path"),
        *("image_names", "image_name", "image", "image_path", "img_path", "file", "file_name"),
    ),
    "attribute_names": ("attribute_names", "predicates", "columns"),
    "unseen": UNSEEN_CLASSES,
    "seen": SEEN_CLASSES,
    "split": ("split",),
}
#: Names of a column that numbers the images.
COUNTERS = (
    "id",
    "index",
    "idx",
    "row",
    "image_id",
    "img_id",
    "sample_id",
    "sample",
    "image_index",
    "row_ids",
)
#: Names of columns that describe an image or its prediction, unless a class has the name.
NOT_CLASSES = (
    *("confidence", "conf", "max_prob", "max_probability", "max_score", "top1_score", "entropy"),
    *("margin", "correct", "is_correct", "hit", "seen", "is_seen", "unseen", "is_unseen", "fold"),
    *("seed", "epoch", "rank", "loss", "weight", "run", "trial", "repeat", "checkpoint"),
    *("top1_prob", "top1_probability", "top_prob", "top_score", "pred_prob", "pred_score"),
    *("pred_confidence", "prediction_score", "true_rank", "rank_of_true", "runtime", "time_ms"),
)
#: Names of arrays that are not scores of one class or image.
NOT_VECTORS = (*VARIABLES, *LABELS, *PREDICTED, *COUNTERS, *NOT_CLASSES, *CLASS_LISTS)


def letters_of(name: str) -> str:
    """Return the ASCII letters of a name, in lower case."""
    return re.sub(r"[^a-z]", "", name.lower())


def first_named(names: Iterable[str], listed: Iterable[str]) -> str | None:
    """Return the name that comes first in ``listed``, a list of this module; else None."""
    name_of_key = {squeeze(name): name for name in reversed([*names])}
    return next((name_of_key[key] for key in map(squeeze, listed) if key in name_of_key), None)


def is_named(name: str, listed: tuple[str, ...]) -> bool:
    """Whether a name is in a list of this module."""
    return squeeze(name) in _keys(listed)


@cache
def _keys(listed: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(squeeze, listed))
