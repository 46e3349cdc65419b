"""The files of the embedded models: which there are, whether they are here, how to get them."""

from assay.models.weights.folder import State, WeightsStatus, find_weights, weights_status
from assay.models.weights.pinned import PINNED, Weights, weights_named
from assay.models.weights.pull import pull

__all__ = [
    "PINNED",
    "State",
    "Weights",
    "WeightsStatus",
    "find_weights",
    "pull",
    "weights_named",
    "weights_status",
]
