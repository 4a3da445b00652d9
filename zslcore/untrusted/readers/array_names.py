"""Names that score files and releases use for their arrays and columns."""

#: Names of variables with scores, and with labels of images.
SCORE_VARIABLES = (
    *("scores", "score", "logits", "probabilities", "probs", "log_probs", "similarity"),
    *("similarities", "array"),
)
LABEL_VARIABLES = (
    *("y", "labels", "label", "y_true", "targets", "true_labels", "target", "gt", "ground_truth"),
    *("true_label", "true", "gold"),
)
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
    *("class_name", "label_name", "label_true", "target_class", "expected"),
)
#: Names of a column or array of predicted classes.
PREDICTED = (
    *("y_pred", "pred", "preds", "predicted", "prediction", "predictions", "y_hat", "yhat"),
    *("pred_label", "pred_labels", "predicted_label", "predicted_labels", "predicted_class"),
    *("label_pred", "pred_class", "pred_classes", "answer", "answers", "output", "outputs"),
    *("top1", "argmax", "estimate", "estimated", "y_predicted", "predicted_classes"),
)
#: Names of a column of numbers that count images.
COUNTERS = ("id", "index", "idx", "row", "image_id", "img_id", "sample_id", "sample", "image_index")
